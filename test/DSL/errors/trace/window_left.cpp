// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/05_flash_attention_2/flash_attention_2.h"
using namespace tilefold;

// -1 is an error, not "no window".
void misuse(Program &p) {
  FlashAttention2<f16> kernel{.head_dim = 32};
  kernel.variant = sliding_window(-1, 0);
  // CHECK: window_left.cpp:[[@LINE-1]]:{{[0-9]+}}: error: sliding_window: expected left to be 0 or more, or std::nullopt for no limit, got -1
  kernel(p);
}
