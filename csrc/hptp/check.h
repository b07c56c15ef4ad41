// HPTP_DCHECK states what the stages below the door rely on. It costs nothing unless HPTP_DEBUG is
// defined (the tests define it): then a false condition prints itself and aborts.
#pragma once

#ifdef HPTP_DEBUG
#include <cstdio>
#include <cstdlib>
#define HPTP_DCHECK(condition)                                                                 \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      std::fprintf(stderr, "%s:%d: HPTP_DCHECK failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                            \
    }                                                                                          \
  } while (false)
#else
#define HPTP_DCHECK(condition) static_cast<void>(0)
#endif
