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

HPTP_INLINE void stream_line(const std::byte* src, std::byte* dst) {
  const __m256i low = Vector32::load(src);
  const __m256i high = Vector32::load(src + 32);
  _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), low);
  _mm256_stream_si256(reinterpret_cast<__m256i*>(dst + 32), high);
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
