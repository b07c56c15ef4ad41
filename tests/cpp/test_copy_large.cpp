// copy_strided on copies that no near cache holds, which take other paths than small ones: several
// MiB each, with extents that no block divides and with extents that are powers of two.
#include <cstdint>
#include <vector>

#include "catch.h"
#include "copy_trial.h"
#include "hptp.h"
#include "machines.h"
#include "parallel_fors.h"
#include "permuted.h"
#include "slowdown.h"

namespace hptp::test {
namespace {

// On every machine, into a destination that begins on a cache line and into one that is flush
// with the fence after it.
void require_copied(int64_t elem_size, const std::vector<Axis>& axes) {
  for (const Placement dst : {Placement{Fence::kBefore, 64}, Placement{Fence::kAfter, 1}}) {
    const CopyTrial trial({elem_size, axes, {Fence::kAfter, 0}, dst, 1});
    REQUIRE(fault_on_any_machine(trial, run_on_threads) == "");
    if (kSlowdown > 1) return;
  }
}

}  // namespace

TEST_CASE("a large matrix is transposed", "[copy][large]") {
  require_copied(1, permuted(1, {1531, 1451}, {1, 0}));
  require_copied(1, permuted(1, {2048, 1024}, {1, 0}));
  require_copied(2, permuted(2, {1033, 1101}, {1, 0}));
  require_copied(2, permuted(2, {1024, 1024}, {1, 0}));
  require_copied(4, permuted(4, {731, 801}, {1, 0}));
  require_copied(4, permuted(4, {512, 1024}, {1, 0}));
  require_copied(8, permuted(8, {511, 543}, {1, 0}));
  require_copied(8, permuted(8, {512, 512}, {1, 0}));
  require_copied(16, permuted(16, {401, 345}, {1, 0}));
  require_copied(16, permuted(16, {256, 512}, {1, 0}));
}

TEST_CASE("a large matrix of odd elements is transposed", "[copy][large]") {
  for (const int64_t elem_size : {3, 5, 6, 7, 12, 13, 24, 31, 33}) {
    require_copied(elem_size, permuted(elem_size, {2'200'000 / elem_size / 1301, 1301}, {1, 0}));
  }
}

TEST_CASE("a large batch of matrices is transposed", "[copy][large]") {
  require_copied(1, permuted(1, {15, 401, 403}, {0, 2, 1}));
  require_copied(4, permuted(4, {35, 131, 141}, {0, 2, 1}));
  require_copied(4, permuted(4, {70'000, 3, 3}, {0, 2, 1}));
  require_copied(8, permuted(8, {7, 50'001}, {1, 0}));
}

TEST_CASE("large planes become channels and large channels become planes", "[copy][large]") {
  for (const int64_t elem_size : {1, 2, 4, 8}) {
    for (const int64_t channels : {2, 3, 4, 5}) {
      const int64_t plane = 2'200'000 / elem_size / channels / 2 * 2 + 1;
      require_copied(elem_size, permuted(elem_size, {channels, plane}, {1, 0}));
      require_copied(elem_size, permuted(elem_size, {plane, channels}, {1, 0}));
    }
  }
}

TEST_CASE("a batch of images changes its layout", "[copy][large]") {
  require_copied(1, permuted(1, {15, 3, 223, 227}, {0, 2, 3, 1}));
  require_copied(1, permuted(1, {15, 223, 227, 3}, {0, 3, 1, 2}));
  require_copied(4, permuted(4, {7, 64, 53, 56}, {0, 2, 3, 1}));
  require_copied(4, permuted(4, {7, 53, 56, 64}, {0, 3, 1, 2}));
}

TEST_CASE("many large rows find their new places", "[copy][large]") {
  for (const int64_t run : {30, 33, 64, 127, 1000, 70'001}) {
    const int64_t rows = 2'200'000 / run / 5 + 1;
    require_copied(1, permuted(1, {rows, 5, run}, {1, 0, 2}));
    require_copied(1, permuted(1, {5, rows, run}, {1, 0, 2}));
  }
}

TEST_CASE("eight axes of a large tensor are permuted", "[copy][large]") {
  for (const int64_t elem_size : {2, 4}) {
    const std::vector<int64_t> extents = {6, 8, 4, 12 / elem_size, 8, 7, 6, 3};
    require_copied(elem_size, permuted(elem_size, extents, {3, 4, 0, 1, 2, 5, 6, 7}));
    require_copied(elem_size, permuted(elem_size, extents, {6, 7, 3, 4, 5, 0, 1, 2}));
    require_copied(elem_size, permuted(elem_size, extents, {4, 5, 6, 7, 1, 2, 3, 0}));
    require_copied(elem_size, permuted(elem_size, extents, {6, 5, 4, 3, 2, 1, 0, 7}));
    require_copied(elem_size, permuted(elem_size, extents, {7, 6, 5, 4, 3, 2, 1, 0}));
  }
}

TEST_CASE("a large dense copy is whole", "[copy][large]") {
  for (const int64_t bytes : {4 << 20, 2'097'151, 3'000'001}) require_copied(1, {{bytes, 1, 1}});
}

TEST_CASE("large strided sides are read and written in their places", "[copy][large]") {
  const int64_t n = 600'001;
  require_copied(4, {{n, 8, 4}});
  require_copied(4, {{n, 4, 8}});
  require_copied(4, {{n, -4, 4}});
  require_copied(4, {{n, 0, 4}});
  require_copied(4, {{1001, 4, 4444}, {1111, 4004, 4}});
  require_copied(4, {{1001, -4, 5000}, {1111, 4104, 4}});
  require_copied(4, {{1001, 4, 8888}, {1111, 4004, 8}});
  require_copied(1, {{2303, 1, 2400}, {2309, 2401, 1}});
}

TEST_CASE("elements need be aligned to themselves only (VAL-13)", "[copy]") {
  for (const int64_t gap : {8, 16, 40, 64, 120}) {
    const auto axes = permuted(8, {50, 50, 50}, {2, 1, 0});
    const CopyTrial trial({8, axes, {Fence::kBefore, gap}, {Fence::kBefore, gap}, 1});
    REQUIRE(trial.fault_after([](const Problem& problem, const void* src, void* dst) {
      copy_strided(problem, src, dst, 1, run_serially);
    }) == "");
  }
}

}  // namespace hptp::test
