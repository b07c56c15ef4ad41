// Random numbers that are the same on every machine and with every standard library, so that a seed
// printed by a failing test gives the same problem everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace hptp::test {

// SplitMix64's output function: every bit of the result depends on every bit of `x`.
constexpr uint64_t mix(uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

class Dice {
 public:
  explicit Dice(uint64_t seed) noexcept : state_(mix(seed)) {}

  uint64_t next() noexcept { return mix(state_++); }

  // A number in [low, high]. The bias of the remainder is of no matter at these sizes.
  int64_t between(int64_t low, int64_t high) noexcept {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }

  bool one_in(int64_t count) noexcept { return between(1, count) == 1; }

  int64_t pick(std::initializer_list<int64_t> values) noexcept {
    return values.begin()[between(0, static_cast<int64_t>(values.size()) - 1)];
  }

  template <typename T>
  void shuffle(std::vector<T>& values) noexcept {
    for (size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<size_t>(next() % i)]);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace hptp::test
