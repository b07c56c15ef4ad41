// One copy with all that is needed to judge it: a fenced, read-only source of distinct bytes, a
// fenced and poisoned destination, and what the oracle says the destination must hold afterwards.
//
// Example:
//   CopyTrial trial({4, {{5, 4, 12}, {3, 20, 4}}});
//   hptp::copy_strided(trial.problem(), trial.src(), trial.dst(), 1, hptp::run_serially);
//   REQUIRE(trial.fault() == "");
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layout.h"
#include "memory.h"
#include "reference.h"

namespace hptp::test {

struct CopyCase {
  int64_t elem_size = 1;
  std::vector<Axis> axes;
  Placement src = {};
  Placement dst = {};
  uint64_t fill_seed = 0;
};

// Bytes that a case moves.
int64_t byte_count(const CopyCase& copy_case) noexcept;

// The case in words, to be printed beside a fault.
std::string describe(const CopyCase& copy_case);

class CopyTrial {
 public:
  explicit CopyTrial(CopyCase copy_case);

  Problem problem() const noexcept { return {case_.elem_size, case_.axes}; }
  const CopyCase& copy_case() const noexcept { return case_; }

  // The element whose every index is 0, on either side.
  const std::byte* src() const noexcept { return src_.begin() - src_reach_.low; }
  std::byte* dst() const noexcept { return dst_.begin() - dst_reach_.low; }

  // Every byte from the first that the copy may write to the last.
  std::span<std::byte> dst_region() const noexcept {
    return {dst_.begin(), static_cast<size_t>(dst_.size())};
  }

  // Forgets what was written, so that the same trial serves another run.
  void poison() const noexcept { dst_.poison(); }

  // What is wrong after a copy: a place that was missed, written wrongly or written without being
  // asked for. Empty when all is as it must be.
  std::string fault() const;

  // The fault after `run(problem, src, dst)` on a freshly poisoned destination.
  template <typename Run>
  std::string fault_after(Run run) const {
    poison();
    run(problem(), src(), dst());
    return fault();
  }

 private:
  CopyCase case_;
  Reach src_reach_;
  Reach dst_reach_;
  FencedMemory src_;
  FencedMemory dst_;
  std::vector<std::byte> expected_;
};

}  // namespace hptp::test
