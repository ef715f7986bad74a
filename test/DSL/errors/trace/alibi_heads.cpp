// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/05_flash_attention_2/flash_attention_2.h"
using namespace tilefold;

// The slopes divide by the number of heads.
void misuse(Program &p) {
  FlashAttention2<f16> kernel{.head_dim = 32};
  kernel.variant = alibi(0);
  // CHECK: alibi_heads.cpp:[[@LINE-1]]:{{[0-9]+}}: error: alibi: expected 1 head or more, got 0
  kernel(p);
}
