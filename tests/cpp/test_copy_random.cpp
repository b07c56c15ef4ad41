// copy_strided and every kernel table on random problems, each made from a printed seed.
#include <cstdint>
#include <string>

#include "catch.h"
#include "copy_trial.h"
#include "hptp.h"
#include "machines.h"
#include "parallel_fors.h"
#include "random_case.h"

namespace hptp::test {
namespace {

void require_copied(uint64_t first_seed, uint64_t count, SizeRange size) {
  for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    CAPTURE(seed);
    const CopyTrial trial(random_case(seed, size));
    REQUIRE(fault_on_any_machine(trial, run_serially) == "");
  }
}

}  // namespace

TEST_CASE("copy_strided copies a random problem as nested loops do", "[copy][random]") {
  for (uint64_t seed = 0; seed < 2000 / kSlowdown; ++seed) {
    CAPTURE(seed);
    const CopyTrial trial(random_case(seed, kSmall));
    const std::string fault =
        trial.fault_after([](const Problem& problem, const void* src, void* dst) {
          copy_strided(problem, src, dst, 2, run_interleaved);
        });
    REQUIRE(fault == "");
  }
}

TEST_CASE("every kernel table copies small random problems", "[copy][random]") {
  require_copied(0, 4'000 / kSlowdown, kSmall);
}

TEST_CASE("every kernel table copies tiny random problems", "[copy][random]") {
  require_copied(1'000'000, 8'000 / kSlowdown, {0, 1000});
}

TEST_CASE("every kernel table copies large random problems", "[copy][random]") {
  require_copied(2'000'000, 40 / kSlowdown, kLarge);
}

TEST_CASE("every kernel table copies many more random problems", "[.slow][copy][random]") {
  require_copied(3'000'000, 100'000 / kSlowdown, kSmall);
  require_copied(4'000'000, 300'000 / kSlowdown, {0, 1000});
  require_copied(5'000'000, 2'000 / kSlowdown, kLarge);
}

TEST_CASE("every kernel table copies random problems larger than any cache",
          "[.slow][copy][random]") {
  require_copied(6'000'000, 30 / kSlowdown, {65'000'000, 100'000'000});
}

}  // namespace hptp::test
