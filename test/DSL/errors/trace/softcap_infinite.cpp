// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/05_flash_attention_2/flash_attention_2.h"
using namespace tilefold;

// Nor is infinity, whose tanh is 0 times infinity.
void misuse(Program &p) {
  FlashAttention2<f16> kernel{.head_dim = 32};
  kernel.variant = causal() & softcap(inf);
  // CHECK: softcap_infinite.cpp:[[@LINE-1]]:{{[0-9]+}}: error: softcap: expected a finite cap greater than 0, got inf
  kernel(p);
}
