// Rows moved whole, by ordinary or by streaming stores. Included by the source file of every
// instruction set, inside its region.
//
// Out of cache an ordinary store reads the line it writes to first, which makes three transfers of
// two. A streaming store of a whole line does not. It is the wrong choice for lines that are still
// wanted in cache, and for part of a line: the ends of a row that share their line with something
// else are stored in the ordinary way.
//
// The including file gives `Line`, 64 bytes in registers: load_line(src), store_line(dst, line) and
// stream_line(dst, line), whose dst is aligned.
#pragma once

#include "move.inl.h"

HPTP_INLINE void move_line(const std::byte* src, std::byte* dst) {
  store_line(dst, load_line(src));
}

// What a copy of a row asks the cache for on its way: nothing, or the same place of a later row.
struct NothingAhead {
  HPTP_INLINE void fetch(int64_t) const {}
};

struct RowAhead {
  const std::byte* row;
  HPTP_INLINE void fetch(int64_t at) const { __builtin_prefetch(row + at); }
};

template <class Ahead>
HPTP_INLINE void copy_row(const std::byte* src, std::byte* dst, int64_t bytes, const Ahead& ahead) {
  if (bytes < kLineBytes) {
    ahead.fetch(0);
    return move_short(src, dst, bytes);
  }
  int64_t done = 0;
  for (; done + 2 * kLineBytes <= bytes; done += 2 * kLineBytes) {
    ahead.fetch(done);
    ahead.fetch(done + kLineBytes);
    const Line first = load_line(src + done);
    const Line second = load_line(src + done + kLineBytes);
    store_line(dst + done, first);
    store_line(dst + done + kLineBytes, second);
  }
  if (done < bytes) ahead.fetch(done);
  if (done + kLineBytes <= bytes) move_line(src + done, dst + done);
  // The last, partial line reaches back into the one before: the same bytes a second time.
  if (bytes % kLineBytes != 0) move_line(src + bytes - kLineBytes, dst + bytes - kLineBytes);
}

HPTP_INLINE void stream_row(const std::byte* src, std::byte* dst, int64_t bytes) {
  const int64_t lead = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(dst) % kLineBytes);
  if (bytes < lead + kLineBytes) return copy_row(src, dst, bytes, NothingAhead{});
  if (lead != 0) move_short(src, dst, lead);
  int64_t done = lead;
  for (; done + 2 * kLineBytes <= bytes; done += 2 * kLineBytes) {
    const Line first = load_line(src + done);
    const Line second = load_line(src + done + kLineBytes);
    stream_line(dst + done, first);
    stream_line(dst + done + kLineBytes, second);
  }
  if (done + kLineBytes <= bytes) {
    stream_line(dst + done, load_line(src + done));
    done += kLineBytes;
  }
  if (done < bytes) move_short(src + done, dst + done, bytes - done);
}

struct RowMove {
  int64_t bytes;
  HPTP_INLINE void operator()(const std::byte* from, std::byte* to) const {
    copy_row(from, to, bytes, NothingAhead{});
  }
};

// 64 <= bytes <= 128
struct TwoLinesMove {
  int64_t bytes;
  HPTP_INLINE void operator()(const std::byte* from, std::byte* to) const {
    const Line first = load_line(from);
    const Line last = load_line(from + bytes - kLineBytes);
    store_line(to, first);
    store_line(to + bytes - kLineBytes, last);
  }
};

// Short rows have loops of their own, which decide nothing for each row. EPYC 7xx3, one thread,
// rows of 32, 48, 64, 96 bytes, 512 KiB, share of memcpy: 0.65 0.61 0.71 0.87 against 0.27 0.38
// 0.49 0.75.
void copy_rows(const std::byte* src, const int64_t* src_rows, std::byte* dst,
               const int64_t* dst_rows, int64_t rows, int64_t row_bytes) noexcept {
  const GatherEach each{src, src_rows, dst, dst_rows, rows, row_bytes};
  if (row_bytes == 32) return each(FixedMove<32>{});
  if (row_bytes > 32 && row_bytes < 64) return each(OverlappingMove<32>{row_bytes});
  if (row_bytes >= 64 && row_bytes <= 128) return each(TwoLinesMove{row_bytes});
  each(RowMove{row_bytes});
}

// A few lines are asked for with each line that is moved. Asked for in one go, most of them would
// be dropped: a core keeps track of a few dozen at a time.
void stage_rows(const std::byte* src, const int64_t* src_rows, std::byte* stage, int64_t pitch,
                int64_t rows, int64_t row_bytes, int64_t rows_ahead) noexcept {
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t later = r + rows_ahead < rows ? r + rows_ahead : rows - 1;
    copy_row(src + src_rows[r], stage + r * pitch, row_bytes, RowAhead{src + src_rows[later]});
  }
}

void stream_rows(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                 const int64_t* dst_rows, int64_t rows, int64_t row_bytes) noexcept {
  for (int64_t r = 0; r < rows; ++r) {
    stream_row(src + src_rows[r], dst + dst_rows[r], row_bytes);
  }
}

// Doubles what is there until that is worth a long copy.
HPTP_INLINE void fill_by_doubling(const std::byte* src, std::byte* dst, int64_t count,
                                  int64_t elem_size) {
  constexpr int64_t kLong = 2048;
  const int64_t bytes = count * elem_size;
  if (bytes == 0) return;
  std::memcpy(dst, src, static_cast<size_t>(elem_size));
  int64_t filled = elem_size;
  for (int64_t run = filled; filled < bytes; filled += run) {
    if (run < kLong) run = filled;
    if (run > bytes - filled) run = bytes - filled;
    std::memcpy(dst + filled, dst, static_cast<size_t>(run));
  }
}

// A line of elements, stored again and again. The last line ends with the row and begins with a
// whole element, as the others do. EPYC 7xx3, one thread, rows of 1024 elements in the second cache
// level, share of memcpy, against doubling: 4 bytes 1.36 against 0.93, 8 bytes 1.38 against 1.02,
// but 2 bytes 0.55 against 0.72 and 1 byte 0.44 against 1.08 (memset), for the line takes as long.
void fill(const std::byte* src, std::byte* dst, int64_t count, int64_t elem_size) noexcept {
  const int64_t bytes = count * elem_size;
  if (elem_size == 1) {
    std::memset(dst, std::to_integer<int>(*src), static_cast<size_t>(bytes));
    return;
  }
  if (elem_size < 4 || bytes < kLineBytes || kLineBytes % elem_size != 0) {
    return fill_by_doubling(src, dst, count, elem_size);
  }
  std::byte elements[size_t{kLineBytes}];
  for (int64_t at = 0; at < kLineBytes; at += elem_size) move_short(src, elements + at, elem_size);
  const Line line = load_line(elements);
  int64_t done = 0;
  for (; done + kLineBytes <= bytes; done += kLineBytes) store_line(dst + done, line);
  if (done < bytes) store_line(dst + bytes - kLineBytes, line);
}
