// Random problems, each made from one seed. They come in families, so that every kind of plan,
// every kernel and every odd edge is met often, and not only what uniformly random axes would give.
#pragma once

#include <cstdint>

#include "copy_trial.h"
#include "slowdown.h"

namespace hptp::test {

// How large a random problem is, in bytes that it writes. A problem may be smaller than `least`
// where its family has no axis that can grow, and larger than `most` by no more than an element.
struct SizeRange {
  int64_t least = 0;
  int64_t most = 40'000;
};

inline constexpr SizeRange kSmall{0, 40'000};
inline constexpr SizeRange kLarge{2'200'000, 6'000'000};

CopyCase random_case(uint64_t seed, SizeRange size);

}  // namespace hptp::test
