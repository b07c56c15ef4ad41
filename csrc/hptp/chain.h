// Axes gathered into chains, and the axes that are left.
#pragma once

#include <cstdint>

#include "layout.h"

namespace hptp {

// Axes walked as one, the innermost first. All axes but the last lie within one block, so that the
// offsets of the positions of a block are the same for every block.
struct Chain {
  static constexpr int kMaxRank = 12;  // each axis but the last doubles a count below kMaxPositions
  int rank = 0;
  int64_t total = 1;  // positions
  int64_t block = 1;  // positions of a unit
  Axis axes[kMaxRank];
};

// The axes that have no part yet, in the order of the destination, outermost first.
struct Rest {
  int count = 0;
  Axis axes[kMaxRank];
};

Rest all_axes(const Layout& layout) noexcept;

// Removes an axis from the rest.
Axis take(Rest& rest, int index) noexcept;

// The axis with that stride, the innermost of several; -1 where there is none.
int find_src_stride(const Rest& rest, int64_t stride) noexcept;
int find_dst_stride(const Rest& rest, int64_t stride) noexcept;

// The axis along which the source is walked in the smallest steps; a broadcast takes no steps and
// comes last. -1 where there is none.
int find_nearest_in_src(const Rest& rest) noexcept;

// Makes `axis` the outermost of the chain.
void append(Chain& chain, const Axis& axis) noexcept;

void clear(Chain& chain) noexcept;

// Blocks of about `target` positions, and a whole number of the axes below the last. Up to half as
// many again are one block: better than a second one with little in it. Within that limit, blocks
// of a multiple of `whole` positions are preferred.
void choose_block(Chain& chain, int64_t target, int64_t whole) noexcept;

}  // namespace hptp
