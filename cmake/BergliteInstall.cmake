# What `cmake --install` puts in place: headers, libraries, the program and the package files.

include(CMakePackageConfigHelpers)

install(DIRECTORY include/berglite DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
set(berglite_targets berglite)
if(BERGLITE_BUILD_SERVER)
  list(APPEND berglite_targets berglite_server)
endif()
install(TARGETS ${berglite_targets} EXPORT berglite-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(BERGLITE_BUILD_PROGRAM)
  install(TARGETS berglite_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

set(berglite_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/berglite")
install(EXPORT berglite-targets NAMESPACE berglite:: DESTINATION "${berglite_config_dir}")
configure_package_config_file(cmake/berglite-config.cmake.in berglite-config.cmake
  INSTALL_DESTINATION "${berglite_config_dir}")
write_basic_package_version_file(berglite-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/berglite-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/berglite-config-version.cmake" DESTINATION "${berglite_config_dir}")
