// A Plan is every decision about one Layout, as plain data: what moves, in which blocks, in which
// order, by which kernel.
//
// The axes of the layout are split in three. Chain A is the axes that lie together in the source,
// chain B those that lie together in the destination; each is walked as if it were one axis of
// `total` positions, cut into blocks of `block`. A unit is one block of A by one block of B, and
// the loops count units: over the other axes, and over the blocks of A and of B.
//
// Example: the 4 x 6 x 8 tensor permuted (0, 2, 1). A is the axis of 8, B the axis of 6, the axis
// of 4 is a loop.
#pragma once

#include <cstdint>
#include <string>

#include "chain.h"
#include "kernels/kernel.h"
#include "layout.h"
#include "machine.h"

namespace hptp {

enum class Kind {
  empty,         // nothing to move
  rows,          // elements of many bytes, moved whole
  transpose,     // A contiguous in the source, B contiguous in the destination
  interleave,    // the same with 2, 3 or 4 positions of B: planes to pixels
  deinterleave,  // the same with 2, 3 or 4 positions of A: pixels to planes
  fill,          // one element again and again, side by side in the destination
  steps,         // element by element at constant steps
  pattern,       // a few bytes regrouped in the same way again and again
  gather,        // element by element
};

enum class Stores {
  ordinary,
  streaming,  // past the cache, for what will not be read again before it is evicted
};

enum class Path {
  direct,  // from the source to the destination
  staged,  // through a small buffer, so that both sides are walked along whole lines
  packed,  // the same where A has a step in the source, or B in the destination: the gaps between
           // their elements are left out on the way in, and made on the way out
  joined,  // through a small buffer that holds a block as it is to be written, in one run: where
           // there are few rows in the source and their columns lie side by side
};

// The two loops that count the blocks of a chain: over groups of blocks, and over the blocks of a
// group. A group of A by a group of B is walked whole before the next, so that the memory pages of
// both sides are met again while the processor still knows them. The last group may be a part of
// one: its missing blocks are units of nothing.
struct BlockLoops {
  int groups = 0;  // place in Plan::loops
  int blocks = 0;
};

struct Plan {
  static constexpr int kMaxLoops = hptp::kMaxRank + 7;

  Kind kind = Kind::empty;
  Stores stores = Stores::ordinary;
  Path path = Path::direct;
  const KernelTable* kernels = nullptr;
  int threads = 1;
  int64_t elem_size = 0;    // bytes
  int64_t piece_bytes = 0;  // bytes of an element that one unit moves; less than all for long rows
  int64_t periods = 0;      // of a round of a pattern, if there is one: B is a period and A repeats
                            // it, or, where a transpose is packed, an element is
  int64_t src_offset = 0;
  int64_t dst_offset = 0;
  Chain a;
  Chain b;
  int loop_count = 0;
  BlockLoops a_loops;
  BlockLoops b_loops;
  int piece_loop = 0;  // which loop counts the pieces of an element
  int64_t unit_count = 0;
  Axis loops[kMaxLoops];  // outermost first
};

// Cannot fail. `machine` says what the copy will run on, `max_threads` how many threads it may use.
Plan build_plan(const Layout& layout, const Machine& machine, int max_threads) noexcept;

// How many of `max_threads` threads are worth waking for so many bytes.
int choose_threads(int64_t bytes, int max_threads) noexcept;

// One decision a line.
std::string to_string(const Plan& plan);

}  // namespace hptp
