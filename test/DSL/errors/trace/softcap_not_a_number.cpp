// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/05_flash_attention_2/flash_attention_2.h"
using namespace tilefold;

// Nor is NaN.
void misuse(Program &p) {
  FlashAttention2<f16> kernel{.head_dim = 32};
  kernel.variant = softcap(std::nanf(""));
  // CHECK: softcap_not_a_number.cpp:[[@LINE-1]]:{{[0-9]+}}: error: softcap: expected a finite cap greater than 0, got nan
  kernel(p);
}
