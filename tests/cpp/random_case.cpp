#include "random_case.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "random.h"

namespace hptp::test {
namespace {

// A permute of a dense source: what a family decides. The strides of both sides come afterwards.
struct Shape {
  std::vector<int64_t> extents;   // in the order of the source, outermost first
  std::vector<size_t> dst_order;  // the axes in the order of the destination, outermost first
  size_t longest = 0;             // the axis that grows or shrinks to reach a size
};

std::vector<size_t> identity(size_t rank) {
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

std::vector<size_t> random_order(size_t rank, Dice& dice) {
  std::vector<size_t> order = identity(rank);
  dice.shuffle(order);
  return order;
}

// An extent at which a tile or a block is just full, just short or just begun.
int64_t near_a_tile(Dice& dice) {
  const int64_t tile = dice.pick({8, 16, 32, 64, 128});
  return std::max<int64_t>(1, tile * dice.between(1, 3) + dice.between(-2, 2));
}

Shape anything(Dice& dice) {
  const auto rank = static_cast<size_t>(dice.between(0, 8));
  Shape shape{{}, random_order(rank, dice), 0};
  int64_t room = 4096;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = dice.between(1, std::clamp<int64_t>(room, 1, 9));
    shape.extents.push_back(extent);
    room /= extent;
  }
  if (rank > 0) shape.longest = static_cast<size_t>(dice.next() % rank);
  if (rank > 0 && dice.one_in(25)) shape.extents[shape.longest] = 0;
  return shape;
}

Shape matrix(Dice& dice) {
  const auto longest = static_cast<size_t>(dice.between(0, 1));
  return {{near_a_tile(dice), near_a_tile(dice)}, {1, 0}, longest};
}

Shape matrices(Dice& dice) {
  return {{dice.between(1, 5), near_a_tile(dice), near_a_tile(dice)}, {0, 2, 1}, 0};
}

// Two groups of axes change places, so that a side of the matrix is a chain of axes.
Shape chains(Dice& dice) {
  const auto rank = static_cast<size_t>(dice.between(3, 7));
  Shape shape{{}, random_order(rank, dice), static_cast<size_t>(dice.next() % rank)};
  for (size_t i = 0; i < rank; ++i) shape.extents.push_back(dice.pick({2, 3, 4, 5, 7, 8, 12, 16}));
  if (dice.one_in(2)) {
    shape.dst_order = identity(rank);
    const auto split = static_cast<std::ptrdiff_t>(dice.between(1, static_cast<int64_t>(rank) - 1));
    std::rotate(shape.dst_order.begin(), shape.dst_order.begin() + split, shape.dst_order.end());
  }
  return shape;
}

Shape channels(Dice& dice) {
  const int64_t images = dice.between(1, 4);
  const int64_t plane = dice.one_in(2) ? dice.between(1, 70) : dice.between(60, 2000);
  const int64_t count = dice.between(2, 8);
  if (dice.one_in(2)) return {{images, plane, count}, {0, 2, 1}, 1};
  return {{images, count, plane}, {0, 2, 1}, 2};
}

Shape tiny_matrices(Dice& dice) {
  return {{dice.between(1, 500), dice.between(1, 9), dice.between(1, 9)}, {0, 2, 1}, 0};
}

Shape rows(Dice& dice) {
  const int64_t run = dice.one_in(2) ? dice.between(1, 20) : dice.between(10, 200);
  return {{dice.between(1, 9), dice.between(2, 40), dice.between(1, 12), run}, {0, 2, 1, 3}, 1};
}

Shape plain_copy(Dice& dice) {
  const int64_t extent = dice.one_in(2) ? dice.between(0, 300) : dice.between(1, 20'000);
  return {{extent}, {0}, 0};
}

Shape same_order(Dice& dice) {
  return {{dice.between(1, 20), dice.between(1, 20), dice.between(1, 40)}, {0, 1, 2}, 1};
}

Shape binary(Dice& dice) {
  const auto rank = static_cast<size_t>(dice.between(2, 13));
  return {std::vector<int64_t>(rank, 2), random_order(rank, dice), 0};
}

// Resizes the longest axis until the size is within its range.
void resize(Shape& shape, int64_t elem_size, SizeRange size) {
  if (shape.extents.empty()) return;
  for (int64_t& longest = shape.extents[shape.longest];;) {
    const int64_t bytes =
        std::accumulate(shape.extents.begin(), shape.extents.end(), elem_size, std::multiplies<>());
    if (bytes > size.most) {
      int64_t& largest = *std::max_element(shape.extents.begin(), shape.extents.end());
      if (largest == 1) return;
      largest = largest * 2 / 3;
    } else if (bytes > 0 && bytes < size.least) {
      longest += std::max<int64_t>(1, (size.least - bytes) / (bytes / longest));
    } else {
      return;
    }
  }
}

// How the strides of one side stray from dense ones. Each stray is tried on an axis now and then.
struct Strays {
  bool has_steps = false;
  bool has_gaps = false;
  bool is_reversed = false;
  bool is_broadcast = false;
};

Strays random_strays(Dice& dice) {
  if (dice.one_in(2)) return {};
  return {dice.one_in(3), dice.one_in(2), dice.one_in(3), dice.one_in(4)};
}

void set_strides(CopyCase& copy_case, int64_t Axis::*stride, const std::vector<size_t>& order,
                 Strays strays, Dice& dice) {
  int64_t next = copy_case.elem_size;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    Axis& axis = copy_case.axes[*it];
    if (strays.has_steps && dice.one_in(3)) next *= dice.between(2, 4);
    if (strays.has_gaps && dice.one_in(3)) next += dice.between(1, 70);
    if (strays.has_gaps && dice.one_in(3)) next += copy_case.elem_size * dice.between(1, 5);
    axis.*stride = strays.is_reversed && dice.one_in(2) ? -next : next;
    if (strays.is_broadcast && dice.one_in(3)) {
      axis.*stride = 0;
    } else {
      next *= std::max<int64_t>(axis.extent, 1);
    }
  }
}

// Lays out one side, densely where strays would stretch it over too much memory.
void lay_out(CopyCase& copy_case, int64_t Axis::*stride, const std::vector<size_t>& order,
             Strays strays, int64_t most_bytes, Dice& dice) {
  set_strides(copy_case, stride, order, strays, dice);
  const Reach reach = reach_along(copy_case.elem_size, copy_case.axes, stride);
  if (reach.high - reach.low > most_bytes) set_strides(copy_case, stride, order, {}, dice);
}

Placement random_placement(Dice& dice) {
  const Fence fence = dice.one_in(2) ? Fence::kBefore : Fence::kAfter;
  if (dice.one_in(3)) return {fence, 0};
  return {fence, dice.one_in(2) ? dice.between(1, 63) : 8 * dice.between(0, 16)};
}

int64_t random_elem_size(Dice& dice) {
  if (dice.one_in(2)) return dice.pick({1, 2, 4, 8, 16});
  return dice.pick(
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 200});
}

}  // namespace

CopyCase random_case(uint64_t seed, SizeRange size) {
  constexpr std::array kFamilies = {anything,      matrix, matrices,   chains,     channels,
                                    tiny_matrices, rows,   plain_copy, same_order, binary};
  Dice dice(seed);
  CopyCase copy_case;
  copy_case.elem_size = random_elem_size(dice);
  copy_case.fill_seed = seed;
  Shape shape = kFamilies[seed % kFamilies.size()](dice);
  resize(shape, copy_case.elem_size, size);
  for (const int64_t extent : shape.extents) copy_case.axes.push_back({extent, 0, 0});
  Strays dst_strays = random_strays(dice);
  dst_strays.is_broadcast = false;
  const int64_t most_bytes = 4 * size.most + 1'000'000;
  lay_out(copy_case, &Axis::src_stride, identity(shape.extents.size()), random_strays(dice),
          most_bytes, dice);
  lay_out(copy_case, &Axis::dst_stride, shape.dst_order, dst_strays, most_bytes, dice);
  copy_case.src = random_placement(dice);
  copy_case.dst = random_placement(dice);
  if (dice.one_in(2)) dice.shuffle(copy_case.axes);
  return copy_case;
}

}  // namespace hptp::test
