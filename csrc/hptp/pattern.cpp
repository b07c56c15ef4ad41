#include "pattern.h"

#include <algorithm>

#include "check.h"

namespace hptp {
namespace {

// The bytes of the source that some elements span, from the first one on.
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
};

Span span_of(const Chain& period, const Axis& repeat, int64_t elem_size, int64_t periods) noexcept {
  Span span = {0, elem_size};
  const auto add = [&span](int64_t reach) { (reach < 0 ? span.begin : span.end) += reach; };
  for (int i = 0; i < period.rank; ++i) {
    add((period.axes[i].extent - 1) * period.axes[i].src_stride);
  }
  add((periods - 1) * repeat.src_stride);
  return span;
}

int64_t chunks_for(int64_t bytes) noexcept { return (bytes + kChunkBytes - 1) / kChunkBytes; }

// Where each byte of a round comes from.
void find_sources(const Chain& period, const Axis& repeat, int64_t elem_size, int64_t periods,
                  int64_t* sources) noexcept {
  for (int64_t p = 0; p < periods * period.total; ++p) {
    int64_t index = p;
    int64_t offset = 0;
    for (int i = 0; i < period.rank; ++i) {
      const Axis& axis = period.axes[i];
      offset += index % axis.extent * axis.src_stride;
      index /= axis.extent;
    }
    offset += index * repeat.src_stride;
    for (int64_t byte = 0; byte < elem_size; ++byte) *sources++ = offset + byte;
  }
}

// The windows that give the kChunkBytes bytes of `sources`, each as far forward as it can be.
// Returns how many there are.
int64_t add_windows(const int64_t* sources, const Span& span, Window* windows) noexcept {
  int64_t count = 0;
  bool found[kChunkBytes] = {};
  for (;;) {
    int64_t first = span.end;
    for (int i = 0; i < kChunkBytes; ++i) {
      if (!found[i]) first = std::min(first, sources[i]);
    }
    if (first == span.end) return count;
    Window& window = windows[count++];
    window.src_offset = std::min(first, span.end - kChunkBytes);
    for (int i = 0; i < kChunkBytes; ++i) {
      const int64_t at = sources[i] - window.src_offset;
      const bool is_here = !found[i] && at >= 0 && at < kChunkBytes;
      window.choice[i] = is_here ? static_cast<unsigned char>(at) : kNoByte;
      found[i] = found[i] || is_here;
    }
  }
}

}  // namespace

int64_t choose_periods(const Chain& period, const Axis& repeat, int64_t elem_size) noexcept {
  const int64_t bytes = period.total * elem_size;
  for (int64_t periods = 1; periods * bytes <= kMaxPatternBytes; ++periods) {
    const Span span = span_of(period, repeat, elem_size, periods);
    const bool is_long = periods * bytes >= kChunkBytes && span.end - span.begin >= kChunkBytes;
    const int64_t chunk_bytes = chunks_for(periods * bytes) * kChunkBytes;
    if (is_long && periods * bytes * 8 >= chunk_bytes * 7) return periods;
  }
  return 0;
}

void build_pattern(const Chain& period, const Axis& repeat, int64_t elem_size, int64_t periods,
                   Pattern& pattern) noexcept {
  const int64_t bytes = periods * period.total * elem_size;
  const Span span = span_of(period, repeat, elem_size, periods);
  HPTP_DCHECK(kChunkBytes <= bytes && bytes <= kMaxPatternBytes);
  HPTP_DCHECK(span.end - span.begin >= kChunkBytes);
  int64_t sources[kMaxPatternBytes];
  find_sources(period, repeat, elem_size, periods, sources);
  pattern.chunk_count = static_cast<int>(chunks_for(bytes));
  Window* windows = pattern.windows;
  for (int c = 0; c < pattern.chunk_count; ++c) {
    // The last chunk ends where the round ends, and writes some bytes a second time.
    const int64_t start = std::min<int64_t>(c * kChunkBytes, bytes - kChunkBytes);
    const int64_t count = add_windows(sources + start, span, windows);
    pattern.chunks[c] = {start, count};
    windows += count;
  }
}

}  // namespace hptp
