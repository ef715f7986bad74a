// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place where the example kernels are instantiated.
#include "test/Numerics/programs.h"

#include "examples/04_flash_attention_1/flash_attention_1.h"
#include "examples/04_flash_attention_1/flash_attention_1_rows.h"
#include "examples/05_flash_attention_2/flash_attention_2.h"
#include "examples/06_flash_decoding/flash_decoding.h"

namespace tilefold::numerics {

template <class T> static Traced trace_as(const Configuration &c) {
  const int m = c.block_m, n = c.block_n, d = c.head_dim;
  switch (c.kind) {
  case Kind::fa1:
    return trace(FlashAttention1<T>{.block_m = m, .block_n = n, .head_dim = d, .variant = c.variant}, "fa1");
  case Kind::fa1_rows:
    return trace(FlashAttention1Rows<T>{.block_m = m, .block_n = n, .head_dim = d, .variant = c.variant}, "fa1_rows");
  case Kind::fa2:
    return trace(FlashAttention2<T>{.block_m = m, .block_n = n, .head_dim = d, .variant = c.variant}, "fa2");
  case Kind::decode:
    break;
  }
  return trace(FlashDecoding<T>{.block_m = m, .block_n = n, .head_dim = d, .split_keys = 2 * n, .variant = c.variant}, "decode");
}

Traced trace_program(const Configuration &c) {
  switch (c.dtype) {
  case support::DType::bf16:
    return trace_as<bf16>(c);
  case support::DType::f32:
    return trace_as<f32>(c);
  default:
    return trace_as<f16>(c);
  }
}

} // namespace tilefold::numerics
