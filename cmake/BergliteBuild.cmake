# How berglite's own targets are built: one object library a module, so that the link lines state
# the layering (a module sees only the headers it may know), and one test program a module.

add_library(berglite_options INTERFACE)
target_compile_options(berglite_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Where GCC 12 inlines, it sees an uninitialised value in a string that is moved out of a Result,
  # and overlapping copies in the sum of a literal and a string.
  target_compile_options(berglite_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
# Instrumented code makes compilers see what is not there; the plain build is the judge of warnings.
if(BERGLITE_DEVELOPER AND NOT BERGLITE_SANITIZE)
  target_compile_options(berglite_options INTERFACE -Werror)
endif()
if(BERGLITE_SANITIZE)
  # Every part is instrumented, or reports are missed and false ones appear.
  add_compile_options(-fsanitize=${BERGLITE_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${BERGLITE_SANITIZE})
endif()

# berglite_add_module(<name> SOURCES <file>... [LINK <target>...])
function(berglite_add_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  target_include_directories(${name}
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE berglite_options ${ARG_LINK})
endfunction()

# berglite_add_test(<name> SOURCES <file>... [LINK <target>...] [TIMEOUT <seconds>])
function(berglite_add_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE
    "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${name} PRIVATE berglite_options ${ARG_LINK} GTest::gmock_main)
  gtest_discover_tests(${name} TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS core)
endfunction()
