// ParallelFors that share out the units in ways that no friendly thread pool would. Each is a
// correct ParallelFor, so that a copy through any of them must give the same bytes.
//
// A ParallelFor is a plain function. Those that need randomness draw from a counter of their own,
// and `seed_partitions` sets it.
#pragma once

#include <cstdint>
#include <span>

#include "hptp.h"

namespace hptp::test {

void seed_partitions(uint64_t seed) noexcept;

// On the calling thread.
void run_one_by_one(int threads, int64_t unit_count, RunUnits run_units, const void* work);
void run_backwards(int threads, int64_t unit_count, RunUnits run_units, const void* work);
void run_shuffled(int threads, int64_t unit_count, RunUnits run_units, const void* work);
void run_random_cuts(int threads, int64_t unit_count, RunUnits run_units, const void* work);

// On `threads` threads at once: each takes one stretch, as torch's pool shares out.
void run_on_threads(int threads, int64_t unit_count, RunUnits run_units, const void* work);

// On `threads` threads at once, which take the units one by one, so that neighbours are written at
// the same time by different threads.
void run_interleaved(int threads, int64_t unit_count, RunUnits run_units, const void* work);

struct NamedParallelFor {
  const char* name;
  ParallelFor parallel_for;
};

// All of the above, and run_serially.
std::span<const NamedParallelFor> all_parallel_fors() noexcept;

}  // namespace hptp::test
