// The kernel table that needs nothing of the processor: complete, and the last choice.
#include <cstdint>
#include <cstring>

#include "kernel.h"
#include "tables.h"
#include "target.h"

namespace hptp {
namespace {

#include "plain_line.inl.h"

void finish_streams() noexcept {}

bool is_supported() noexcept { return true; }

#include "rows.inl.h"

}  // namespace

constinit const KernelTable kScalarTable = {
    .name = "scalar",
    .is_supported = is_supported,
    .vector_bytes = 1,
    .transpose = {transpose_any, transpose_any, transpose_any, transpose_any, transpose_any},
    .transpose_strip = {transpose_strip_each<1>, transpose_strip_each<2>, transpose_strip_each<4>,
                        transpose_strip_each<8>, transpose_strip_each<16>},
    .transpose_any = transpose_any,
    .transpose_any_padded = transpose_any_padded,
    .stage_rows = stage_rows,
    .copy_rows = copy_rows,
    .stream_rows = stream_rows,
    .finish_streams = finish_streams,
    .gather = gather,
    .move_steps = move_steps,
    .fill = fill,
    .regroup = nullptr,
    .interleave = {{interleave_each<2, 1>, interleave_each<2, 2>, interleave_each<2, 4>,
                    interleave_each<2, 8>},
                   {interleave_each<3, 1>, interleave_each<3, 2>, interleave_each<3, 4>,
                    interleave_each<3, 8>},
                   {interleave_each<4, 1>, interleave_each<4, 2>, interleave_each<4, 4>,
                    interleave_each<4, 8>}},
    .deinterleave = {{deinterleave_each<2, 1>, deinterleave_each<2, 2>, deinterleave_each<2, 4>,
                      deinterleave_each<2, 8>},
                     {deinterleave_each<3, 1>, deinterleave_each<3, 2>, deinterleave_each<3, 4>,
                      deinterleave_each<3, 8>},
                     {deinterleave_each<4, 1>, deinterleave_each<4, 2>, deinterleave_each<4, 4>,
                      deinterleave_each<4, 8>}},
};

}  // namespace hptp
