# What `cmake --install` puts in place, in two components: `program`, with its manual page and
# completions, and `dev`, what it takes to build against the library.

include(CMakePackageConfigHelpers)

install(DIRECTORY include/berglite DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)
set(berglite_targets berglite)
if(BERGLITE_BUILD_SERVER)
  list(APPEND berglite_targets berglite_server)
endif()
install(TARGETS ${berglite_targets} EXPORT berglite-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT program NAMELINK_COMPONENT dev)

set(berglite_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/berglite")
install(EXPORT berglite-targets NAMESPACE berglite:: DESTINATION "${berglite_config_dir}"
  COMPONENT dev)
configure_package_config_file(cmake/berglite-config.cmake.in berglite-config.cmake
  INSTALL_DESTINATION "${berglite_config_dir}")
write_basic_package_version_file(berglite-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/berglite-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/berglite-config-version.cmake"
  DESTINATION "${berglite_config_dir}" COMPONENT dev)

# For pkg-config. Who links a static library also links what that needs.
get_target_property(berglite_type berglite TYPE)
set(berglite_requires Requires)
if(NOT berglite_type STREQUAL "STATIC_LIBRARY")
  set(berglite_requires Requires.private)
endif()
set(berglite_pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
# The prefix as seen from there: --prefix and packages may choose it later.
file(RELATIVE_PATH berglite_pc_prefix "/${berglite_pc_dir}" "/")
string(REGEX REPLACE "/$" "" berglite_pc_prefix "${berglite_pc_prefix}")
set(berglite_pc_names berglite)
if(BERGLITE_BUILD_SERVER)
  list(APPEND berglite_pc_names berglite-server)
endif()
foreach(name IN LISTS berglite_pc_names)
  configure_file("cmake/${name}.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${berglite_pc_dir}"
    COMPONENT dev)
endforeach()

if(BERGLITE_BUILD_PROGRAM)
  install(TARGETS berglite_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
  set(berglite_zsh_dir "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(berglite_zsh_dir "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")  # as Debian has it
  endif()
  set(pages "${CMAKE_CURRENT_BINARY_DIR}/shim/cli/reference")
  set(berglite_man_page "${pages}/berglite.1")
  if(NOT (PROJECT_IS_TOP_LEVEL AND CMAKE_INSTALL_PREFIX STREQUAL "/usr"))  # there it is packed
    install(FILES "${berglite_man_page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
      COMPONENT program)
  endif()
  install(FILES "${pages}/berglite.bash" RENAME berglite COMPONENT program
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${pages}/_berglite" DESTINATION "${berglite_zsh_dir}" COMPONENT program)
  install(FILES "${pages}/berglite.fish" COMPONENT program
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
