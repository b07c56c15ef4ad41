// Every tuned number of the engine, with its reason. HPTP_TINY_BLOCKS is a build for tests: with
// it, tensors of a few hundred elements take every path that large ones take.
#pragma once

#include <cstdint>

namespace hptp::tuning {

#ifdef HPTP_TINY_BLOCKS
inline constexpr int64_t kScale = 16;
#else
inline constexpr int64_t kScale = 1;
#endif

// Elements this long are moved one by one as rows; shorter ones are worth a transpose in registers.
inline constexpr int64_t kRowBytes = 32;

// A transpose block: bytes of one source row, and bytes of one destination row. Up to half as many
// again are taken where that gives whole blocks or whole lines, as it does for most shapes.
// EPYC 7xx3, one thread, GB/s by source x destination bytes as taken, of 4096 x 16384 f32, 8-D b
// f32 and 8-D c f32: 768x768 15.3 14.7 14.4; 768x512 15.0 13.4 14.1; 512x768 14.1 13.3 11.8;
// 512x512 13.3 12.2 11.8; 512x256 10.6 10.2 8.9; 1536x768 a tenth slower than 768x768.
inline constexpr int64_t kBlockSrcBytes = 512 / kScale;
inline constexpr int64_t kBlockDstBytes = 512 / kScale;

// While a row goes to the stage, the row that begins so many bytes later is fetched. The same
// machine, the same three: nothing fetched 13.4 - 13.0, 1 to 4 KiB ahead 16.5 - 15.3 GB/s. Fetching
// the next block while this one is written loses a tenth to a third, and so does reading it then:
// there the reads and the streaming stores wait for one another.
inline constexpr int64_t kFetchAheadBytes = 2048;

// Blocks of a group, along A and along B. EPYC 7xx3, one thread, 4 against 8: 8192 x 8192 u8 1.06
// to 1.11, 8-D c u16 1.06 to 1.09, heads 1.06, 4-byte rows 0.99 to 1.02.
inline constexpr int64_t kGroupBlocks = kScale > 1 ? 2 : 4;

// A block of moved rows: of chain B so many bytes that each destination row gets a short strip, but
// two positions at least; of chain A what else fits in a quarter of the second cache level.
// EPYC 7xx3 (512 KiB of it), one thread, strips of so many bytes against 2048 and at least 4 rows:
// rows of 256 bytes 512 1.08, 768 1.14, 1024 1.12, 4096 0.74; rows of 1920 bytes by twos 1.15; rows
// of 3840 bytes by twos 1.12, one by one 1.08. On two threads 1.04, 1.1 to 1.2 and 1.08.
inline constexpr int64_t kRowStripBytes = 1024 / kScale;
// In cache, where the order matters less than the calls, a strip is longer: rows of 256 bytes, 3
// MiB, 45 GB/s against 38.
inline constexpr int64_t kCachedRowStripBytes = 8192 / kScale;
inline constexpr int64_t kMinRowsPerStrip = 2;
inline constexpr int64_t kRowsBlockBytes = (128 << 10) / kScale;

// A row longer than this is cut into pieces, so that threads can share it.
inline constexpr int64_t kPieceBytes = (64 << 10) / kScale / kScale;

// Bytes of one unit of an interleave or a gather.
inline constexpr int64_t kUnitBytes = (32 << 10) / kScale / kScale;

// Bytes of pixels that are interleaved before they are streamed. EPYC 7xx3, 3 channels of 1 byte,
// one thread, GB/s: 768 bytes 20, 1536 22, 3072 22, 6144 20, 13 KiB 16.
inline constexpr int64_t kPixelStripBytes = 3072;

// So many bytes ahead of what it reads a channel kernel fetches, of each plane and of the pixels.
// The same images: to pixels 1.1, to planes 1.15 times as fast as without; 512 gain half of that.
inline constexpr int64_t kPlaneFetchAheadBytes = 1024;
inline constexpr int64_t kPixelFetchAheadBytes = 2048;

// Planes of fewer bytes than this are not worth a channel kernel.
inline constexpr int64_t kMinPlaneBytes = 32 / kScale;

// The columns of up to so many source rows leave as one run where they lie side by side and the
// output is streamed: alone they would be written as parts of lines. EPYC 7xx3, 24 MiB, one thread,
// share of memcpy, against the stage: 8, 16, 30, 48 rows of 4 bytes 1.03 0.91 0.59 0.43 against
// 0.48 0.64 0.43 0.70, of 2 bytes 0.91 0.64 0.64 0.51 against 0.39 0.55 0.55 0.64. Rows of less
// than 16 bytes do better with neither.
inline constexpr int64_t kMaxJoinedRows = 40;

// Bytes of destination between two chunks of a pattern, so that what one fetches is near for the
// next.
inline constexpr int64_t kPatternStripBytes = 4096;

// Lines of fewer elements than this are gathered as one with the axes around them.
inline constexpr int64_t kMinLineElements = kScale > 1 ? 4 : 16;

// An element is repeated by a kernel of its own for so many bytes or more.
inline constexpr int64_t kMinFillBytes = 512 / kScale;

// Positions along one side of a block, which bounds its tables.
inline constexpr int64_t kMaxPositions = 1024;

// A rectangle of a transpose with fewer bytes than this is gathered element by element instead,
// together with its neighbours.
inline constexpr int64_t kTinyRectangleBytes = 512 / kScale;

// The scratch of one thread, on its stack. The stage holds the source rows of a block; the widest
// kernel moves 64 rows of one byte at a time. EPYC 7xx3, 8192 x 32768 u8: 256 rows 9.7 GB/s, 384
// rows 10.2; 192 rows of 2 bytes and more are enough.
inline constexpr int64_t kStageRows = 256;
inline constexpr int64_t kStageBytes = kStageRows * (kBlockSrcBytes * 3 / 2 + 64);

// The strip: a few columns of a block on their way to the destination, as many as give 16 bytes of
// a source row, or this many where there is no kernel in registers. So it has at most 16 rows, of
// the bytes of a block's destination row and the 64 bytes that a kernel may round up to.
inline constexpr int64_t kStripColumnBytes = 16;
inline constexpr int64_t kAnyStripColumns = 8;
inline constexpr int64_t kStripRows = 16;
inline constexpr int64_t kStripPitch = kBlockDstBytes * 3 / 2 + 64;
inline constexpr int64_t kStripBytes = kStripRows * kStripPitch;

// From so many bytes of output on, the output is streamed and a transpose goes through the stage:
// where it and the input no longer share the cache that the machine works from, together with what
// else the program keeps there. EPYC 7xx3 (32 MiB of third level), 4-byte transposes in GB/s,
// direct against staged and streamed: 4 MiB 33 against 19, 8 MiB 20 against 15 and 17 MiB 8.0
// against 9.5 where nothing else is in cache; with three times the data in turn, 12 MiB of moved
// rows 10 against 13. A plain copy of 5 MiB: 45 against 36. Images of 9 MiB, ordinary against
// streamed: 36 against 25 alone, 13 against 16 to pixels and 14 against 12 to planes among copies of
// 40 MiB in turn. AMD: 3/16 of the third level. On a Xeon it is far away, and the change comes near
// the size of the second (Emerald Rapids, 2 MiB). Where nothing is known: 4 MiB.
inline constexpr int64_t kStreamShareOfL3 = 3;   // in sixteenths
inline constexpr int64_t kStreamShareOfL2 = 12;  // in sixteenths
inline constexpr int64_t kStreamBytesDefault = 4 << 20;
inline constexpr int64_t kStreamBytesScale = kScale * kScale * kScale;

// Source rows collide where their starts fall into few sets of the first cache level: it has 8 ways
// at least, of 4096 bytes. Then a transpose of more than this is staged too. EPYC 7xx3, 4-byte
// elements, direct against staged: 512 x 512 15 against 22, 1024 x 1024 8 against 19.
inline constexpr int64_t kCacheWays = 8;
inline constexpr int64_t kCacheWayBytes = 4096;
inline constexpr int64_t kCollidingBytes = (64 << 10) / kScale / kScale;

// Bytes that a thread must be given for it to be worth waking.
inline constexpr int64_t kBytesPerThread = 256 << 10;

}  // namespace hptp::tuning
