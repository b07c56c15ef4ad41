# Finds Catch2, version 3 or 2, and makes the library hptp_catch2 that a test program links: it
# holds the entry point. What is missing is installed by apt-get (with HPTP_INSTALL_CATCH2, as root
# on Debian and its relatives), or fetched where there is internet.
include_guard(GLOBAL)

set(hptp_catch2_url https://github.com/catchorg/Catch2.git)
set(hptp_catch2_tag v3.8.1)

# Says in hptp_catch2_found whether there is a Catch2 that this build can use.
macro(hptp_find_catch2)
  if(CMAKE_CROSSCOMPILING)
    # A Catch2 2.x of this machine is only a header, so it serves another processor as well. It is
    # copied, because the folder that it lies in also holds the headers of this machine's libc.
    find_file(HPTP_CATCH2_HEADER catch2/catch.hpp PATHS /usr/include /usr/local/include
              NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
    set(hptp_catch2_found ${HPTP_CATCH2_HEADER})
  else()
    find_package(Catch2 3 CONFIG QUIET)
    if(NOT Catch2_FOUND)
      find_package(Catch2 2.13.5 CONFIG QUIET) # before that, it does not compile with glibc 2.34
    endif()
    set(hptp_catch2_found ${Catch2_FOUND})
  endif()
endmacro()

hptp_find_catch2()

find_program(HPTP_APT_GET apt-get)
if(NOT hptp_catch2_found AND HPTP_INSTALL_CATCH2 AND HPTP_APT_GET)
  execute_process(COMMAND id -u OUTPUT_VARIABLE hptp_user_id OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(hptp_user_id STREQUAL "0")
    message(NOTICE "==> Catch2 is missing: apt-get installs it")
    set(ENV{DEBIAN_FRONTEND} noninteractive)
    execute_process(COMMAND ${HPTP_APT_GET} -qq update OUTPUT_QUIET)
    execute_process(COMMAND ${HPTP_APT_GET} -qq install -y catch2 OUTPUT_QUIET)
    hptp_find_catch2()
  endif()
endif()

if(NOT hptp_catch2_found)
  message(NOTICE "==> Catch2 is missing: fetching ${hptp_catch2_tag}")
  find_package(Git QUIET)
  set(hptp_catch2_reachable "no git")
  if(Git_FOUND)
    set(ENV{GIT_TERMINAL_PROMPT} 0)
    execute_process(
      COMMAND ${GIT_EXECUTABLE} ls-remote --exit-code ${hptp_catch2_url} ${hptp_catch2_tag}
      TIMEOUT 30 RESULT_VARIABLE hptp_catch2_reachable OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT hptp_catch2_reachable EQUAL 0)
    message(
      FATAL_ERROR
        "The C++ tests need Catch2, which was not found and could not be fetched: install it "
        "(Debian and Ubuntu: apt-get install catch2) or name its place with CMAKE_PREFIX_PATH.")
  endif()
  include(FetchContent)
  FetchContent_Declare(Catch2 GIT_REPOSITORY ${hptp_catch2_url} GIT_TAG ${hptp_catch2_tag}
                       GIT_SHALLOW ON)
  FetchContent_MakeAvailable(Catch2)
endif()

# A program that finds no test to run fails. Catch2 3 sees to that by itself.
set(hptp_catch2_arguments "")

if(TARGET Catch2::Catch2WithMain)
  add_library(hptp_catch2 INTERFACE)
  target_link_libraries(hptp_catch2 INTERFACE Catch2::Catch2WithMain)
else()
  set(hptp_catch2_arguments -w NoTests)
  # An object library, as nothing in a static one would ask the linker for `main`.
  add_library(hptp_catch2_main OBJECT ${PROJECT_SOURCE_DIR}/tests/cpp/main.cpp)
  target_compile_features(hptp_catch2_main PUBLIC cxx_std_20)
  target_compile_options(hptp_catch2_main PUBLIC ${hptp_sanitizer_flags})
  if(CMAKE_CROSSCOMPILING)
    file(COPY ${HPTP_CATCH2_HEADER} DESTINATION ${PROJECT_BINARY_DIR}/catch2_headers/catch2)
    target_include_directories(hptp_catch2_main SYSTEM
                               PUBLIC ${PROJECT_BINARY_DIR}/catch2_headers)
  else()
    target_link_libraries(hptp_catch2_main PUBLIC Catch2::Catch2)
  endif()
  add_library(hptp_catch2 INTERFACE)
  target_link_libraries(hptp_catch2 INTERFACE hptp_catch2_main
                                              $<TARGET_OBJECTS:hptp_catch2_main>)
endif()
