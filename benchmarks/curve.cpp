// One curve of speed over size: square matrices, or eight of them, transposed through the front
// desk, plan included, next to memcpy of the same bytes, on one thread.
//
//   hptp_curve BATCH ELEM_SIZE MAX_BYTES SECONDS
//
// The extents n are 2^k and 3 * 2^k, with n - 1 and n + 1, from 16 KiB of elements on. Prints one
// line a point, `isa,n,bytes,ours_seconds,memcpy_seconds`: the shortest turn, divided by the calls
// in it. A turn repeats a small copy until it lasts a millisecond or so, so that the clock does not
// count. `benchmarks/curve.py` runs this for all element sizes and looks for cliffs.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "hptp/hptp.h"

namespace {

constexpr int64_t kMinBytes = 16 * 1024;
constexpr int64_t kTurnBytes = 4 << 20;  // about a millisecond of copying at 10^9 bytes a second
constexpr int kMinRounds = 3;
constexpr int kMaxRounds = 15;
constexpr size_t kAlignment = 64;  // that of torch's allocator
constexpr int kSamples = 4096;

using Clock = std::chrono::steady_clock;
using Buffer = std::unique_ptr<std::byte, decltype(&std::free)>;

struct Curve {
  int64_t batch;
  int64_t elem_size;
  int64_t max_bytes;
  double seconds;  // of calls at a point, unless that would be too few of them
};

struct Point {
  int64_t nbytes = 0;
  double ours_seconds = std::numeric_limits<double>::infinity();
  double memcpy_seconds = std::numeric_limits<double>::infinity();
};

int64_t bytes_of(const Curve& curve, int64_t n) { return curve.batch * n * n * curve.elem_size; }

// 2^k and 3 * 2^k in rising order, each with its two neighbours.
std::vector<int64_t> extents_of(const Curve& curve) {
  std::vector<int64_t> extents;
  for (int64_t power = 2; bytes_of(curve, power) <= curve.max_bytes; power *= 2) {
    for (int64_t n : {power, power / 2 * 3}) {
      if (bytes_of(curve, n) < kMinBytes || bytes_of(curve, n) > curve.max_bytes) continue;
      extents.insert(extents.end(), {n - 1, n, n + 1});
    }
  }
  return extents;
}

Buffer make_buffer(int64_t nbytes) {
  const auto rounded = (static_cast<size_t>(nbytes) + kAlignment - 1) / kAlignment * kAlignment;
  auto* bytes = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
  if (bytes == nullptr) throw std::bad_alloc();
  return {bytes, &std::free};
}

// Writes every page, and no two elements near each other alike.
void fill(std::byte* bytes, int64_t nbytes) {
  uint64_t state = 20;
  for (int64_t i = 0; i < nbytes; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = static_cast<std::byte>(state >> 56);
  }
}

// Axes in the order of the destination: which matrix, its row, its column.
std::vector<hptp::Axis> axes_of(const Curve& curve, int64_t n) {
  const int64_t row_bytes = n * curve.elem_size;
  return {{curve.batch, n * row_bytes, n * row_bytes},
          {n, curve.elem_size, row_bytes},
          {n, row_bytes, curve.elem_size}};
}

// Looks at elements all over the destination: a fast copy of the wrong bytes is no point.
bool is_transposed(const Curve& curve, int64_t n, const std::byte* src, const std::byte* dst) {
  const int64_t count = curve.batch * n * n;
  const int64_t step = std::max<int64_t>(1, count / kSamples);
  for (int64_t i = 0; i < count; i += step) {
    const int64_t matrix = i / (n * n), row = i / n % n, column = i % n;
    const int64_t from = matrix * n * n + column * n + row;
    if (std::memcmp(dst + i * curve.elem_size, src + from * curve.elem_size,
                    static_cast<size_t>(curve.elem_size)) != 0) {
      return false;
    }
  }
  return true;
}

template <class Call>
double seconds_a_call(int64_t repeats, const Call& call) {
  const auto begin = Clock::now();
  for (int64_t i = 0; i < repeats; ++i) call();
  return std::chrono::duration<double>(Clock::now() - begin).count() / static_cast<double>(repeats);
}

Point measure(const Curve& curve, int64_t n, const std::byte* src, std::byte* dst) {
  const std::vector<hptp::Axis> axes = axes_of(curve, n);
  const hptp::Problem problem{curve.elem_size, axes};
  Point point{.nbytes = bytes_of(curve, n)};
  const auto ours = [&] { hptp::copy_strided(problem, src, dst, 1, hptp::run_serially); };
  const auto copy = [&] { std::memcpy(dst, src, static_cast<size_t>(point.nbytes)); };
  copy();
  ours();
  if (!is_transposed(curve, n, src, dst)) {
    std::fprintf(stderr, "hptp_curve: wrong bytes at n = %lld\n", static_cast<long long>(n));
    std::exit(1);
  }
  const int64_t repeats = std::max<int64_t>(1, kTurnBytes / point.nbytes);
  const auto begin = Clock::now();
  for (int round = 0; round < kMaxRounds; ++round) {
    point.ours_seconds = std::min(point.ours_seconds, seconds_a_call(repeats, ours));
    point.memcpy_seconds = std::min(point.memcpy_seconds, seconds_a_call(repeats, copy));
    const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
    if (round + 1 >= kMinRounds && spent > curve.seconds) break;
  }
  return point;
}

void run(const Curve& curve) {
  const std::vector<int64_t> extents = extents_of(curve);
  if (extents.empty()) return;
  const int64_t most = bytes_of(curve, *std::max_element(extents.begin(), extents.end()));
  const Buffer src = make_buffer(most), dst = make_buffer(most);
  fill(src.get(), most);
  std::memset(dst.get(), 1, static_cast<size_t>(most));
  for (int64_t n : extents) {
    const Point point = measure(curve, n, src.get(), dst.get());
    std::printf("%s,%lld,%lld,%.9g,%.9g\n", hptp::isa_name(), static_cast<long long>(n),
                static_cast<long long>(point.nbytes), point.ours_seconds, point.memcpy_seconds);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: hptp_curve BATCH ELEM_SIZE MAX_BYTES SECONDS\n");
    return 2;
  }
  try {
    run({std::atoll(argv[1]), std::atoll(argv[2]), std::atoll(argv[3]), std::atof(argv[4])});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hptp_curve: %s\n", error.what());
    return 1;
  }
  return 0;
}
