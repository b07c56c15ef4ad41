// copy_strided on layouts picked by hand: each test is one thing that a copy must get right.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "copy_trial.h"
#include "hptp.h"
#include "parallel_fors.h"
#include "permuted.h"

namespace hptp::test {
namespace {

using Axes = std::vector<Axis>;

constexpr int64_t kElemSizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  12,
                                  13, 16, 17, 24, 31, 32, 33, 48, 64, 100};

void copy(Problem problem, const void* src, void* dst) {
  copy_strided(problem, src, dst, 2, run_serially);
}

// Each side flush against the fence before it, against the one after it, and askew between.
void require_copied(int64_t elem_size, const Axes& axes) {
  const std::pair<Placement, Placement> placements[] = {
      {{Fence::kBefore, 0}, {Fence::kAfter, 0}},
      {{Fence::kAfter, 0}, {Fence::kBefore, 0}},
      {{Fence::kBefore, 13}, {Fence::kBefore, 29}},
  };
  for (const auto& [src, dst] : placements) {
    const CopyTrial trial({elem_size, axes, src, dst, 1});
    REQUIRE(trial.fault_after(copy) == "");
  }
}

}  // namespace

TEST_CASE("a problem without axes copies one element of any size", "[copy]") {
  for (int64_t elem_size = 1; elem_size <= 300; ++elem_size) require_copied(elem_size, {});
  for (const int64_t elem_size : {4095, 4096, 4097, 100'003}) require_copied(elem_size, {});
}

TEST_CASE("a zero extent copies nothing, at once and from no memory at all (SH-04, SH-05)",
          "[copy]") {
  const int64_t huge = int64_t{1} << 31;
  const Axes axes[] = {
      {{0, 4, 4}}, {{huge, 0, huge}, {0, 4, 4}, {huge, 4, 4}}, {{5, 4, 4}, {0, 0, 0}}};
  for (const Axes& each : axes) {
    REQUIRE_NOTHROW(copy_strided({4, each}, nullptr, nullptr, 2, run_on_threads));
  }
}

TEST_CASE("a dense copy of any length is whole", "[copy]") {
  for (const int64_t elem_size : kElemSizes) {
    for (const int64_t extent : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 1000}) {
      require_copied(elem_size, {{extent, elem_size, elem_size}});
    }
  }
}

TEST_CASE("rows of any length find their new places", "[copy]") {
  for (int64_t run = 1; run <= 140; ++run) require_copied(1, permuted(1, {5, 7, run}, {1, 0, 2}));
  for (const int64_t run : {255, 256, 257, 1000, 4096, 5000, 70'000}) {
    require_copied(1, permuted(1, {3, 5, run}, {1, 0, 2}));
  }
}

TEST_CASE("a matrix is transposed whatever its extents and elements", "[copy]") {
  const std::initializer_list<int64_t> extents = {2, 3, 5, 8, 15, 16, 17, 31, 33, 64, 65, 130};
  for (const int64_t elem_size : kElemSizes) {
    for (const int64_t rows : extents) {
      for (const int64_t cols : extents) {
        const CopyTrial trial({elem_size, permuted(elem_size, {rows, cols}, {1, 0})});
        REQUIRE(trial.fault_after(copy) == "");
      }
    }
  }
}

TEST_CASE("every square matrix up to 40 is transposed (VAL-15)", "[copy]") {
  for (const int64_t elem_size : {1, 2, 4, 8, 16}) {
    for (int64_t n = 1; n <= 40; ++n)
      require_copied(elem_size, permuted(elem_size, {n, n}, {1, 0}));
  }
}

TEST_CASE("planes become channels and channels become planes", "[copy]") {
  const std::initializer_list<int64_t> planes = {1,  2,  5,  15, 16,  17,  31,
                                                 48, 63, 64, 65, 100, 1000};
  for (const int64_t elem_size : {1, 2, 3, 4, 8, 16}) {
    for (int64_t channels = 2; channels <= 8; ++channels) {
      for (const int64_t plane : planes) {
        require_copied(elem_size, permuted(elem_size, {2, channels, plane}, {0, 2, 1}));
        require_copied(elem_size, permuted(elem_size, {2, plane, channels}, {0, 2, 1}));
      }
    }
  }
}

TEST_CASE("tiny matrices of a long batch are transposed", "[copy]") {
  for (const int64_t elem_size : {1, 2, 3, 4, 8}) {
    for (int64_t rows = 2; rows <= 9; ++rows) {
      for (int64_t cols = 2; cols <= 9; ++cols) {
        require_copied(elem_size, permuted(elem_size, {70, rows, cols}, {0, 2, 1}));
      }
    }
  }
}

TEST_CASE("axes move in chains", "[copy]") {
  for (const int64_t elem_size : {1, 2, 3, 4, 8, 16}) {
    require_copied(elem_size, permuted(elem_size, {4, 3, 8, 2, 6, 5}, {3, 4, 0, 1, 2, 5}));
    require_copied(elem_size, permuted(elem_size, {4, 3, 8, 2, 6, 5}, {5, 4, 3, 2, 1, 0}));
    require_copied(elem_size, permuted(elem_size, {12, 3, 8, 16, 3}, {3, 4, 0, 1, 2}));
    require_copied(elem_size, permuted(elem_size, {4, 2, 8, 3, 4, 5, 3}, {6, 3, 4, 0, 1, 2, 5}));
  }
}

TEST_CASE("binary axes are reversed and rotated (SH-20)", "[copy]") {
  const std::vector<int64_t> extents(14, 2);
  std::vector<size_t> dims = {13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  for (const int64_t elem_size : {1, 2, 4, 8}) {
    require_copied(elem_size, permuted(elem_size, extents, dims));
  }
  std::rotate(dims.begin(), dims.begin() + 3, dims.end());
  for (const int64_t elem_size : {1, 3, 4}) {
    require_copied(elem_size, permuted(elem_size, extents, dims));
  }
}

TEST_CASE("the order in which a problem names its axes is of no matter", "[copy]") {
  Axes axes = permuted(4, {6, 7, 8}, {2, 0, 1});
  const auto by_extent = [](const Axis& left, const Axis& right) {
    return left.extent < right.extent;
  };
  std::sort(axes.begin(), axes.end(), by_extent);
  do require_copied(4, axes);
  while (std::next_permutation(axes.begin(), axes.end(), by_extent));
}

TEST_CASE("the gaps of a strided destination stay as they are (OUT-01)", "[copy]") {
  for (const int64_t elem_size : kElemSizes) {
    require_copied(elem_size, {{40, elem_size, 2 * elem_size}});
    require_copied(elem_size,
                   {{33, elem_size, 80 * elem_size}, {40, 33 * elem_size, 2 * elem_size}});
    require_copied(elem_size, {{33, elem_size, 70 * elem_size}, {65, 33 * elem_size, elem_size}});
    require_copied(elem_size,
                   {{9, elem_size, 40 * elem_size + 43}, {40, 9 * elem_size, elem_size + 1}});
  }
}

TEST_CASE("a destination that no nesting of axes describes is written in its places", "[copy]") {
  for (const int64_t elem_size : {1, 2, 4, 8, 16, 32}) {
    require_copied(elem_size, {{2, elem_size, 3 * elem_size}, {3, 2 * elem_size, 2 * elem_size}});
    // Places 0 3 6 ... 27 and, between them, 10 13 ... 37 and 20 23 ... 47.
    require_copied(elem_size,
                   {{3, 400 * elem_size, 10 * elem_size}, {10, elem_size, 3 * elem_size}});
  }
}

TEST_CASE("windows that overlap in the source are read again and again", "[copy]") {
  for (const int64_t elem_size : kElemSizes) {
    require_copied(elem_size, {{50, elem_size, 20 * elem_size}, {20, elem_size, elem_size}});
    require_copied(elem_size, {{20, elem_size, 50 * elem_size}, {50, 3 * elem_size, elem_size}});
  }
}

TEST_CASE("source elements may overlap and begin at any byte", "[copy]") {
  for (const int64_t elem_size : {2, 3, 4, 8, 16, 33}) {
    require_copied(elem_size, {{30, 1, 20 * elem_size}, {20, 37, elem_size}});
    require_copied(elem_size,
                   {{30, 20 * elem_size + 1, elem_size}, {20, elem_size, 30 * elem_size}});
  }
}

TEST_CASE("a broadcast source is repeated (SH-17)", "[copy]") {
  for (const int64_t elem_size : kElemSizes) {
    require_copied(elem_size, {{4, 0, 3 * elem_size}, {3, elem_size, elem_size}});
    require_copied(
        elem_size,
        {{3, elem_size, 10 * elem_size}, {5, 0, 2 * elem_size}, {2, 3 * elem_size, elem_size}});
    require_copied(elem_size, {{6, 0, 20 * elem_size}, {4, 0, 5 * elem_size}, {5, 0, elem_size}});
    require_copied(elem_size, {{70, elem_size, 70 * elem_size}, {70, 0, elem_size}});
  }
}

TEST_CASE("either side may run backwards (SH-19)", "[copy]") {
  for (const int64_t elem_size : kElemSizes) {
    for (const int64_t src_sign : {-1, 1}) {
      for (const int64_t dst_sign : {-1, 1}) {
        const int64_t src = src_sign * elem_size;
        const int64_t dst = dst_sign * elem_size;
        require_copied(elem_size, {{37, src, dst}});
        require_copied(elem_size, {{35, src, 18 * dst}, {18, 35 * elem_size, dst}});
        require_copied(elem_size, {{6, 17 * src, 17 * elem_size}, {17, elem_size, dst}});
        require_copied(elem_size, {{50, 3 * src, 3 * elem_size}, {3, src, dst}});
      }
    }
  }
}

TEST_CASE("slices with steps are read where they lie (SH-14, SH-16)", "[copy]") {
  // [1:100, 1:100, 0:2] of a 108 x 192 x 3 image, by every order of its axes.
  std::vector<size_t> dims = {0, 1, 2};
  const int64_t extents[] = {99, 99, 2};
  const int64_t strides[] = {192 * 3, 3, 1};
  do {
    Axes axes;
    for (const size_t dim : dims) axes.push_back({extents[dim], strides[dim], 0});
    axes[2].dst_stride = 1;
    axes[1].dst_stride = axes[2].extent;
    axes[0].dst_stride = axes[1].extent * axes[2].extent;
    require_copied(1, axes);
  } while (std::next_permutation(dims.begin(), dims.end()));
}

TEST_CASE("odd groups of bytes stay whole (VAL-16)", "[copy]") {
  for (const int64_t group : {3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15}) {
    require_copied(1, permuted(1, {64, 65, group}, {1, 0, 2}));
    require_copied(1, permuted(1, {33, 31, group}, {1, 0, 2}));
  }
}

TEST_CASE("strides beyond 32 bits are followed (BIG-03)", "[copy]") {
  const int64_t far = (int64_t{1} << 31) + 8;
  const Placement placement{Fence::kBefore, 5};
  for (const Axes& axes : {Axes{{2, far, 4}, {3, 4, 8}}, Axes{{2, 12, far}, {3, 4, 4}}}) {
    const Reach src_reach = reach_along(4, axes, &Axis::src_stride);
    const Reach dst_reach = reach_along(4, axes, &Axis::dst_stride);
    const FencedMemory src(src_reach.high, placement);
    const FencedMemory dst(dst_reach.high, placement);
    for (int i = 0; i < 6; ++i) {
      src.begin()[axes[0].src_stride * (i / 3) + axes[1].src_stride * (i % 3)] = std::byte(i + 1);
    }
    copy({4, axes}, src.begin(), dst.begin());
    for (int i = 0; i < 6; ++i) {
      const int64_t at = axes[0].dst_stride * (i / 3) + axes[1].dst_stride * (i % 3);
      REQUIRE(std::to_integer<int>(dst.begin()[at]) == i + 1);
    }
  }
}

}  // namespace hptp::test
