// The entry point of a test program with Catch2 2.x, whose one header holds the test runner as
// well. With Catch2 3 the entry point comes from Catch2::Catch2WithMain and this file is left out.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
