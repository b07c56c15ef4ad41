// The axes of a permute of a dense source into a dense destination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout.h"

namespace hptp::test {

// In the order of the result, whose axis k is axis dims[k] of the source.
inline std::vector<Axis> permuted(int64_t elem_size, const std::vector<int64_t>& extents,
                                  const std::vector<size_t>& dims) {
  std::vector<int64_t> strides(extents.size(), elem_size);
  for (size_t i = extents.size(); i-- > 1;) strides[i - 1] = strides[i] * extents[i];
  std::vector<Axis> axes;
  for (const size_t dim : dims) axes.push_back({extents[dim], strides[dim], 0});
  int64_t stride = elem_size;
  for (size_t i = axes.size(); i-- > 0; stride *= axes[i].extent) axes[i].dst_stride = stride;
  return axes;
}

}  // namespace hptp::test
