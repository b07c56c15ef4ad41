// Planning: every plan covers its layout exactly once, and the kind follows from what lies
// together.
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "copy_trial.h"
#include "hptp.h"
#include "kernels/dispatch.h"
#include "machine.h"
#include "plan.h"
#include "random_case.h"

namespace hptp::test {
namespace {

Plan plan_of(int64_t elem_size, const std::vector<Axis>& axes, int max_threads) {
  return build_plan(make_layout({elem_size, axes}), this_machine(), max_threads);
}

// A plan's bounds, or which of them it oversteps.
std::string broken_bound(const Plan& plan) {
  int64_t units = 1;
  for (int i = 0; i < plan.loop_count; ++i) units *= plan.loops[i].extent;
  if (units != plan.unit_count) return "the loops do not count the units";
  for (const Chain* chain : {&plan.a, &plan.b}) {
    if (chain->rank > Chain::kMaxRank) return "a chain is too long";
    if (chain->block < 1 || chain->block > chain->total) return "a block is no part of its chain";
    int64_t total = 1;
    for (int i = 0; i + 1 < chain->rank; ++i) total *= chain->axes[i].extent;
    if (chain->block % total != 0 && chain->block != chain->total) return "a block cuts an axis";
    if (chain->rank > 0) total *= chain->axes[chain->rank - 1].extent;
    if (total != chain->total) return "the axes of a chain do not make its total";
  }
  if (plan.piece_bytes < 1 || plan.piece_bytes > plan.elem_size) return "a piece is no part";
  return plan.threads < 1 ? "no thread" : "";
}

}  // namespace

TEST_CASE("the plan of a random problem keeps its bounds", "[plan]") {
  for (uint64_t seed = 0; seed < 10'000 / kSlowdown; ++seed) {
    CAPTURE(seed);
    const CopyCase copy_case = random_case(seed, seed % 2 == 0 ? kLarge : kSmall);
    INFO(describe(copy_case));
    const Plan plan = plan_of(copy_case.elem_size, copy_case.axes, 2);
    const int64_t bytes = byte_count(copy_case);
    REQUIRE((plan.kind == Kind::empty) == (bytes == 0));
    if (bytes == 0) {
      REQUIRE(plan.unit_count == 0);
      continue;
    }
    REQUIRE(broken_bound(plan) == "");
    REQUIRE(bytes % (plan.a.total * plan.b.total * plan.elem_size) == 0);
  }
}

TEST_CASE("the kind of a plan follows from what lies together on either side", "[plan]") {
  SECTION("a dense copy is one row") {
    const Plan plan = plan_of(4, {{1000, 4000, 4000}, {1000, 4, 4}}, 1);
    REQUIRE(plan.kind == Kind::rows);
    REQUIRE(plan.elem_size == 4'000'000);
  }
  SECTION("long runs are moved as rows") {
    REQUIRE(plan_of(2, {{32, 256, 25600}, {100, 8192, 256}, {128, 2, 2}}, 1).kind == Kind::rows);
  }
  SECTION("a matrix is transposed") {
    for (const int64_t size : {1, 2, 3, 4, 8, 12, 16}) {
      const Plan plan = plan_of(size, {{500, size, 400 * size}, {400, 500 * size, size}}, 1);
      REQUIRE(plan.kind == Kind::transpose);
    }
  }
  SECTION("two to four planes become pixels, and pixels planes") {
    for (int64_t channels = 2; channels <= 4; ++channels) {
      for (const int64_t size : {1, 2, 4, 8}) {
        const Axis to_pixels[] = {{900, size, channels * size}, {channels, 900 * size, size}};
        const Axis to_planes[] = {{channels, size, 900 * size}, {900, channels * size, size}};
        const Machine& machine = this_machine();
        REQUIRE(build_plan(make_layout({size, to_pixels}), machine, 1).kind == Kind::interleave);
        REQUIRE(build_plan(make_layout({size, to_planes}), machine, 1).kind == Kind::deinterleave);
      }
    }
  }
  SECTION(
      "what has gaps or runs backwards in the source is a pattern, where bytes can be shuffled") {
    const Kind kind = this_machine().kernels->regroup == nullptr ? Kind::steps : Kind::pattern;
    REQUIRE(plan_of(4, {{5000, 8, 4}}, 1).kind == kind);
    REQUIRE(plan_of(4, {{5000, -4, 4}}, 1).kind == kind);
    REQUIRE(plan_of(2, {{500, 1500, 1000}, {500, 3, 2}}, 1).kind == kind);
  }
  SECTION("what has gaps in the destination goes by steps, or is gathered where lines are short") {
    REQUIRE(plan_of(4, {{5000, 4, 8}}, 1).kind == Kind::steps);
    REQUIRE(plan_of(4, {{5000, 12, 32}, {3, 4, 8}}, 1).kind == Kind::gather);
  }
  SECTION("one element repeated is a fill") {
    REQUIRE(plan_of(4, {{5000, 0, 4}}, 1).kind == Kind::fill);
    REQUIRE(plan_of(7, {{50, 7, 3500}, {500, 0, 7}}, 1).kind == Kind::fill);
  }
  SECTION("a transpose with a step on either side is packed") {
    REQUIRE(plan_of(8, {{300, 16, 2400}, {300, 4800, 8}}, 1).path == Path::packed);
    REQUIRE(plan_of(8, {{300, 8, 4800}, {300, 2400, 16}}, 1).path == Path::packed);
    REQUIRE(plan_of(8, {{300, 8, 2400}, {300, 4800, 8}}, 1).path != Path::packed);
  }
  SECTION("batches of small matrices are patterns, where bytes can be shuffled") {
    const bool is_scalar = this_machine().kernels->regroup == nullptr;
    const Plan plan = plan_of(1, {{900, 25, 25}, {5, 1, 5}, {5, 5, 1}}, 1);
    REQUIRE((plan.kind == Kind::pattern) == !is_scalar);
  }
  SECTION("a zero extent leaves nothing") {
    const Plan plan = plan_of(4, {{5, 4, 4}, {0, 4, 4}}, 1);
    REQUIRE(plan.kind == Kind::empty);
    REQUIRE(plan.unit_count == 0);
  }
}

TEST_CASE("sixty-two binary axes are planned (SH-20)", "[plan]") {
  std::vector<Axis> axes;
  for (int i = 0; i < 62; ++i) axes.push_back({2, int64_t{1} << i, int64_t{1} << (61 - i)});
  const Plan plan = plan_of(1, axes, 2);
  REQUIRE(broken_bound(plan) == "");
  REQUIRE(plan.kind != Kind::empty);
}

TEST_CASE("a plan asks for no more threads than it may use", "[plan]") {
  const std::vector<Axis> axes = {{4000, 4, 16000}, {4000, 16000, 4}};
  for (const int max_threads : {1, 2, 7}) {
    REQUIRE(plan_of(4, axes, max_threads).threads == max_threads);
    REQUIRE(plan_of(4, {{10, 4, 40}, {10, 40, 4}}, max_threads).threads == 1);
  }
}

TEST_CASE("a plan runs with the kernel table that it is given", "[plan]") {
  for (const KernelTable* table : all_kernel_tables()) {
    Machine machine = this_machine();
    machine.kernels = table;
    const Axis axes[] = {{50, 4, 200}, {50, 200, 4}};
    const Plan plan = build_plan(make_layout({4, axes}), machine, 1);
    REQUIRE(plan.kernels == table);
    REQUIRE(to_string(plan).find(table->name) != std::string::npos);
  }
}

TEST_CASE("only outputs of a certain size are streamed, and gaps never", "[plan]") {
  Machine machine = this_machine();
  machine.stream_bytes = 1'000'000;
  const Axis just_enough[] = {{500, 4, 2000}, {500, 2000, 4}};
  const Axis too_few[] = {{499, 4, 2000}, {500, 1996, 4}};
  const Axis with_gaps[] = {{500'000, 4, 8}};
  REQUIRE(build_plan(make_layout({4, just_enough}), machine, 1).stores == Stores::streaming);
  REQUIRE(build_plan(make_layout({4, too_few}), machine, 1).stores == Stores::ordinary);
  REQUIRE(build_plan(make_layout({4, with_gaps}), machine, 1).stores == Stores::ordinary);
  REQUIRE(this_machine().stream_bytes > 0);
}

TEST_CASE("a plan is told as one decision a line", "[plan]") {
  const Axis axes[] = {{1000, 1, 3}, {3, 1000, 1}};
  std::istringstream text(explain({1, axes}, 2));
  std::vector<std::string> names;
  for (std::string line; std::getline(text, line);) {
    CAPTURE(line);
    REQUIRE(line.find(':') != std::string::npos);
    names.push_back(line.substr(0, line.find(':')));
  }
  for (const char* name : {"kind", "units", "path", "stores", "threads", "kernels"}) {
    CAPTURE(name);
    REQUIRE(std::count(names.begin(), names.end(), name) == 1);
  }
}

TEST_CASE("explain names the kind, also of nothing, and refuses what a copy refuses", "[plan]") {
  const Axis planes[] = {{1000, 1, 3}, {3, 1000, 1}};
  const Axis nothing[] = {{0, 4, 4}};
  REQUIRE(explain({1, planes}, 2).find("interleave") != std::string::npos);
  REQUIRE(explain({4, nothing}, 2).find("empty") != std::string::npos);
  REQUIRE_THROWS_AS(explain({0, planes}, 2), std::invalid_argument);
}

}  // namespace hptp::test
