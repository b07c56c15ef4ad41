// A strided copy in which the same few bytes are regrouped in the same way again and again, as a
// Pattern for the kernel that knows nothing but bytes.
//
// A period is the positions of a chain whose elements lie side by side in the destination; it
// repeats along one more axis, side by side as well. A round of the kernel is a few periods: as
// many as fill whole chunks, or nearly.
//
// Example: every second of 1000 bytes. The period is one element, a round is 16 of them.
#pragma once

#include <cstdint>

#include "chain.h"
#include "kernels/kernel.h"

namespace hptp {

// How many periods make a round; 0 where the period is too long, or where a round would read or
// write less than one chunk.
int64_t choose_periods(const Chain& period, const Axis& repeat, int64_t elem_size) noexcept;

// The pattern of a round of that many periods.
void build_pattern(const Chain& period, const Axis& repeat, int64_t elem_size, int64_t periods,
                   Pattern& pattern) noexcept;

}  // namespace hptp
