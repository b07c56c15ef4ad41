// The 16-byte and 32-byte registers of x86, for the AVX2 and AVX-512 tables. Included inside their
// regions.
#pragma once

struct Vector16 {
  using Register = __m128i;
  static constexpr int kLanes = 1;

  static HPTP_INLINE Register load(const std::byte* src) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(src));
  }
  static HPTP_INLINE Register load_lanes(const std::byte* base, const int64_t* offsets, int64_t) {
    return load(base + offsets[0]);
  }
  static HPTP_INLINE Register load_spread(const std::byte* src, int64_t) { return load(src); }
  static HPTP_INLINE void store(std::byte* dst, Register a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst), a);
  }
  static HPTP_INLINE void store_spread(std::byte* dst, int, Register a) { store(dst, a); }

  static HPTP_INLINE Register zero() { return _mm_setzero_si128(); }
  static HPTP_INLINE Register combine(Register a, Register b) { return _mm_or_si128(a, b); }
  static HPTP_INLINE Register shuffle(Register a, Register choice) {
    return _mm_shuffle_epi8(a, choice);
  }
  static HPTP_INLINE Register choices(const unsigned char* bytes) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  }

  template <int kElemSize>
  static HPTP_INLINE Register unpack_low(Register a, Register b) {
    if constexpr (kElemSize == 1) return _mm_unpacklo_epi8(a, b);
    if constexpr (kElemSize == 2) return _mm_unpacklo_epi16(a, b);
    if constexpr (kElemSize == 4) return _mm_unpacklo_epi32(a, b);
    if constexpr (kElemSize == 8) return _mm_unpacklo_epi64(a, b);
  }
  template <int kElemSize>
  static HPTP_INLINE Register unpack_high(Register a, Register b) {
    if constexpr (kElemSize == 1) return _mm_unpackhi_epi8(a, b);
    if constexpr (kElemSize == 2) return _mm_unpackhi_epi16(a, b);
    if constexpr (kElemSize == 4) return _mm_unpackhi_epi32(a, b);
    if constexpr (kElemSize == 8) return _mm_unpackhi_epi64(a, b);
  }
};

struct Vector32 {
  using Register = __m256i;
  static constexpr int kLanes = 2;

  static HPTP_INLINE Register join(__m128i low, __m128i high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
  }
  static HPTP_INLINE Register load(const std::byte* src) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src));
  }
  static HPTP_INLINE Register load_lanes(const std::byte* base, const int64_t* offsets,
                                         int64_t step) {
    return join(Vector16::load(base + offsets[0]), Vector16::load(base + offsets[step]));
  }
  static HPTP_INLINE Register load_spread(const std::byte* src, int64_t step) {
    return join(Vector16::load(src), Vector16::load(src + step));
  }
  static HPTP_INLINE void store(std::byte* dst, Register a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), a);
  }
  static HPTP_INLINE void store_spread(std::byte* dst, int step, Register a) {
    Vector16::store(dst, _mm256_castsi256_si128(a));
    Vector16::store(dst + step, _mm256_extracti128_si256(a, 1));
  }

  static HPTP_INLINE Register zero() { return _mm256_setzero_si256(); }
  static HPTP_INLINE Register combine(Register a, Register b) { return _mm256_or_si256(a, b); }
  static HPTP_INLINE Register shuffle(Register a, Register choice) {
    return _mm256_shuffle_epi8(a, choice);
  }
  static HPTP_INLINE Register choices(const unsigned char* bytes) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  }

  template <int kElemSize>
  static HPTP_INLINE Register unpack_low(Register a, Register b) {
    if constexpr (kElemSize == 1) return _mm256_unpacklo_epi8(a, b);
    if constexpr (kElemSize == 2) return _mm256_unpacklo_epi16(a, b);
    if constexpr (kElemSize == 4) return _mm256_unpacklo_epi32(a, b);
    if constexpr (kElemSize == 8) return _mm256_unpacklo_epi64(a, b);
  }
  template <int kElemSize>
  static HPTP_INLINE Register unpack_high(Register a, Register b) {
    if constexpr (kElemSize == 1) return _mm256_unpackhi_epi8(a, b);
    if constexpr (kElemSize == 2) return _mm256_unpackhi_epi16(a, b);
    if constexpr (kElemSize == 4) return _mm256_unpackhi_epi32(a, b);
    if constexpr (kElemSize == 8) return _mm256_unpackhi_epi64(a, b);
  }
};

void finish_streams() noexcept { _mm_sfence(); }
