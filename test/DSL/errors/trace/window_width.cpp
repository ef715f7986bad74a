// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/05_flash_attention_2/flash_attention_2.h"
using namespace tilefold;

// A window of width 0 would hide everything; other libraries take it for none.
void misuse(Program &p) {
  FlashAttention2<f16> kernel{.head_dim = 32};
  kernel.variant = window_of(0);
  // CHECK: window_width.cpp:[[@LINE-1]]:{{[0-9]+}}: error: window_of: expected a width of 1 or more, for which a query sees itself, got 0
  kernel(p);
}
