// Every kernel of every table: it writes every cell of its rectangle and nothing else, and reads
// nothing but its source.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "kernels/dispatch.h"
#include "kernels/kernel.h"
#include "slowdown.h"
#include "strips.h"

namespace hptp::test {
namespace {

std::vector<const KernelTable*> supported_tables() {
  std::vector<const KernelTable*> tables;
  for (const KernelTable* table : all_kernel_tables()) {
    if (table->is_supported()) tables.push_back(table);
  }
  return tables;
}

// The size of a kernel call: rows and columns, positions, or rows and bytes.
struct Size {
  int64_t rows;
  int64_t cols;
};

struct Misalignments {
  int64_t src;
  int64_t dst;
};

// What is wrong after one call of the kernel under test.
using OneCall = std::function<std::string(Size, Misalignments)>;

std::string fault_of_call(const OneCall& call, Size size, Misalignments at) {
  const std::string fault = call(size, at);
  if (fault.empty()) return "";
  return std::to_string(size.rows) + " x " + std::to_string(size.cols) + ", misaligned by " +
         std::to_string(at.src) + " and " + std::to_string(at.dst) + ": " + fault;
}

// Every size up to `most`, each with five misalignments of either side and flush to the end.
std::string fault_of_sizes(const OneCall& call, Size most, int64_t elem_size) {
  constexpr int64_t kAtEnd = Strips::kAtEnd;
  std::vector<Misalignments> all = {{kAtEnd, kAtEnd}};
  for (const int64_t at : {int64_t{0}, int64_t{1}, elem_size, int64_t{31}, int64_t{63}}) {
    all.push_back({at, 0});
    all.push_back({0, at});
  }
  for (int64_t rows = 0; rows <= most.rows; ++rows) {
    for (int64_t cols = 0; cols <= most.cols; ++cols) {
      for (const Misalignments at : all) {
        const std::string fault = fault_of_call(call, {rows, cols}, at);
        if (!fault.empty()) return fault;
      }
    }
  }
  return "";
}

// Every pair of misalignments within a cache line, at sizes around one tile and two.
std::string fault_of_misalignments(const OneCall& call, Size tile) {
  constexpr int64_t kStep = kSlowdown > 1 ? 7 : 1;
  const auto [rows, cols] = tile;
  const Size sizes[] = {{1, 1},           {rows, cols},     {rows + 1, cols}, {rows, cols + 1},
                        {2 * rows, cols}, {rows, 2 * cols}, {rows - 1, cols}, {2 * rows + 1, cols}};
  for (const Size size : sizes) {
    for (int64_t src = 0; src < 64; src += kStep) {
      for (int64_t dst = 0; dst < 64; dst += kStep) {
        const std::string fault = fault_of_call(call, size, {src, dst});
        if (!fault.empty()) return fault;
      }
    }
  }
  return "";
}

std::string fault_of_kernel(const OneCall& call, Size tile, int64_t elem_size) {
  const Size most = {2 * tile.rows + 1, 2 * tile.cols + 1};
  const std::string fault = fault_of_sizes(call, most, elem_size);
  return fault.empty() ? fault_of_misalignments(call, tile) : fault;
}

struct Transpose {
  TransposeKernel kernel;
  int64_t elem_size;
  int64_t tile_side;
  int64_t padding = 0;  // bytes past each row that it may touch
};

std::string fault_of_transpose(const Transpose& transpose) {
  const auto [kernel, elem_size, tile_side, padding] = transpose;
  const int64_t most = 2 * tile_side + 1;
  KernelTrial trial(most, most * elem_size + padding);
  const auto call = [&, kernel = kernel, elem_size = elem_size, padding = padding](
                        Size size, Misalignments at) {
    const auto [rows, cols] = size;
    trial.src.lay_out(rows, cols * elem_size + padding, at.src);
    trial.dst.lay_out(cols, rows * elem_size + padding, at.dst);
    trial.poison();
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) {
        trial.expect(trial.src.strip(r) + c * elem_size, trial.dst.strip(c) + r * elem_size,
                     elem_size);
      }
    }
    kernel(trial.src.base(), trial.src.offsets(), trial.dst.base(), trial.dst.offsets(), rows, cols,
           elem_size);
    for (int64_t c = 0; c < cols; ++c) {
      trial.forgive(trial.dst.strip(c) + rows * elem_size, padding);
    }
    return trial.fault();
  };
  return fault_of_kernel(call, {tile_side, tile_side}, elem_size);
}

// The same where the rows of either side lie side by side, as those of a matrix: the first and the
// last byte of a matrix are all that its fences can guard.
std::string fault_of_dense_transpose(TransposeKernel kernel, int64_t elem_size, Size tile) {
  const Size most = {2 * tile.rows + 1, 2 * tile.cols + 1};
  KernelTrial trial(1, most.rows * most.cols * elem_size);
  std::vector<int64_t> src_rows(static_cast<size_t>(most.rows));
  std::vector<int64_t> dst_rows(static_cast<size_t>(most.cols));
  const auto call = [&](Size size, Misalignments at) {
    const auto [rows, cols] = size;
    trial.src.lay_out(1, rows * cols * elem_size, at.src);
    trial.dst.lay_out(1, rows * cols * elem_size, at.dst);
    for (int64_t r = 0; r < rows; ++r) src_rows[static_cast<size_t>(r)] = r * cols * elem_size;
    for (int64_t c = 0; c < cols; ++c) dst_rows[static_cast<size_t>(c)] = c * rows * elem_size;
    trial.poison();
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) {
        trial.expect(trial.src.base() + (r * cols + c) * elem_size,
                     trial.dst.base() + (c * rows + r) * elem_size, elem_size);
      }
    }
    kernel(trial.src.base(), src_rows.data(), trial.dst.base(), dst_rows.data(), rows, cols,
           elem_size);
    return trial.fault();
  };
  return fault_of_kernel(call, tile, elem_size);
}

// `cols` is the bytes of a row.
std::string fault_of_rows(RowsKernel move_rows, void (*finish)() noexcept, Size tile) {
  KernelTrial trial(2 * tile.rows + 1, 2 * tile.cols + 1);
  const auto call = [&](Size size, Misalignments at) {
    const auto [rows, bytes] = size;
    trial.src.lay_out(rows, bytes, at.src);
    trial.dst.lay_out(rows, bytes, at.dst);
    trial.poison();
    for (int64_t r = 0; r < rows; ++r) {
      trial.expect(trial.src.strip(r), trial.dst.strip(r), bytes);
    }
    move_rows(trial.src.base(), trial.src.offsets(), trial.dst.base(), trial.dst.offsets(), rows,
              bytes);
    finish();
    return trial.fault();
  };
  return fault_of_kernel(call, tile, 16);
}

// `cols` is the bytes of a row; the rows of the stage lie at a constant distance.
std::string fault_of_stage(StageKernel stage_rows, int64_t rows_ahead) {
  const Size tile = {3, 128};
  const Size most = {2 * tile.rows + 1, 2 * tile.cols + 1};
  const int64_t pitch = most.cols + 3;
  KernelTrial trial(most.rows, most.rows * pitch);
  const auto call = [&](Size size, Misalignments at) {
    const auto [rows, bytes] = size;
    trial.src.lay_out(rows, bytes, at.src);
    trial.dst.lay_out(1, rows == 0 ? 0 : (rows - 1) * pitch + bytes, at.dst);
    trial.poison();
    for (int64_t r = 0; r < rows; ++r) {
      trial.expect(trial.src.strip(r), trial.dst.base() + r * pitch, bytes);
    }
    stage_rows(trial.src.base(), trial.src.offsets(), trial.dst.base(), pitch, rows, bytes,
               rows_ahead);
    return trial.fault();
  };
  return fault_of_kernel(call, tile, 16);
}

// `rows` is the count of stores to each row of the strip and `cols` is of no matter.
std::string fault_of_strip(StripKernel transpose_strip, int64_t elem_size, int64_t store_bytes) {
  const Size tile = {2, 0};
  const int64_t columns = 16 / elem_size;
  const int64_t most = (2 * tile.rows + 1) * store_bytes / elem_size;
  const int64_t stage_pitch = 16 + 5;
  const int64_t strip_pitch = most * elem_size + 3;
  KernelTrial trial(1, std::max(most * stage_pitch, columns * strip_pitch));
  const auto call = [&](Size size, Misalignments at) {
    const int64_t rows = size.rows * store_bytes / elem_size;
    const bool any = rows > 0;
    trial.src.lay_out(1, any ? (rows - 1) * stage_pitch + 16 : 0, at.src);
    trial.dst.lay_out(1, any ? (columns - 1) * strip_pitch + rows * elem_size : 0, at.dst);
    trial.poison();
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        trial.expect(trial.src.base() + r * stage_pitch + c * elem_size,
                     trial.dst.base() + c * strip_pitch + r * elem_size, elem_size);
      }
    }
    transpose_strip(trial.src.base(), stage_pitch, trial.dst.base(), strip_pitch, rows);
    return trial.fault();
  };
  return fault_of_kernel(call, tile, elem_size);
}

enum class GatherTo { places, row };

// `rows` is 0 or 1: whether anything is gathered at all; `cols` is the count of elements.
std::string fault_of_gather(GatherKernel gather, int64_t elem_size, GatherTo to) {
  const Size tile = {1, 8};
  const int64_t most = 2 * tile.cols + 1;
  KernelTrial trial(most, most * elem_size);
  const auto call = [&](Size size, Misalignments at) {
    const int64_t count = std::min<int64_t>(size.rows, 1) * size.cols;
    trial.src.lay_out(count, elem_size, at.src);
    trial.dst.lay_out(to == GatherTo::places ? count : 1,
                      to == GatherTo::places ? elem_size : count * elem_size, at.dst);
    trial.poison();
    for (int64_t p = 0; p < count; ++p) {
      std::byte* const place =
          to == GatherTo::places ? trial.dst.strip(p) : trial.dst.strip(0) + p * elem_size;
      trial.expect(trial.src.strip(p), place, elem_size);
    }
    gather(trial.src.base(), trial.src.offsets(), trial.dst.base(),
           to == GatherTo::places ? trial.dst.offsets() : nullptr, count, elem_size);
    return trial.fault();
  };
  return fault_of_kernel(call, tile, elem_size);
}

// The steps between elements on either side, in bytes beyond an element; `rows` is the count of
// elements and `cols` is of no matter.
std::string fault_of_steps(StepsKernel move_steps, int64_t elem_size, Misalignments gaps) {
  const Size tile = {8, 0};
  const int64_t most = 2 * tile.rows + 1;
  const int64_t src_step = elem_size + gaps.src;
  const int64_t dst_step = elem_size + gaps.dst;
  KernelTrial trial(1, most * std::max(src_step, dst_step));
  const auto call = [&](Size size, Misalignments at) {
    const int64_t count = size.rows;
    trial.src.lay_out(1, std::max<int64_t>(0, (count - 1) * src_step + elem_size), at.src);
    trial.dst.lay_out(1, std::max<int64_t>(0, (count - 1) * dst_step + elem_size), at.dst);
    trial.poison();
    std::byte* const last = trial.src.base() + (count - 1) * src_step;
    for (int64_t p = 0; p < count; ++p) {
      trial.expect(last - p * src_step, trial.dst.base() + p * dst_step, elem_size);
    }
    move_steps(count == 0 ? trial.src.base() : last, -src_step, trial.dst.base(), dst_step, count,
               elem_size);
    return trial.fault();
  };
  return fault_of_kernel(call, tile, elem_size);
}

// `rows` is the count of copies and `cols` is of no matter.
std::string fault_of_fill(FillKernel fill, int64_t elem_size) {
  const int64_t many = int64_t{3 * 4096} / elem_size / int64_t{kSlowdown};
  KernelTrial trial(1, many * elem_size);
  const auto call = [&](Size size, Misalignments at) {
    const int64_t count = size.rows == 17 ? many : size.rows;
    trial.src.lay_out(1, elem_size, at.src);
    trial.dst.lay_out(1, count * elem_size, at.dst);
    trial.poison();
    for (int64_t p = 0; p < count; ++p) {
      trial.expect(trial.src.base(), trial.dst.base() + p * elem_size, elem_size);
    }
    fill(trial.src.base(), trial.dst.base(), count, elem_size);
    return trial.fault();
  };
  return fault_of_kernel(call, {8, 0}, elem_size);
}

// A pattern of `chunks` chunks, each of `windows` windows that give it every so many-th byte; the
// source of a round is as long as its windows reach. `rows` is the rounds.
std::string fault_of_regroup(PatternKernel regroup, int chunks, int windows) {
  constexpr int64_t kApart = 11;  // between the starts of two windows
  Pattern pattern;
  pattern.chunk_count = chunks;
  for (int c = 0; c < chunks; ++c) {
    pattern.chunks[c] = {(chunks - 1 - c) * kChunkBytes, windows};
    for (int w = 0; w < windows; ++w) {
      Window& window = pattern.windows[c * windows + w];
      window.src_offset = (c + w) * kApart;
      for (int i = 0; i < kChunkBytes; ++i) {
        const int at = (5 * i + 3 * c) % kChunkBytes;
        window.choice[i] = i % windows == w ? static_cast<unsigned char>(at) : kNoByte;
      }
    }
  }
  const int64_t src_bytes = (chunks + windows - 2) * kApart + kChunkBytes;
  const int64_t dst_bytes = int64_t{chunks} * kChunkBytes;
  KernelTrial trial(1, 9 * std::max(src_bytes, dst_bytes));
  const auto call = [&](Size size, Misalignments at) {
    const int64_t rounds = size.rows;
    trial.src.lay_out(1, rounds * src_bytes, at.src);
    trial.dst.lay_out(1, rounds * dst_bytes, at.dst);
    trial.poison();
    for (int64_t place = 0; place < rounds * dst_bytes; ++place) {
      const int64_t round = place / dst_bytes;
      const int64_t c = chunks - 1 - place % dst_bytes / kChunkBytes;
      const int64_t i = place % kChunkBytes;
      const int64_t from = (c + i % windows) * kApart + (5 * i + 3 * c) % kChunkBytes;
      trial.expect(trial.src.base() + round * src_bytes + from, trial.dst.base() + place, 1);
    }
    regroup(pattern, trial.src.base(), src_bytes, trial.dst.base(), dst_bytes, rounds);
    return trial.fault();
  };
  return fault_of_kernel(call, {4, 0}, 1);
}

struct ChannelKernels {
  InterleaveKernel interleave;
  DeinterleaveKernel deinterleave;
  int64_t channels;
  int64_t elem_size;
};

// Planes on one side, pixels on the other; `rows` is the positions and `cols` is of no matter.
std::string fault_of_interleave(const ChannelKernels& kernels, int64_t step) {
  const auto [interleave, deinterleave, channels, elem_size] = kernels;
  KernelTrial trial(channels, (2 * step + 1) * channels * elem_size);
  const bool to_pixels = interleave != nullptr;
  Strips& planes = to_pixels ? trial.src : trial.dst;
  Strips& pixels = to_pixels ? trial.dst : trial.src;
  const auto call = [&, channels = channels, elem_size = elem_size, interleave = interleave,
                     deinterleave = deinterleave](Size size, Misalignments at) {
    const int64_t positions = size.rows;
    planes.lay_out(channels, positions * elem_size, to_pixels ? at.src : at.dst);
    pixels.lay_out(1, positions * channels * elem_size, to_pixels ? at.dst : at.src);
    trial.poison();
    for (int64_t p = 0; p < positions; ++p) {
      for (int64_t k = 0; k < channels; ++k) {
        const std::byte* const in_plane = planes.strip(k) + p * elem_size;
        const std::byte* const in_pixel = pixels.base() + (p * channels + k) * elem_size;
        trial.expect(to_pixels ? in_plane : in_pixel, to_pixels ? in_pixel : in_plane, elem_size);
      }
    }
    if (to_pixels) {
      interleave(planes.base(), planes.offsets(), pixels.base(), positions, 1024);
    } else {
      deinterleave(pixels.base(), planes.base(), planes.offsets(), positions, 1024);
    }
    return trial.fault();
  };
  return fault_of_kernel(call, {step, 0}, elem_size);
}

}  // namespace

TEST_CASE("a transpose kernel writes every cell of its rectangle and nothing else", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    for (const int64_t elem_size : {1, 2, 4, 8, 16}) {
      CAPTURE(table->name, elem_size);
      const TransposeKernel kernel = table->transpose[elem_size_index(elem_size)];
      const int64_t tile_side = std::max(16, table->vector_bytes) / elem_size;
      REQUIRE(fault_of_transpose({kernel, elem_size, tile_side}) == "");
    }
    for (const int64_t elem_size : {3, 5, 6, 7, 9, 12, 13, 17, 24, 31, 32, 33, 64}) {
      CAPTURE(table->name, elem_size);
      REQUIRE(fault_of_transpose({table->transpose_any, elem_size, elem_size < 16 ? 8 : 4}) == "");
    }
  }
}

TEST_CASE("a transpose kernel keeps to a matrix whose rows lie side by side", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    for (const int64_t elem_size : {1, 2, 4, 8, 16}) {
      CAPTURE(table->name, elem_size);
      const TransposeKernel kernel = table->transpose[elem_size_index(elem_size)];
      const int64_t tile_side = std::max(16, table->vector_bytes) / elem_size;
      REQUIRE(fault_of_dense_transpose(kernel, elem_size, {tile_side, 8}) == "");
      REQUIRE(fault_of_dense_transpose(kernel, elem_size, {8, tile_side}) == "");
    }
    for (const int64_t elem_size : {3, 5, 6, 7, 9, 12, 13, 24}) {
      CAPTURE(table->name, elem_size);
      REQUIRE(fault_of_dense_transpose(table->transpose_any, elem_size, {8, 8}) == "");
    }
  }
}

TEST_CASE("a padded transpose kernel stays within the padding of its rows", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    for (const int64_t elem_size : {3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 17, 24, 31, 33}) {
      CAPTURE(table->name, elem_size);
      REQUIRE(fault_of_transpose({table->transpose_any_padded, elem_size, 8, kPadding}) == "");
    }
  }
}

TEST_CASE("rows are staged at a constant distance, whatever they ask for ahead", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    CAPTURE(table->name);
    REQUIRE(fault_of_stage(table->stage_rows, 1) == "");
    REQUIRE(fault_of_stage(table->stage_rows, 4) == "");
  }
}

TEST_CASE("columns of a stage become the rows of a strip", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    for (const int64_t elem_size : {1, 2, 4, 8, 16}) {
      CAPTURE(table->name, elem_size);
      const StripKernel kernel = table->transpose_strip[elem_size_index(elem_size)];
      REQUIRE(fault_of_strip(kernel, elem_size, std::max(16, table->vector_bytes)) == "");
    }
  }
}

TEST_CASE("rows are moved whole by ordinary and by streaming stores", "[kernels]") {
  const Size tile = {5, 128};
  for (const KernelTable* table : supported_tables()) {
    CAPTURE(table->name);
    REQUIRE(fault_of_rows(table->copy_rows, table->finish_streams, tile) == "");
    REQUIRE(fault_of_rows(table->stream_rows, table->finish_streams, tile) == "");
  }
}

TEST_CASE("elements are gathered to their places and into a row", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    for (const int64_t elem_size :
         {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 64, 100}) {
      CAPTURE(table->name, elem_size);
      REQUIRE(fault_of_gather(table->gather, elem_size, GatherTo::places) == "");
      REQUIRE(fault_of_gather(table->gather, elem_size, GatherTo::row) == "");
    }
  }
}

TEST_CASE("elements are moved at constant steps, forwards and backwards", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    for (const int64_t elem_size : {1, 2, 3, 4, 6, 8, 12, 16, 24, 33}) {
      for (const Misalignments gaps : {Misalignments{0, 0}, {elem_size, 0}, {0, 3}, {5, 100}}) {
        CAPTURE(table->name, elem_size, gaps.src, gaps.dst);
        REQUIRE(fault_of_steps(table->move_steps, elem_size, gaps) == "");
      }
    }
  }
}

TEST_CASE("an element is repeated side by side", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    for (const int64_t elem_size : {1, 2, 3, 4, 7, 8, 12, 16, 24, 31}) {
      CAPTURE(table->name, elem_size);
      REQUIRE(fault_of_fill(table->fill, elem_size) == "");
    }
  }
}

TEST_CASE("bytes are regrouped by a pattern, round after round", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    if (table->regroup == nullptr) continue;
    for (const int chunks : {1, 2, 3, kMaxChunks}) {
      for (const int windows : {1, 2, 3, 4, 5, 16}) {
        CAPTURE(table->name, chunks, windows);
        REQUIRE(fault_of_regroup(table->regroup, chunks, windows) == "");
      }
    }
  }
}

TEST_CASE("planes become pixels and pixels become planes", "[kernels]") {
  for (const KernelTable* table : supported_tables()) {
    for (int channels = kMinChannels; channels <= kMaxChannels; ++channels) {
      for (const int64_t elem_size : {1, 2, 4, 8}) {
        CAPTURE(table->name, channels, elem_size);
        const int row = channels - kMinChannels;
        const int column = elem_size_index(elem_size);
        const int64_t step = std::max(16, table->vector_bytes) / elem_size;
        const auto interleave = table->interleave[row][column];
        const auto deinterleave = table->deinterleave[row][column];
        REQUIRE(fault_of_interleave({interleave, nullptr, channels, elem_size}, step) == "");
        REQUIRE(fault_of_interleave({nullptr, deinterleave, channels, elem_size}, step) == "");
      }
    }
  }
}

}  // namespace hptp::test
