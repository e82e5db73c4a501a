# `cpack` in the build directory makes two Debian packages: berglite, the program, and
# libberglite-dev. Configure with -DCMAKE_INSTALL_PREFIX=/usr, as script/package does, so that all
# goes where Debian wants it.

install(FILES LICENSE RENAME copyright DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/berglite"
  COMPONENT program)
install(FILES LICENSE RENAME copyright DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libberglite-dev"
  COMPONENT dev)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  install(FILES cmake/berglite.service DESTINATION lib/systemd/system COMPONENT program)
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
