// A cache line moved without streaming stores, for the instruction sets that have none to rely on.
#pragma once

struct Line {
  std::byte bytes[64];
};

HPTP_INLINE Line load_line(const std::byte* src) {
  Line line;
  std::memcpy(line.bytes, src, sizeof line.bytes);
  return line;
}

HPTP_INLINE void store_line(std::byte* dst, const Line& line) {
  std::memcpy(dst, line.bytes, sizeof line.bytes);
}

HPTP_INLINE void stream_line(std::byte* dst, const Line& line) { store_line(dst, line); }
