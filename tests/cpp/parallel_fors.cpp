#include "parallel_fors.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "random.h"

namespace hptp::test {
namespace {

std::atomic<uint64_t> partition_seed{0};

template <typename Body>
void run_threads(int threads, const Body& body) {
  std::vector<std::thread> started;
  for (int i = 0; i < threads; ++i) started.emplace_back(body, i);
  for (std::thread& thread : started) thread.join();
}

}  // namespace

void seed_partitions(uint64_t seed) noexcept { partition_seed = seed; }

void run_one_by_one(int, int64_t unit_count, RunUnits run_units, const void* work) {
  for (int64_t unit = 0; unit < unit_count; ++unit) run_units(work, unit, unit + 1);
}

void run_backwards(int, int64_t unit_count, RunUnits run_units, const void* work) {
  for (int64_t unit = unit_count; unit > 0; --unit) run_units(work, unit - 1, unit);
}

void run_shuffled(int, int64_t unit_count, RunUnits run_units, const void* work) {
  std::vector<int64_t> units(static_cast<size_t>(unit_count));
  std::iota(units.begin(), units.end(), int64_t{0});
  Dice(partition_seed++).shuffle(units);
  for (const int64_t unit : units) run_units(work, unit, unit + 1);
}

void run_random_cuts(int, int64_t unit_count, RunUnits run_units, const void* work) {
  Dice dice(partition_seed++);
  std::vector<std::pair<int64_t, int64_t>> stretches;
  for (int64_t begin = 0; begin < unit_count;) {
    const int64_t longest = dice.one_in(2) ? 3 : unit_count;
    const int64_t end = std::min(unit_count, begin + dice.between(0, longest));
    stretches.emplace_back(begin, end);
    begin = end;
  }
  dice.shuffle(stretches);
  for (const auto& [begin, end] : stretches) run_units(work, begin, end);
}

void run_on_threads(int threads, int64_t unit_count, RunUnits run_units, const void* work) {
  run_threads(threads, [=](int thread) {
    const int64_t begin = unit_count * thread / threads;
    const int64_t end = unit_count * (thread + 1) / threads;
    run_units(work, begin, end);
  });
}

void run_interleaved(int threads, int64_t unit_count, RunUnits run_units, const void* work) {
  std::atomic<int64_t> next{0};
  run_threads(threads, [=, &next](int) {
    for (int64_t unit = next++; unit < unit_count; unit = next++) run_units(work, unit, unit + 1);
  });
}

std::span<const NamedParallelFor> all_parallel_fors() noexcept {
  static constexpr NamedParallelFor kAll[] = {
      {"run_serially", run_serially},       {"run_one_by_one", run_one_by_one},
      {"run_backwards", run_backwards},     {"run_shuffled", run_shuffled},
      {"run_random_cuts", run_random_cuts}, {"run_on_threads", run_on_threads},
      {"run_interleaved", run_interleaved},
  };
  return kAll;
}

}  // namespace hptp::test
