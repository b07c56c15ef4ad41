#!/bin/sh
# sanitize.sh [COMPILER...]: builds the core and its C++ tests under AddressSanitizer with
# UndefinedBehaviorSanitizer and under ThreadSanitizer, with GCC and with Clang or the compilers
# that are given, and runs them. Warnings are errors here.
set -eu
[ $# -gt 0 ] || set -- g++ clang++
jobs=${JOBS:-2}

for compiler in "$@"; do
  "${0%/*}/check_compiler.sh" "$compiler"
done
for compiler in "$@"; do
  for sanitizer in address thread; do
    directory=build/sanitize/${compiler##*/}-$sanitizer
    echo "==> $compiler, $sanitizer sanitizer: building in $directory"
    CXX=$compiler cmake -S . -B "$directory" -G Ninja -DCMAKE_MESSAGE_LOG_LEVEL=NOTICE \
      -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHPTP_SANITIZE=$sanitizer -DHPTP_WERROR=ON \
      -DHPTP_INSTALL_CATCH2=ON
    cmake --build "$directory" --parallel "$jobs" --target hptp_tests hptp_tests_tiny -- --quiet
    echo "==> $compiler, $sanitizer sanitizer: running the tests"
    # The tests force every kernel table in turn; once more with each one preset gains nothing here.
    ctest --test-dir "$directory" --output-on-failure -R '\.default$'
  done
done
echo "==> the sanitizers found nothing"
