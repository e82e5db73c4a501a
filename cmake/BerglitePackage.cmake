# `cpack` in the build directory makes two Debian packages: berglite, the program, and
# libberglite-dev. Configure with -DCMAKE_INSTALL_PREFIX=/usr, as script/package does, so that all
# goes where Debian wants it.

install(FILES LICENSE RENAME copyright DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/berglite"
  COMPONENT program)
install(FILES LICENSE RENAME copyright DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libberglite-dev"
  COMPONENT dev)

# Packs a file, the same whenever it is built, for Debian.
function(berglite_install_packed file name destination component)
  set(packed "${CMAKE_CURRENT_BINARY_DIR}/packed/${component}/${name}.gz")
  add_custom_command(OUTPUT "${packed}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${file}" "packed/${component}/${name}"
    COMMAND gzip --best --no-name --force "packed/${component}/${name}"
    DEPENDS "${file}" WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" VERBATIM)
  add_custom_target(berglite_packed_${component}_${name} ALL DEPENDS "${packed}")
  install(FILES "${packed}" DESTINATION "${destination}" COMPONENT ${component})
endfunction()

if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  install(FILES cmake/berglite.service DESTINATION lib/systemd/system COMPONENT program)
  set(berglite_changes "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
  set(berglite_docs "${CMAKE_INSTALL_DATADIR}/doc")
  berglite_install_packed("${berglite_changes}" changelog "${berglite_docs}/berglite" program)
  berglite_install_packed("${berglite_changes}" changelog "${berglite_docs}/libberglite-dev" dev)
  berglite_install_packed("${berglite_man_page}" berglite.1 "${CMAKE_INSTALL_MANDIR}/man1" program)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME berglite)
set(CPACK_PACKAGE_CONTACT "The berglite authors <berglite@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_COMPONENTS_ALL program dev)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME berglite)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"The program berglite serves the catalog over the Iceberg REST protocol and has commands
that work on its file.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libberglite-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
string(CONCAT CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libsqlite3-dev, zlib1g-dev, libssl-dev, libavro-dev, libsnappy-dev, libzstd-dev, "
  "libcpp-httplib-dev, pkg-config")
set(CPACK_COMPONENT_DEV_DESCRIPTION
"Headers and static libraries for programs that open a catalog file themselves or serve it.")

include(CPack)
