// The kernel table of AVX-512 (F, BW, VL): registers of a whole cache line.
#if defined(__x86_64__)

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "kernel.h"
#include "tables.h"
#include "target.h"

// GCC 12 warns of its own header: _mm_undefined_si128() inside the intrinsics (GCC bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

HPTP_TARGET_BEGIN("avx2,avx512f,avx512bw,avx512vl,avx512dq")
namespace hptp {
namespace {

#include "x86.inl.h"

struct Vector64 {
  using Register = __m512i;
  static constexpr int kLanes = 4;

  static HPTP_INLINE Register join(__m128i lane0, __m128i lane1, __m128i lane2, __m128i lane3) {
    Register joined = _mm512_castsi128_si512(lane0);
    joined = _mm512_inserti32x4(joined, lane1, 1);
    joined = _mm512_inserti32x4(joined, lane2, 2);
    return _mm512_inserti32x4(joined, lane3, 3);
  }
  static HPTP_INLINE Register load(const std::byte* src) { return _mm512_loadu_si512(src); }
  static HPTP_INLINE Register load_lanes(const std::byte* base, const int64_t* offsets,
                                         int64_t step) {
    return join(Vector16::load(base + offsets[0]), Vector16::load(base + offsets[step]),
                Vector16::load(base + offsets[2 * step]), Vector16::load(base + offsets[3 * step]));
  }
  static HPTP_INLINE Register load_spread(const std::byte* src, int64_t step) {
    return join(Vector16::load(src), Vector16::load(src + step), Vector16::load(src + 2 * step),
                Vector16::load(src + 3 * step));
  }
  static HPTP_INLINE void store(std::byte* dst, Register a) { _mm512_storeu_si512(dst, a); }
  static HPTP_INLINE void store_spread(std::byte* dst, int step, Register a) {
    Vector16::store(dst, _mm512_castsi512_si128(a));
    Vector16::store(dst + step, _mm512_extracti32x4_epi32(a, 1));
    Vector16::store(dst + 2 * step, _mm512_extracti32x4_epi32(a, 2));
    Vector16::store(dst + 3 * step, _mm512_extracti32x4_epi32(a, 3));
  }

  static HPTP_INLINE Register zero() { return _mm512_setzero_si512(); }
  static HPTP_INLINE Register combine(Register a, Register b) { return _mm512_or_si512(a, b); }
  static HPTP_INLINE Register shuffle(Register a, Register choice) {
    return _mm512_shuffle_epi8(a, choice);
  }
  static HPTP_INLINE Register choices(const unsigned char* bytes) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  }

  template <int kElemSize>
  static HPTP_INLINE Register unpack_low(Register a, Register b) {
    if constexpr (kElemSize == 1) return _mm512_unpacklo_epi8(a, b);
    if constexpr (kElemSize == 2) return _mm512_unpacklo_epi16(a, b);
    if constexpr (kElemSize == 4) return _mm512_unpacklo_epi32(a, b);
    if constexpr (kElemSize == 8) return _mm512_unpacklo_epi64(a, b);
  }
  template <int kElemSize>
  static HPTP_INLINE Register unpack_high(Register a, Register b) {
    if constexpr (kElemSize == 1) return _mm512_unpackhi_epi8(a, b);
    if constexpr (kElemSize == 2) return _mm512_unpackhi_epi16(a, b);
    if constexpr (kElemSize == 4) return _mm512_unpackhi_epi32(a, b);
    if constexpr (kElemSize == 8) return _mm512_unpackhi_epi64(a, b);
  }
};

using Line = __m512i;

HPTP_INLINE Line load_line(const std::byte* src) { return Vector64::load(src); }

HPTP_INLINE void store_line(std::byte* dst, Line line) { Vector64::store(dst, line); }

HPTP_INLINE void stream_line(std::byte* dst, Line line) {
  _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), line);
}

#include "table.inl.h"

}  // namespace
}  // namespace hptp
HPTP_TARGET_END

namespace hptp {
namespace {

bool is_supported() noexcept {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

}  // namespace

constinit const KernelTable kAvx512Table =
    make_simd_table<Vector64, Vector16>("avx512", is_supported);

}  // namespace hptp

#endif
