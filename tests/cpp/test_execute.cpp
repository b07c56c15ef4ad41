// Execution: any sharing-out of the units gives the same bytes, and copies are shared out at all.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "copy_trial.h"
#include "execute.h"
#include "hptp.h"
#include "machine.h"
#include "parallel_fors.h"
#include "plan.h"
#include "random_case.h"

namespace hptp::test {
namespace {

// A plan that is shared out however small it is, and streams its output where it can.
Plan shared_plan(const Problem& problem, int threads) {
  Machine machine = this_machine();
  machine.stream_bytes = 1;
  Plan plan = build_plan(make_layout(problem), machine, threads);
  plan.threads = threads;
  return plan;
}

std::string fault_of_partitions(const CopyTrial& trial, uint64_t seed) {
  for (const auto& [name, parallel_for] : all_parallel_fors()) {
    for (const int threads : {2, 7}) {
      seed_partitions(seed);
      const std::string fault = trial.fault_after(
          [&, parallel_for = parallel_for](const Problem& problem, const void* src, void* dst) {
            execute(shared_plan(problem, threads), src, dst, parallel_for);
          });
      if (!fault.empty()) return name + (" on " + std::to_string(threads)) + " threads: " + fault;
    }
  }
  return "";
}

void require_same_bytes(uint64_t first_seed, uint64_t count, SizeRange size) {
  for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    CAPTURE(seed);
    const CopyTrial trial(random_case(seed, size));
    REQUIRE(fault_of_partitions(trial, seed) == "");
  }
}

// How often each byte of a destination is written. A ParallelFor is a plain function, so it lives
// outside of it.
struct WriteCounts {
  std::span<std::byte> dst;
  std::vector<uint8_t> counts;  // of writes, a byte of the destination each
};

WriteCounts write_counts;

void count_writes(int, int64_t unit_count, RunUnits run_units, const void* work) {
  const auto [dst, counts] = std::tie(write_counts.dst, write_counts.counts);
  counts.assign(dst.size(), 0);
  for (int64_t unit = 0; unit < unit_count; ++unit) {
    std::fill(dst.begin(), dst.end(), kPoison);
    run_units(work, unit, unit + 1);
    for (size_t i = 0; i < dst.size(); ++i)
      if (dst[i] != kPoison) ++counts[i];
  }
}

void require_written_once(uint64_t seed, SizeRange size) {
  const CopyTrial trial(random_case(seed, size));
  if (byte_count(trial.copy_case()) == 0) return;
  CAPTURE(seed);
  INFO(describe(trial.copy_case()));
  write_counts = {trial.dst_region(), {}};
  execute(shared_plan(trial.problem(), 2), trial.src(), trial.dst(), count_writes);
  const auto& counts = write_counts.counts;
  REQUIRE(counts.size() == write_counts.dst.size());
  REQUIRE(*std::max_element(counts.begin(), counts.end()) == 1);
  REQUIRE(std::count(counts.begin(), counts.end(), 1) == byte_count(trial.copy_case()));
}

// What copy_strided last asked its ParallelFor for; nothing where it did not.
struct Request {
  int threads = 0;
  int64_t unit_count = 0;
};

Request last_request;

void run_recorded(int threads, int64_t unit_count, RunUnits run_units, const void* work) {
  last_request = {threads, unit_count};
  run_units(work, 0, unit_count);
}

Request request_of(const CopyTrial& trial, int max_threads) {
  last_request = {};
  copy_strided(trial.problem(), trial.src(), trial.dst(), max_threads, run_recorded);
  return last_request;
}

}  // namespace

TEST_CASE("any partition of the units, in any order, gives the same bytes", "[execute]") {
  require_same_bytes(0, 200 / kSlowdown, kSmall);
  require_same_bytes(100'000, 500 / kSlowdown, {0, 3000});
}

TEST_CASE("any partition of a large copy gives the same bytes", "[execute]") {
  require_same_bytes(200'000, 10 / kSlowdown, kLarge);
}

TEST_CASE("any partition of many more copies gives the same bytes", "[.slow][execute]") {
  require_same_bytes(300'000, 10'000 / kSlowdown, kSmall);
  require_same_bytes(400'000, 30'000 / kSlowdown, {0, 3000});
  require_same_bytes(500'000, 200 / kSlowdown, kLarge);
}

TEST_CASE("every byte is written by one unit only", "[execute]") {
  for (uint64_t seed = 0; seed < 400 / kSlowdown; ++seed) require_written_once(seed, {0, 1500});
  for (uint64_t seed = 700'000; seed < 700'000 + 10 / kSlowdown; ++seed) {
    require_written_once(seed, {10'000, 30'000});
  }
}

TEST_CASE("an empty range of units writes nothing", "[execute]") {
  const CopyTrial trial({4, {{50, 4, 200}, {50, 200, 4}}, {}, {}, 1});
  trial.poison();
  execute(shared_plan(trial.problem(), 2), trial.src(), trial.dst(),
          [](int, int64_t unit_count, RunUnits run_units, const void* work) {
            run_units(work, 0, 0);
            run_units(work, unit_count, unit_count);
          });
  const auto region = trial.dst_region();
  REQUIRE(std::count(region.begin(), region.end(), kPoison) == 50 * 50 * 4);
}

TEST_CASE("a large copy of any kind is shared out among all threads it may use", "[execute]") {
  const int64_t n = 2048;
  const std::pair<const char*, CopyCase> cases[] = {
      {"a dense copy", {4, {{n * n, 4, 4}}, {}, {}, 1}},
      {"moved rows", {4, {{n / 8, n * 4, 512}, {n / 8, 512, n * 64}, {64, 4, 4}}, {}, {}, 1}},
      {"few long rows", {4, {{3, n * n, 2 * n * n}, {n * n / 4, 4, 4}}, {}, {}, 1}},
      {"a matrix", {4, {{n, 4, n * 4}, {n, n * 4, 4}}, {}, {}, 1}},
      {"a flat matrix", {4, {{5, 4, n * n}, {n * n / 4, 20, 4}}, {}, {}, 1}},
      {"planes to pixels", {1, {{n * n, 1, 3}, {3, n * n, 1}}, {}, {}, 1}},
      {"pixels to planes", {1, {{3, 1, n * n}, {n * n, 3, 1}}, {}, {}, 1}},
      {"every other element", {4, {{n * n, 8, 4}}, {}, {}, 1}},
      {"a repeated row", {4, {{n, 0, n * 4}, {n, 4, 4}}, {}, {}, 1}},
  };
  for (const auto& [name, copy_case] : cases) {
    CAPTURE(name);
    const CopyTrial trial(copy_case);
    for (const int threads : {2, 7}) {
      const Request request = request_of(trial, threads);
      REQUIRE(request.threads == threads);
      REQUIRE(request.unit_count >= 2 * threads);
      REQUIRE(trial.fault() == "");
    }
    REQUIRE(request_of(trial, 1).threads <= 1);
  }
}

TEST_CASE("no copy asks for more threads than auto_threads names", "[execute]") {
  for (uint64_t seed = 800'000; seed < 800'000 + 50 / kSlowdown; ++seed) {
    CAPTURE(seed);
    const CopyTrial trial(random_case(seed, seed % 5 == 0 ? kLarge : kSmall));
    const int64_t bytes = byte_count(trial.copy_case());
    for (const int threads : {1, 2, 7, 1000}) {
      REQUIRE(request_of(trial, threads).threads <= auto_threads(bytes, threads));
    }
  }
}

TEST_CASE("auto_threads gives small copies one thread and large ones all", "[execute]") {
  for (const int max_threads : {1, 2, 7, 64}) {
    REQUIRE(auto_threads(0, max_threads) == 1);
    REQUIRE(auto_threads(10'000, max_threads) == 1);
    REQUIRE(auto_threads(int64_t{1} << 40, max_threads) == max_threads);
    int before = 1;
    for (int64_t bytes = 1; bytes < int64_t{1} << 40; bytes += bytes / 3 + 1) {
      const int threads = auto_threads(bytes, max_threads);
      REQUIRE(threads >= before);
      REQUIRE(threads <= max_threads);
      before = threads;
    }
  }
  REQUIRE(auto_threads(int64_t{1} << 40, 0) == 1);
}

TEST_CASE("bad input is refused before anything is written", "[execute]") {
  const CopyTrial trial({4, {{50, 4, 200}, {50, 200, 4}}, {}, {}, 1});
  const std::pair<int64_t, std::vector<Axis>> problems[] = {
      {0, {{50, 4, 4}}},
      {4, {{50, 4, 4}, {-1, 4, 4}}},
      {4, {{50, 4, 4}, {2, 200, 0}}},
      {4, {{int64_t{1} << 61, 0, 4}, {2, 0, 4}}},
  };
  for (const auto& [elem_size, axes] : problems) {
    const auto copy = [&, elem_size = elem_size, &axes = axes] {
      copy_strided({elem_size, axes}, trial.src(), trial.dst(), 2, run_recorded);
    };
    last_request = {};
    REQUIRE_THROWS_AS(copy(), std::logic_error);
    REQUIRE(last_request.unit_count == 0);
    const auto region = trial.dst_region();
    REQUIRE(std::count(region.begin(), region.end(), kPoison) == 50 * 50 * 4);
  }
}

}  // namespace hptp::test
