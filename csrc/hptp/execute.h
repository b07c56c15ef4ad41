// Running a plan: units are handed to threads, a thread decodes its first unit and then only adds
// strides.
#pragma once

#include "hptp.h"
#include "plan.h"

namespace hptp {

// Moves everything. `src` and `dst` are the caller's pointers; the plan holds the offsets to add.
void execute(const Plan& plan, const void* src, void* dst, ParallelFor parallel_for);

}  // namespace hptp
