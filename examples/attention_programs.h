// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/tool.h"
#include "examples/04_flash_attention_1/flash_attention_1.h"
#include "examples/04_flash_attention_1/flash_attention_1_rows.h"
#include "examples/05_flash_attention_2/flash_attention_2.h"
#include "examples/06_flash_decoding/flash_decoding.h"

namespace tilefold {

/// Kernel<T> for a head dim, in blocks that its registers and the device's shared memory hold.
template <template <class> class Kernel, class T> Kernel<T> in_fitting_blocks(const Config &c) {
  Kernel<T> kernel;
  kernel.head_dim = c.head_dim;
  constexpr bool isRows = std::is_same_v<Kernel<T>, FlashAttention1Rows<T>>, isFirst = std::is_same_v<Kernel<T>, FlashAttention1<T>>;
  constexpr bool isDecode = std::is_same_v<Kernel<T>, FlashDecoding<T>>;
  // FlashAttention-1 keeps the normalised and the new accumulator at once: with many columns, fewer keys a step.
  if ((isFirst || isRows) && c.head_dim >= 96) kernel.block_n = 32;
  // In shared memory: queries, keys and values of two steps, and what FlashAttention-1 reads again of O, in fp32. Where it
  // does not fit, smaller blocks: as fast for decoding, a tenth slower for prompts.
  const int d = padded(c.head_dim), bytes = 2 * d * (kernel.block_m + 4 * kernel.block_n) + (isFirst ? 4 * d * kernel.block_m : 0);
  if (bytes > c.shared_bytes) {
    if (!isDecode) kernel.block_m /= 2; // decoding has the few query heads of a group
    kernel.block_n = 32;
  }
  return kernel;
}

/// What the command line asks, with a causal mask or none, and how --check computes the same.
template <template <class> class Kernel> NamedKernel attention_program(std::string name, std::string summary) {
  auto make = [](const Config &c) {
    return for_dtype(c.dtype, [&]<class T>(T) {
      auto kernel = in_fitting_blocks<Kernel, T>(c);
      if (c.causal) kernel.variant = causal();
      return kernel;
    });
  };
  auto reference = [](const Config &c) {
    support::AttentionOptions options;
    options.causal = c.causal;
    return options;
  };
  return {std::move(name), make, {.summary = std::move(summary), .attention = reference}};
}

inline NamedKernel fa1() { return attention_program<FlashAttention1>("fa1", "FlashAttention-1, an instance for each head"); }
inline NamedKernel fa1_rows() {
  return attention_program<FlashAttention1Rows>("fa1-rows", "FlashAttention-1 by blocks of query rows");
}
inline NamedKernel fa2() { return attention_program<FlashAttention2>("fa2", "FlashAttention-2, an instance for each block of query rows"); }
inline NamedKernel decode() { return attention_program<FlashDecoding>("decode", "Flash-Decoding, which splits the keys: for few queries"); }

inline std::vector<NamedKernel> attention_programs() { return {fa1(), fa1_rows(), fa2(), decode()}; }

} // namespace tilefold
