// Do two strided views share a byte? Does one view hold two elements in the same byte?
//
// Two views whose address ranges intersect may still be disjoint: of one buffer, the left half of
// every row is a fine source for the right half. So the ranges are only the first test; after it
// comes the exact question, a sum of bounded multiples: is there an element of each such that
//   src + sum(i[k] * src_stride[k]) + p  ==  dst + sum(j[k] * dst_stride[k]) + q
// with p and q inside an element? Views as people make them take a few steps to decide.
#pragma once

#include <cstdint>

#include "hptp/hptp.h"

namespace hptp::bindings {

// Whether some byte is both read and written. `dst_minus_src` is the distance in bytes from the
// source's first element to the destination's. Says true as well when that is too hard to tell,
// which takes strides made for it.
bool is_overlapping(const Problem& problem, int64_t dst_minus_src);

// Whether two elements of the destination share a byte. Says true as well when that is too hard to
// tell.
bool is_dst_overlapping_itself(const Problem& problem);

}  // namespace hptp::bindings
