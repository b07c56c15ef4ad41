// Regions of source compiled for an instruction set that the rest of the program may lack.
//
// A region rather than a compiler flag per file: a flag would also compile the inline functions of
// included headers for that instruction set, and the linker may then keep that copy for everyone.
// So: include every header before the region opens, and put all that is inside it in an anonymous
// namespace.
#pragma once

#define HPTP_PRAGMA(text) _Pragma(#text)

#if defined(__clang__)
#define HPTP_TARGET_BEGIN(features) \
  HPTP_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define HPTP_TARGET_END HPTP_PRAGMA(clang attribute pop)
#define HPTP_UNROLL HPTP_PRAGMA(clang loop unroll(full))
#else
#define HPTP_TARGET_BEGIN(features) \
  HPTP_PRAGMA(GCC push_options)     \
  HPTP_PRAGMA(GCC target(features))
#define HPTP_TARGET_END HPTP_PRAGMA(GCC pop_options)
#define HPTP_UNROLL HPTP_PRAGMA(GCC unroll 16)
#endif

// A kernel's inner pieces must become part of it: the compiler's own estimate gives up too early.
#define HPTP_INLINE inline __attribute__((always_inline))
