// Normalising: a Layout is the same copy as its Problem, in the fewest axes.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.h"
#include "layout.h"
#include "random_case.h"
#include "reference.h"

namespace hptp::test {
namespace {

using Axes = std::vector<Axis>;

Layout layout_of(int64_t elem_size, const Axes& axes) { return make_layout({elem_size, axes}); }

Axes axes_of(const Layout& layout) { return {layout.axes, layout.axes + layout.rank}; }

std::string to_text(const Axes& axes) {
  std::string text;
  for (const Axis& axis : axes) {
    text += " {" + std::to_string(axis.extent) + ", " + std::to_string(axis.src_stride) + ", " +
            std::to_string(axis.dst_stride) + "}";
  }
  return text;
}

void require_axes(const Layout& layout, const Axes& expected) {
  REQUIRE(to_text(axes_of(layout)) == to_text(expected));
}

// The invariants that layout.h promises, or which of them is broken.
std::string broken_invariant(const Layout& layout) {
  for (int i = 0; i < layout.rank; ++i) {
    const Axis& axis = layout.axes[i];
    if (axis.extent < 2) return "an extent below 2";
    if (axis.dst_stride <= 0) return "a destination stride that is not positive";
    if (i == 0) continue;
    const Axis& outer = layout.axes[i - 1];
    if (outer.dst_stride <= axis.dst_stride) return "destination strides that do not descend";
    if (outer.src_stride == axis.extent * axis.src_stride &&
        outer.dst_stride == axis.extent * axis.dst_stride) {
      return "neighbours that can be merged";
    }
  }
  if (layout.rank == 0) return "";
  const Axis& inner = layout.axes[layout.rank - 1];
  const bool is_run = inner.src_stride == layout.elem_size && inner.dst_stride == layout.elem_size;
  return is_run ? "an inner run that can be folded" : "";
}

std::vector<Move> moves_of(const Problem& problem) {
  std::vector<Move> moves;
  append_moves(problem.elem_size, problem.axes, 0, 0, moves);
  std::sort(moves.begin(), moves.end());
  return moves;
}

std::vector<Move> moves_of(const Layout& layout) {
  std::vector<Move> moves;
  if (layout.empty) return moves;
  append_moves(layout.elem_size, axes_of(layout), layout.src_offset, layout.dst_offset, moves);
  std::sort(moves.begin(), moves.end());
  return moves;
}

// What make_layout says of a problem that it refuses with an Error.
template <typename Error>
std::string message_of(int64_t elem_size, const Axes& axes) {
  try {
    layout_of(elem_size, axes);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

}  // namespace

TEST_CASE("a problem without axes is one element", "[layout]") {
  const Layout layout = layout_of(6, {});
  REQUIRE(layout.rank == 0);
  REQUIRE(layout.elem_size == 6);
  REQUIRE_FALSE(layout.empty);
  REQUIRE(byte_count(layout) == 6);
}

TEST_CASE("axes of extent 1 are dropped, whatever their strides", "[layout]") {
  const Layout layout = layout_of(4, {{1, -7, 0}, {3, 8, 20}, {1, 1 << 20, -5}});
  require_axes(layout, {{3, 8, 20}});
  REQUIRE(layout.src_offset == 0);
  REQUIRE(layout.dst_offset == 0);
}

TEST_CASE("axes come in the order of the destination, outermost first", "[layout]") {
  const Layout layout = layout_of(4, {{6, 32, 4}, {4, 192, 192}, {8, 4, 24}});
  require_axes(layout, {{4, 192, 192}, {8, 4, 24}, {6, 32, 4}});
}

TEST_CASE("neighbours that lie back to back on both sides become one axis", "[layout]") {
  SECTION("two axes move together") {
    require_axes(layout_of(4, {{5, 4, 96}, {2, 240, 48}, {3, 80, 16}, {4, 20, 4}}),
                 {{5, 4, 96}, {24, 20, 4}});
  }
  SECTION("so do axes of a broadcast source") {
    require_axes(layout_of(4, {{2, 0, 80}, {4, 0, 20}, {5, 4, 4}}), {{8, 0, 20}});
  }
  SECTION("not when only one side lies back to back") {
    require_axes(layout_of(4, {{2, 48, 40}, {3, 16, 12}, {3, 12, 4}}),
                 {{2, 48, 40}, {3, 16, 12}, {3, 12, 4}});
  }
}

TEST_CASE("an axis contiguous on both sides is folded into the element", "[layout]") {
  const Layout layout = layout_of(2, {{3, 10, 40}, {4, 30, 10}, {5, 2, 2}});
  REQUIRE(layout.elem_size == 10);
  require_axes(layout, {{3, 10, 40}, {4, 30, 10}});
}

TEST_CASE("a dense copy of any rank is one element", "[layout]") {
  const Layout layout =
      layout_of(8, {{3, 480, 480}, {1, 9, 9}, {5, 96, 96}, {3, 32, 32}, {4, 8, 8}});
  REQUIRE(layout.rank == 0);
  REQUIRE(layout.elem_size == 1440);
}

TEST_CASE("a negative destination stride becomes positive and turns the source round", "[layout]") {
  const Layout layout = layout_of(4, {{3, 20, -40}, {5, 4, 8}});
  require_axes(layout, {{3, -20, 40}, {5, 4, 8}});
  REQUIRE(layout.src_offset == 40);
  REQUIRE(layout.dst_offset == -80);
}

TEST_CASE("an axis reversed on both sides is a plain run", "[layout]") {
  const Layout layout = layout_of(4, {{10, -4, -4}});
  REQUIRE(layout.rank == 0);
  REQUIRE(layout.elem_size == 40);
  REQUIRE(layout.src_offset == -36);
  REQUIRE(layout.dst_offset == -36);
}

TEST_CASE("strides that are not nested keep their axes apart (SH-10)", "[layout]") {
  // as_strided((4, 5, 3, 2, 5), (150, 30, 10, 7, 1)) permuted (4, 1, 2, 3, 0): the axes of 30 and
  // 10 are nested, those of 10 and 7 are not.
  const Layout layout =
      layout_of(4, {{5, 4, 480}, {5, 120, 96}, {3, 40, 32}, {2, 28, 16}, {4, 600, 4}});
  require_axes(layout, {{5, 4, 480}, {15, 40, 32}, {2, 28, 16}, {4, 600, 4}});
}

TEST_CASE("a zero extent makes a problem empty, even beside huge extents (SH-05)", "[layout]") {
  const int64_t huge = int64_t{1} << 31;
  for (const Axes& axes : {Axes{{0, 4, 4}}, Axes{{huge, 4, 4}, {0, 4, 4}, {huge, 4, 4}},
                           Axes{{kMost, 1, 1}, {kMost, 1, 1}, {0, 1, 1}}}) {
    const Layout layout = layout_of(4, axes);
    REQUIRE(layout.empty);
    REQUIRE(byte_count(layout) == 0);
  }
}

TEST_CASE("a hundred axes of extent 1 leave one element (SH-20)", "[layout]") {
  REQUIRE(layout_of(4, Axes(100, {1, 4, 4})).rank == 0);
}

TEST_CASE("sixty-two binary axes fit when none can be merged (SH-20)", "[layout]") {
  Axes axes;
  for (int i = 0; i < 62; ++i) axes.push_back({2, int64_t{1} << i, int64_t{1} << (61 - i)});
  const Layout layout = layout_of(1, axes);
  require_axes(layout, axes);
  REQUIRE(byte_count(layout) == int64_t{1} << 62);
}

TEST_CASE("more bytes than 63 bits can count are a length_error", "[layout]") {
  const Axes binary(63, {2, 0, 1});
  const std::string message = message_of<std::length_error>(1, binary);
  REQUIRE(message == "the bytes to copy cannot be counted in 63 bits");
  REQUIRE(message_of<std::length_error>(4, {{kMost / 2, 4, 4}}) == message);
  REQUIRE(message_of<std::length_error>(kMost, {{2, 0, 1}}) == message);
  REQUIRE(layout_of(kMost, {}).elem_size == kMost);
}

TEST_CASE("an element size below 1 is an invalid_argument that names it", "[layout]") {
  for (const int64_t elem_size : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    const std::string message = message_of<std::invalid_argument>(elem_size, {{3, 4, 4}});
    REQUIRE(message == "elem_size must be at least 1, got " + std::to_string(elem_size));
  }
}

TEST_CASE("a negative extent is an invalid_argument that names it", "[layout]") {
  for (const Axes& axes : {Axes{{-3, 4, 4}}, Axes{{0, 4, 4}, {-3, 4, 4}}, Axes{{-3, 0, 0}}}) {
    const std::string message = message_of<std::invalid_argument>(4, axes);
    REQUIRE(message == "an extent must not be negative, got -3");
  }
}

TEST_CASE("a destination stride of 0 is an invalid_argument unless the extent is 1", "[layout]") {
  const std::string message = message_of<std::invalid_argument>(4, {{5, 4, 4}, {2, 20, 0}});
  REQUIRE(message.find("destination stride must not be 0") != std::string::npos);
  REQUIRE(layout_of(4, {{5, 4, 4}, {1, 20, 0}}).elem_size == 20);
}

TEST_CASE("a layout moves the very bytes of its problem, and keeps its invariants", "[layout]") {
  for (uint64_t seed = 0; seed < 6000 / kSlowdown; ++seed) {
    CAPTURE(seed);
    const CopyCase copy_case = random_case(seed, {0, 4000});
    const Problem problem{copy_case.elem_size, copy_case.axes};
    const Layout layout = make_layout(problem);
    INFO(describe(copy_case));
    REQUIRE(broken_invariant(layout) == "");
    REQUIRE(byte_count(layout) == byte_count(copy_case));
    REQUIRE(bool(moves_of(layout) == moves_of(problem)));
  }
}

TEST_CASE("normalising what is normal changes nothing", "[layout]") {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    const CopyCase copy_case = random_case(seed, kSmall);
    const Layout once = layout_of(copy_case.elem_size, copy_case.axes);
    if (once.empty) continue;
    const Layout twice = layout_of(once.elem_size, axes_of(once));
    REQUIRE(twice.elem_size == once.elem_size);
    require_axes(twice, axes_of(once));
    REQUIRE(twice.src_offset == 0);
    REQUIRE(twice.dst_offset == 0);
  }
}

}  // namespace hptp::test
