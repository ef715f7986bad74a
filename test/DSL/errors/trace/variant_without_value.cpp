// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/05_flash_attention_2/flash_attention_2.h"
using namespace tilefold;

// A variant's function that forgets its result is told by its name; the line can only be the kernel's.
void misuse(Program &p) {
  FlashAttention2<f16> kernel{.block_m = 64, .block_n = 32, .head_dim = 64};
  kernel.variant.score = [](Tile<f32, 2>, const At &) { return Tile<f32, 2>(); };
  kernel(p);
  // CHECK: flash_attention_2.h:{{[0-9:]+}}: error: the variant's score gives a tile that was never given a value
}
