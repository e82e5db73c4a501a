# Finds what berglite is built with. What is missing is named with the Debian package that brings
# it.

set(berglite_missing "")

# Notes that `what` was not found and which package brings it.
macro(berglite_require found what package)
  if(NOT ${found})
    string(APPEND berglite_missing "\n  ${what}: apt-get install ${package}")
  endif()
endmacro()

find_package(Threads REQUIRED)
find_package(SQLite3 3.38 QUIET)
berglite_require(SQLite3_FOUND "SQLite 3.38 or newer" libsqlite3-dev)
find_package(ZLIB QUIET)
berglite_require(ZLIB_FOUND "zlib" zlib1g-dev)
find_package(OpenSSL 3.0 QUIET)
berglite_require(OPENSSL_FOUND "OpenSSL 3.0 or newer" libssl-dev)
find_package(nlohmann_json 3.11 QUIET)
berglite_require(nlohmann_json_FOUND "nlohmann/json 3.11 or newer" nlohmann-json3-dev)
find_package(Boost 1.74 QUIET)
berglite_require(Boost_FOUND "Boost.UUID" libboost-dev)

if(BERGLITE_BUILD_SERVER)
  find_package(PkgConfig QUIET)
  berglite_require(PkgConfig_FOUND "pkg-config" pkg-config)
  if(PkgConfig_FOUND)
    # Its flags decide the layout of its types; only pkg-config knows those of the installed one.
    pkg_check_modules(HTTPLIB QUIET IMPORTED_TARGET cpp-httplib)
  endif()
  berglite_require(HTTPLIB_FOUND "cpp-httplib" libcpp-httplib-dev)
endif()
if(BERGLITE_BUILD_PROGRAM)
  find_package(spdlog QUIET)
  berglite_require(spdlog_FOUND "spdlog" libspdlog-dev)
  find_package(CLI11 QUIET)
  berglite_require(CLI11_FOUND "CLI11" libcli11-dev)
  find_package(CURL 7.85 QUIET)
  berglite_require(CURL_FOUND "libcurl 7.85 or newer" libcurl4-openssl-dev)
endif()
if(BERGLITE_DEVELOPER)
  find_package(GTest QUIET)
  berglite_require(GTest_FOUND "GoogleTest" "libgtest-dev libgmock-dev")
  include(GoogleTest)
endif()

if(berglite_missing)
  message(FATAL_ERROR "berglite needs what is not installed:${berglite_missing}\n"
    "script/bootstrap installs all of it.")
endif()
