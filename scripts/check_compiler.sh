#!/bin/sh
# check_compiler.sh COMPILER: fails with one sentence when COMPILER is missing or knows no C++20.
set -u
compiler=$1
advice="install GCC 12 or Clang 14 or newer (Debian and Ubuntu: apt-get install g++), or name one: make CXX=..."

# Unquoted where it is run, as CXX may hold words: CXX="ccache g++".
if ! command -v ${compiler%% *} > /dev/null 2>&1; then
  echo "==> There is no C++ compiler \"$compiler\": $advice" >&2
  exit 1
fi
if ! printf '%s\n' '#include <bit>' '#include <concepts>' '#include <span>' \
  'template <std::integral T> constexpr bool is_even(T x) { return std::popcount(x) % 2 == 0; }' \
  'static_assert(is_even(3u) && __cplusplus >= 202002L);' \
  'int main() { std::span<const int> none; return static_cast<int>(none.size()); }' |
  $compiler -std=c++20 -x c++ -fsyntax-only -; then
  echo "==> The C++ compiler \"$compiler\" cannot compile C++20: $advice" >&2
  exit 1
fi
