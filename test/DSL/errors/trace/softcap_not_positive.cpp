// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/05_flash_attention_2/flash_attention_2.h"
using namespace tilefold;

// A cap of 0 is no way to say "no cap".
void misuse(Program &p) {
  FlashAttention2<f16> kernel{.head_dim = 32};
  kernel.variant = softcap(0);
  // CHECK: softcap_not_positive.cpp:[[@LINE-1]]:{{[0-9]+}}: error: softcap: expected a finite cap greater than 0, got 0.000000
  kernel(p);
}
