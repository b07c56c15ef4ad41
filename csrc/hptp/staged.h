// Transposes by way of two buffers. The stage takes the source rows of a unit. A few columns of it
// at a time are then transposed into the strip, which is smaller, and leave that as whole lines of
// destination rows. Both buffers are longer than what they hold, so that the kernel may round up to
// whole tiles: what it moves besides is left behind.
//
// A unit is read first and written then. Memory would serve both at once, but a core that waits
// for lines to come has no room left to send others away.
#pragma once

#include "unit.h"

namespace hptp {

inline bool is_staged(const Plan& plan) noexcept {
  return plan.path == Path::staged || plan.path == Path::packed;
}

// What run_staged finds in the scratch of every unit.
void fill_staged(const Plan& plan, Scratch& scratch) noexcept;

void run_staged(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept;

}  // namespace hptp
