// Catch2 of either major version: 3 is a library with many headers, 2 is the one header catch.hpp.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
