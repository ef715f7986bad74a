// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/05_flash_attention_2/flash_attention_2.h"
using namespace tilefold;

// What a variant's functions give has to fit the block of scores; where it does not, that is their line, not the kernel's.
void misuse(Program &p) {
  FlashAttention2<f16> kernel{.block_m = 64, .block_n = 32, .head_dim = 64};
  kernel.variant.score = [](Tile<f32, 2> s, const At &at) {
    return cast<f32>(trans(at.q - at.k)) * 0.5f;
    // CHECK: variant_shapes.cpp:[[@LINE-1]]:{{[0-9]+}}: error: the variant's score gives 'tensor<32x64xf32>', which does not fit 'tensor<64x32xf32>'
    // CHECK: flash_attention_2.h:{{[0-9:]+}}: note: it is used here
  };
  kernel.variant.keep = [](const At &at) {
    return trans(at.k) == 0;
    // CHECK: variant_shapes.cpp:[[@LINE-1]]:{{[0-9]+}}: error: the variant's keep gives 'tensor<32x1xi1>', which does not fit 'tensor<64x32xf32>'
  };
  kernel(p);
}
