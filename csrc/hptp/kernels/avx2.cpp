// The kernel table of AVX2: registers of 32 bytes, two of them a cache line.
#if defined(__x86_64__)

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "kernel.h"
#include "tables.h"
#include "target.h"

HPTP_TARGET_BEGIN("avx2")
namespace hptp {
namespace {

#include "x86.inl.h"

struct Line {
  __m256i low;
  __m256i high;
};

HPTP_INLINE Line load_line(const std::byte* src) {
  return {Vector32::load(src), Vector32::load(src + 32)};
}

HPTP_INLINE void store_line(std::byte* dst, const Line& line) {
  Vector32::store(dst, line.low);
  Vector32::store(dst + 32, line.high);
}

HPTP_INLINE void stream_line(std::byte* dst, const Line& line) {
  _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), line.low);
  _mm256_stream_si256(reinterpret_cast<__m256i*>(dst + 32), line.high);
}

#include "table.inl.h"

}  // namespace
}  // namespace hptp
HPTP_TARGET_END

namespace hptp {
namespace {

bool is_supported() noexcept { return __builtin_cpu_supports("avx2"); }

}  // namespace

constinit const KernelTable kAvx2Table = make_simd_table<Vector32, Vector16>("avx2", is_supported);

}  // namespace hptp

#endif
