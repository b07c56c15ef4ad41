// The kernel table of NEON, which every aarch64 processor has: registers of 16 bytes. There is no
// streaming store of a whole line to rely on, so the streaming kernel stores in the ordinary way.
#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstdint>
#include <cstring>

#include "kernel.h"
#include "tables.h"
#include "target.h"

namespace hptp {
namespace {

struct Vector {
  using Register = uint8x16_t;
  static constexpr int kLanes = 1;

  static HPTP_INLINE Register load(const std::byte* src) {
    return vld1q_u8(reinterpret_cast<const uint8_t*>(src));
  }
  static HPTP_INLINE Register load_lanes(const std::byte* base, const int64_t* offsets, int64_t) {
    return load(base + offsets[0]);
  }
  static HPTP_INLINE Register load_spread(const std::byte* src, int64_t) { return load(src); }
  static HPTP_INLINE void store(std::byte* dst, Register a) {
    vst1q_u8(reinterpret_cast<uint8_t*>(dst), a);
  }
  static HPTP_INLINE void store_spread(std::byte* dst, int, Register a) { store(dst, a); }

  static HPTP_INLINE Register zero() { return vdupq_n_u8(0); }
  static HPTP_INLINE Register combine(Register a, Register b) { return vorrq_u8(a, b); }
  static HPTP_INLINE Register shuffle(Register a, Register choice) { return vqtbl1q_u8(a, choice); }
  static HPTP_INLINE Register choices(const unsigned char* bytes) { return vld1q_u8(bytes); }

  template <int kElemSize>
  static HPTP_INLINE Register unpack_low(Register a, Register b) {
    if constexpr (kElemSize == 1) return vzip1q_u8(a, b);
    if constexpr (kElemSize == 2) {
      return vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
    }
    if constexpr (kElemSize == 4) {
      return vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
    }
    if constexpr (kElemSize == 8) {
      return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
    }
  }
  template <int kElemSize>
  static HPTP_INLINE Register unpack_high(Register a, Register b) {
    if constexpr (kElemSize == 1) return vzip2q_u8(a, b);
    if constexpr (kElemSize == 2) {
      return vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
    }
    if constexpr (kElemSize == 4) {
      return vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
    }
    if constexpr (kElemSize == 8) {
      return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
    }
  }
};

#include "plain_line.inl.h"

void finish_streams() noexcept {}

bool is_supported() noexcept { return true; }

#include "table.inl.h"

}  // namespace

constinit const KernelTable kNeonTable = make_simd_table<Vector, Vector>("neon", is_supported);

}  // namespace hptp

#endif
