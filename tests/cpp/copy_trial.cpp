#include "copy_trial.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace hptp::test {
namespace {

int64_t size_of(Reach reach) noexcept { return reach.high - reach.low; }

std::string describe(Placement placement) {
  const char* const side =
      placement.fence == Fence::kBefore ? "after its fence" : "before its fence";
  return std::to_string(placement.gap) + " bytes " + side;
}

// The first place where two regions of the same size differ, or their size.
int64_t first_difference(const std::byte* left, const std::byte* right, int64_t size) noexcept {
  if (size == 0 || std::memcmp(left, right, static_cast<size_t>(size)) == 0) return size;
  return std::mismatch(left, left + size, right).first - left;
}

}  // namespace

int64_t byte_count(const CopyCase& copy_case) noexcept {
  int64_t bytes = copy_case.elem_size;
  for (const Axis& axis : copy_case.axes) bytes *= axis.extent;
  return bytes;
}

std::string describe(const CopyCase& copy_case) {
  std::ostringstream text;
  text << "elem_size " << copy_case.elem_size << ", axes {extent, src_stride, dst_stride}:";
  for (const Axis& axis : copy_case.axes) {
    text << " {" << axis.extent << ", " << axis.src_stride << ", " << axis.dst_stride << "}";
  }
  text << ", src " << describe(copy_case.src) << ", dst " << describe(copy_case.dst);
  return text.str();
}

CopyTrial::CopyTrial(CopyCase copy_case)
    : case_(std::move(copy_case)),
      src_reach_(reach_along(case_.elem_size, case_.axes, &Axis::src_stride)),
      dst_reach_(reach_along(case_.elem_size, case_.axes, &Axis::dst_stride)),
      src_(size_of(src_reach_), case_.src),
      dst_(size_of(dst_reach_), case_.dst),
      expected_(static_cast<size_t>(dst_.size()), kPoison) {
  src_.poison();
  fill_distinct(src_.begin(), src_.size(), case_.fill_seed);
  src_.make_read_only();
  poison();
  if (expected_.empty()) return;  // nothing to expect, and a null pointer must not be moved
  copy_by_loops(case_.elem_size, case_.axes, src(), expected_.data() - dst_reach_.low);
}

std::string CopyTrial::fault() const {
  std::ostringstream text;
  const int64_t wrong = first_difference(dst_.begin(), expected_.data(), dst_.size());
  if (wrong < dst_.size()) {
    const auto is = std::to_integer<int>(dst_.begin()[wrong]);
    const auto must_be = std::to_integer<int>(expected_[static_cast<size_t>(wrong)]);
    const auto unwritten = std::to_integer<int>(kPoison);
    text << "byte " << wrong + dst_reach_.low << " of the destination "
         << (must_be == unwritten ? "is in a gap and was written"
             : is == unwritten    ? "was not written"
                                  : "has the wrong value");
  } else if (const auto outside = dst_.first_write_outside()) {
    text << "byte " << *outside + dst_reach_.low << ", outside the destination, was written";
  } else {
    return "";
  }
  text << "; " << describe(case_);
  return text.str();
}

}  // namespace hptp::test
