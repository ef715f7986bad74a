// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Gpu/placement.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace tilefold::gpu_suite {

std::string_view name(Layout layout) {
  static constexpr std::string_view names[] = {
      "dense",          "tokens first", "sequence first", "columns first", "padded rows",  "odd rows",
      "wide rows",      "long sequences", "inner stride 2", "misaligned",  "shared heads", "shared batch",
      "reversed rows",  "far rows",     "far tokens",     "far heads",     "far batch"};
  return names[int(layout)];
}

bool is_aligned(Layout layout) {
  return layout != Layout::columns_first && layout != Layout::odd_rows && layout != Layout::inner_stride_2 &&
         layout != Layout::misaligned;
}

Placement place(Layout layout, const Shape &sizes) {
  constexpr std::int64_t far = std::int64_t(1) << 30;
  Placement placement{sizes, Shape(sizes.size(), 1), 0, 0};
  const std::size_t rank = sizes.size();
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
    placement.strides = support::dense_strides(sizes);
    return placement;
  }

  std::vector<std::size_t> order(rank); // outermost first
  for (std::size_t d = 0; d < rank; ++d)
    order[d] = d;
  if (rank == 4) {
    if (layout == Layout::tokens_first)
      order = {0, 2, 1, 3};
    else if (layout == Layout::sequence_first)
      order = {2, 0, 1, 3};
    else if (layout == Layout::columns_first)
      order = {0, 1, 3, 2};
  }
  Shape stored = sizes;
  if (layout == Layout::padded_rows)
    stored[rank - 1] += 8;
  else if (layout == Layout::odd_rows)
    stored[rank - 1] += 3;
  else if (layout == Layout::wide_rows)
    stored[rank - 1] *= 2;
  else if (layout == Layout::long_sequences && rank == 4)
    stored[2] += 64;
  else if (layout == Layout::shared_heads)
    stored[1] = 1;
  else if (layout == Layout::shared_batch)
    stored[0] = 1;
  std::int64_t stride = layout == Layout::inner_stride_2 ? 2 : 1;
  for (std::size_t n = rank; n-- > 0;) {
    placement.strides[order[n]] = stride;
    stride *= stored[order[n]];
  }
  const std::int64_t columns = sizes[rank - 1];
  if (layout == Layout::shared_heads)
    placement.strides[1] = 0;
  else if (layout == Layout::shared_batch)
    placement.strides[0] = 0;
  else if (layout == Layout::misaligned)
    placement.lead = 1;
  else if (layout == Layout::far_heads)
    placement.strides[1] = far + 8;
  else if (layout == Layout::far_batch)
    placement.strides[0] = far + 64;
  else if (layout == Layout::far_rows || layout == Layout::far_tokens) {
    assert(rank == 4);
    placement.strides[2] = layout == Layout::far_rows ? far / 4 : 8192;
    placement.strides[1] = columns;
    placement.strides[0] = columns * sizes[1];
    assert(placement.strides[0] * sizes[0] <= placement.strides[2] && "the entries of one row must fit its stride");
  } else if (layout == Layout::reversed_rows) {
    const std::size_t row = rank - 2;
    placement.lead = (sizes[row] - 1) * placement.strides[row];
    placement.strides[row] = -placement.strides[row];
  }
  std::int64_t last = placement.lead;
  for (std::size_t d = 0; d < rank; ++d)
    last += std::max<std::int64_t>(0, placement.strides[d]) * (sizes[d] - 1);
  placement.elements = last + 1;
  // Rows of a padded layout own their padding, the last one too.
  if (layout == Layout::padded_rows || layout == Layout::odd_rows || layout == Layout::wide_rows)
    placement.elements += stored[rank - 1] - columns;
  return placement;
}

} // namespace tilefold::gpu_suite
