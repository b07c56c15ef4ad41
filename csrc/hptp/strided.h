// What is not whole rows or plain rectangles: lines and rectangles with gaps between their elements
// on one side or both, elements repeated, and patterns of a few bytes.
#pragma once

#include "unit.h"

namespace hptp {

void run_fill(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept;
void run_steps(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept;
void run_gather(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept;

// Where a plan counts periods, its pattern must have been filled in.
void run_pattern(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept;
void fill_pattern(const Plan& plan, Scratch& scratch) noexcept;

// A transpose whose A has a step in the source or whose B has one in the destination.

// A transpose of few source rows, whose columns lie side by side in the destination.
void run_joined(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept;

}  // namespace hptp
