// The front desk of the engine, and the only header another program includes.
//
// The one job is a strided copy: every element of the source goes to its place in the destination.
// A permute, a view made contiguous and a copy into a strided output differ in their axes only.
//
// Example: transpose a contiguous 3 x 5 matrix of floats.
//   const hptp::Axis axes[] = {{5, 4, 12}, {3, 20, 4}};  // extent, source and destination stride
//   hptp::copy_strided({4, axes}, src, dst, 1, hptp::run_serially);
#pragma once

#include <cstdint>
#include <string>

#include "layout.h"

namespace hptp {

// Runs the units [begin, end) of some work on the calling thread. Never throws.
using RunUnits = void (*)(const void* work, int64_t begin, int64_t end) noexcept;

// Threads are the caller's. A ParallelFor calls `run_units(work, ...)` over any partition of
// [0, unit_count), in any order, on up to `threads` threads, and returns when all of it is done.
using ParallelFor = void (*)(int threads, int64_t unit_count, RunUnits run_units, const void* work);

// The ParallelFor of a single thread: the calling one.
void run_serially(int threads, int64_t unit_count, RunUnits run_units, const void* work);

// Copies every element of `problem` from `src` to `dst`, which must not overlap, on at most
// `max_threads` threads of `parallel_for`. The pointers are those of the element whose every index
// is 0. Nothing need be aligned. Throws what make_layout throws, before anything is written.
void copy_strided(const Problem& problem, const void* src, void* dst, int max_threads,
                  ParallelFor parallel_for);

// How many of `max_threads` threads a copy of `nbytes` bytes is given: one below a size at which
// starting threads costs more than it saves.
int auto_threads(int64_t nbytes, int max_threads) noexcept;

// What copy_strided would do with the problem, in words, one decision a line.
std::string explain(const Problem& problem, int max_threads);

// The name of the kernel table in use: "avx512", "avx2", "neon" or "scalar".
const char* isa_name() noexcept;

}  // namespace hptp
