// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a test tensor lie: dense, or as the views that frameworks hand to a kernel.
#pragma once

#include "support/host_tensor.h"

#include <cstdint>
#include <string_view>

namespace tilefold::gpu_suite {

using support::Shape;

/// Dimensions are those of [batch, heads, sequence, columns]; layouts that speak of others leave tensors of lower rank dense.
enum class Layout {
  dense,
  tokens_first,   ///< stored [B, S, H, D]
  sequence_first, ///< stored [S, B, H, D]
  columns_first,  ///< stored [B, H, D, S]: the inner stride is not 1
  padded_rows,    ///< rows 8 elements longer than D
  odd_rows,       ///< rows 3 elements longer: no row but the first is aligned
  wide_rows,      ///< columns [0, D) of rows of 2 D
  long_sequences, ///< rows [0, S) of sequences of S + 64
  inner_stride_2, ///< every other element
  misaligned,     ///< dense, one element after an aligned address
  shared_heads,   ///< stride 0 over heads
  shared_batch,   ///< stride 0 over the batch
  reversed_rows,  ///< the last row comes first: a negative stride
  far_rows,       ///< 2^28 elements from row to row
  far_tokens,     ///< 8192 elements from row to row, as [B, S, 64, 128] has
  far_heads,      ///< 2^30 + 8 elements from head to head
  far_batch,      ///< 2^30 + 64 elements from entry to entry
};

std::string_view name(Layout layout);
/// Whether a kernel may use 16-byte accesses: rows are contiguous and each starts at a multiple of 16 bytes, if `columns` do.
bool is_aligned(Layout layout);

struct Placement {
  Shape sizes, strides;      ///< in elements
  std::int64_t lead = 0;     ///< elements of the storage before element [0, ..., 0]
  std::int64_t elements = 0; ///< of the storage
};

Placement place(Layout layout, const Shape &sizes);

} // namespace tilefold::gpu_suite
