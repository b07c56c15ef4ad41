// Chains of axes, and the blocks that they are cut into.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "catch.h"
#include "chain.h"
#include "random.h"
#include "tuning.h"

namespace hptp::test {
namespace {

// The 4 x 6 x 8 tensor permuted (0, 2, 1), with an axis before it that repeats the source.
Rest example() {
  const Axis axes[] = {{3, 0, 768}, {4, 192, 192}, {8, 4, 24}, {6, 32, 4}};
  Layout layout;
  layout.elem_size = 4;
  layout.rank = 4;
  std::copy(std::begin(axes), std::end(axes), layout.axes);
  return all_axes(layout);
}

Chain chain_of(const std::vector<int64_t>& extents) {
  Chain chain;
  int64_t stride = 1;
  for (const int64_t extent : extents) {
    append(chain, {extent, stride, stride});
    stride *= extent;
  }
  return chain;
}

}  // namespace

TEST_CASE("an axis is found by its stride on either side", "[chain]") {
  const Rest rest = example();
  REQUIRE(find_src_stride(rest, 4) == 2);
  REQUIRE(find_src_stride(rest, 32) == 3);
  REQUIRE(find_dst_stride(rest, 4) == 3);
  REQUIRE(find_dst_stride(rest, 24) == 2);
  REQUIRE(find_src_stride(rest, 5) == -1);
  REQUIRE(find_dst_stride(rest, 5) == -1);
  REQUIRE(find_src_stride(Rest{}, 4) == -1);
}

TEST_CASE("of several axes with one stride the innermost is found", "[chain]") {
  Rest rest = example();
  rest.axes[0].src_stride = 4;
  REQUIRE(find_src_stride(rest, 4) == 2);
}

TEST_CASE("the nearest axis takes the smallest steps, backwards too, but takes some", "[chain]") {
  Rest rest = example();
  REQUIRE(find_nearest_in_src(rest) == 2);
  rest.axes[1].src_stride = -2;
  REQUIRE(find_nearest_in_src(rest) == 1);
  rest.axes[1].src_stride = -192;
  REQUIRE(find_nearest_in_src(rest) == 2);
  REQUIRE(find_nearest_in_src(Rest{}) == -1);
  Rest broadcast;
  broadcast.axes[broadcast.count++] = {5, 0, 4};
  REQUIRE(find_nearest_in_src(broadcast) == -1);
}

TEST_CASE("a taken axis is gone and the others keep their order", "[chain]") {
  Rest rest = example();
  REQUIRE(take(rest, 1).extent == 4);
  REQUIRE(rest.count == 3);
  REQUIRE(rest.axes[0].extent == 3);
  REQUIRE(rest.axes[1].extent == 8);
  REQUIRE(rest.axes[2].extent == 6);
}

TEST_CASE("a chain counts its positions, and is one position when cleared", "[chain]") {
  Chain chain = chain_of({6, 4, 5});
  REQUIRE(chain.rank == 3);
  REQUIRE(chain.total == 120);
  clear(chain);
  REQUIRE(chain.rank == 0);
  REQUIRE(chain.total == 1);
  REQUIRE(chain.block == 1);
}

TEST_CASE("a chain of up to half as many again as aimed at is one block", "[chain]") {
  Chain chain = chain_of({150});
  choose_block(chain, 100, 1);
  REQUIRE(chain.block == 150);
  chain = chain_of({151});
  choose_block(chain, 100, 1);
  REQUIRE(chain.block < 151);
}

TEST_CASE("a block is a whole number of lines where that fits", "[chain]") {
  Chain chain = chain_of({1000});
  choose_block(chain, 100, 16);
  REQUIRE(chain.block % 16 == 0);
  chain = chain_of({3, 1000});
  choose_block(chain, 100, 16);
  REQUIRE(chain.block % 48 == 0);
}

TEST_CASE("any block is part of its chain, cuts no lower axis and fits the tables", "[chain]") {
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const int64_t target = dice.between(1, 2 * tuning::kMaxPositions);
    const int64_t whole = dice.pick({1, 2, 4, 8, 16, 32, 64});
    // As a chain grows only while it is short of the target, its lower axes are.
    std::vector<int64_t> lower;
    int64_t lower_total = 1;
    for (int64_t extent = dice.between(2, 9); lower_total * extent < std::min<int64_t>(target, 600);
         extent = dice.between(2, 9)) {
      lower.push_back(extent);
      lower_total *= extent;
    }
    lower.push_back(dice.between(2, 3000));
    Chain chain = chain_of(lower);
    choose_block(chain, target, whole);
    CAPTURE(seed, target, whole, chain.total, lower_total, chain.block);
    REQUIRE(chain.block >= 1);
    REQUIRE(chain.block <= chain.total);
    REQUIRE(chain.block <= tuning::kMaxPositions);
    REQUIRE((chain.block % lower_total == 0 || chain.block == chain.total));
    REQUIRE(chain.block <= target + target / 2);
  }
}

}  // namespace hptp::test
