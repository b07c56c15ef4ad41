// Planes to pixels and back for 2, 3 and 4 channels. Written once and included by the source file
// of every SIMD instruction set, inside its region, after move.inl.h.
//
// In every lane, 16 bytes of each of the K planes and the K * 16 bytes of the pixels they form are
// permutations of one another, so each output register is the union of one byte shuffle of each
// input register. The shuffles are worked out by the compiler; those that select nothing vanish.
//
// Example, 3 channels of 1 byte: the first 16 bytes of the pixels, R0 G0 B0 R1 ... R5, take bytes
// 0 1 2 3 4 5 of the R plane to places 0 3 6 9 12 15, and likewise G and B.
//
// A Vector gives, besides what rect.inl.h asks for:
//   load(src): kLanes * 16 contiguous bytes;
//   load_spread(src, step): lane l is the 16 bytes at src + l * step;  store_spread: the inverse;
//   shuffle(register, choice): lane by lane, byte i becomes byte choice[i], or 0 for kNoByte;
//   combine(a, b): bitwise or;  choices(bytes): 16 choices, in every lane.
#pragma once

#include "move.inl.h"

struct Choices {
  unsigned char bytes[16];
  bool any;
};

enum class Direction { to_pixels, to_planes };

// Which bytes of input register `from` belong to output register `to`, and where.
template <int kChannels, int kElemSize, Direction kDirection>
constexpr Choices choose_bytes(int from, int to) {
  Choices choices = {};
  for (int i = 0; i < 16; ++i) {
    const int at = to * 16 + i;  // the byte among the kChannels * 16 bytes of output
    int channel = 0;
    int position = 0;
    int byte = at % kElemSize;
    int source = 0;
    if (kDirection == Direction::to_pixels) {
      channel = (at / kElemSize) % kChannels;
      position = at / (kElemSize * kChannels);
      source = channel * 16 + position * kElemSize + byte;
    } else {
      channel = to;
      position = i / kElemSize;
      source = (position * kChannels + channel) * kElemSize + byte;
    }
    const bool here = source / 16 == from;
    choices.bytes[i] = here ? static_cast<unsigned char>(source % 16) : kNoByte;
    choices.any = choices.any || here;
  }
  return choices;
}

template <class Vector, int kChannels>
struct Group {
  typename Vector::Register parts[size_t{kChannels}];
};

template <class Vector, int kChannels, int kElemSize, Direction kDirection, int kTo, int kFrom>
HPTP_INLINE void add_bytes(const Group<Vector, kChannels>& in, typename Vector::Register& out) {
  static constexpr Choices kChoices = choose_bytes<kChannels, kElemSize, kDirection>(kFrom, kTo);
  if constexpr (kChoices.any) {
    out = Vector::combine(out, Vector::shuffle(in.parts[kFrom], Vector::choices(kChoices.bytes)));
  }
  if constexpr (kFrom + 1 < kChannels) {
    add_bytes<Vector, kChannels, kElemSize, kDirection, kTo, kFrom + 1>(in, out);
  }
}

template <class Vector, int kChannels, int kElemSize, Direction kDirection, int kTo>
HPTP_INLINE void regroup(const Group<Vector, kChannels>& in, Group<Vector, kChannels>& out) {
  out.parts[kTo] = Vector::zero();
  add_bytes<Vector, kChannels, kElemSize, kDirection, kTo, 0>(in, out.parts[kTo]);
  if constexpr (kTo + 1 < kChannels) {
    regroup<Vector, kChannels, kElemSize, kDirection, kTo + 1>(in, out);
  }
}

template <class Vector, int kChannels, int kElemSize>
void interleave(const std::byte* src, const int64_t* planes, std::byte* dst, int64_t positions,
                int64_t fetch_ahead) noexcept {
  constexpr int64_t kStep = Vector::kLanes * 16 / kElemSize;
  if (positions < kStep) {
    return interleave_each<kChannels, kElemSize>(src, planes, dst, positions, 0);
  }
  const std::byte* plane[size_t{kChannels}];
  for (int k = 0; k < kChannels; ++k) plane[k] = src + planes[k];
  for (int64_t start = 0; start < positions; start += kStep) {
    const int64_t p = start + kStep <= positions ? start : positions - kStep;
    Group<Vector, kChannels> in;
    Group<Vector, kChannels> out;
    HPTP_UNROLL
    for (int k = 0; k < kChannels; ++k) {
      __builtin_prefetch(plane[k] + p * kElemSize + fetch_ahead);
      in.parts[k] = Vector::load(plane[k] + p * kElemSize);
    }
    regroup<Vector, kChannels, kElemSize, Direction::to_pixels, 0>(in, out);
    std::byte* const to = dst + p * kChannels * kElemSize;
    HPTP_UNROLL
    for (int k = 0; k < kChannels; ++k)
      Vector::store_spread(to + 16 * k, 16 * kChannels, out.parts[k]);
  }
}

template <class Vector, int kChannels, int kElemSize>
void deinterleave(const std::byte* src, std::byte* dst, const int64_t* planes, int64_t positions,
                  int64_t fetch_ahead) noexcept {
  constexpr int64_t kStep = Vector::kLanes * 16 / kElemSize;
  if (positions < kStep) {
    return deinterleave_each<kChannels, kElemSize>(src, dst, planes, positions, 0);
  }
  std::byte* plane[size_t{kChannels}];
  for (int k = 0; k < kChannels; ++k) plane[k] = dst + planes[k];
  for (int64_t start = 0; start < positions; start += kStep) {
    const int64_t p = start + kStep <= positions ? start : positions - kStep;
    const std::byte* const from = src + p * kChannels * kElemSize;
    for (int64_t at = 0; at < kStep * kChannels * kElemSize; at += 64) {
      __builtin_prefetch(from + fetch_ahead + at);
    }
    Group<Vector, kChannels> in;
    Group<Vector, kChannels> out;
    HPTP_UNROLL
    for (int k = 0; k < kChannels; ++k)
      in.parts[k] = Vector::load_spread(from + 16 * k, 16 * kChannels);
    regroup<Vector, kChannels, kElemSize, Direction::to_planes, 0>(in, out);
    HPTP_UNROLL
    for (int k = 0; k < kChannels; ++k) Vector::store(plane[k] + p * kElemSize, out.parts[k]);
  }
}
