// The part of planning that is about neither rows nor large rectangles: small rectangles, lines
// with gaps between their elements, elements repeated. Each function takes the axes that it uses
// out of `rest` and says in `plan` how they are moved.
#pragma once

#include "chain.h"
#include "plan.h"

namespace hptp {

// The innermost axis is one call of a kernel that walks it by itself (Kind::fill or Kind::steps),
// and the next one repeats the call.
void plan_lines(Rest& rest, Kind kind, Plan& plan) noexcept;

// The innermost axes as a pattern. Its period takes in axes for as long as they are short and there
// is another one to repeat along. False, with nothing changed, where there is no such pattern.
bool plan_pattern(Rest& rest, Plan& plan) noexcept;

// How many elements of a source row of A a pattern packs at once; 0 where none does.
int64_t choose_element_periods(const Plan& plan) noexcept;

// The innermost axes as a pattern, or by steps, or gathered.
void plan_pieces(Rest& rest, Plan& plan) noexcept;

}  // namespace hptp
