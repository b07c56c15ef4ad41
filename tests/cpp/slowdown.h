// Builds in which everything is slower: with a sanitizer, and under emulation.
#pragma once

#include <cstdint>

namespace hptp::test {

// How many times fewer random problems such a build tries.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HPTP_IS_SANITIZED
#endif
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define HPTP_IS_SANITIZED
#endif
#if defined(HPTP_IS_SANITIZED) || defined(__aarch64__)
inline constexpr uint64_t kSlowdown = 10;
#else
inline constexpr uint64_t kSlowdown = 1;
#endif

// For what only prepares or judges a copy, on one thread: the thread sanitizer need not follow it.
#define HPTP_ONE_THREAD __attribute__((no_sanitize("thread")))

}  // namespace hptp::test
