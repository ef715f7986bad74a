// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "examples/05_flash_attention_2/flash_attention_2.h"

namespace tilefold {

/// ALiBi inside a causal sliding window: nobody's library has this one, and it is all there is to write. `keys` says which
/// keys can matter to queries at positions [lo, hi); without it the kernel is slower, never wrong.
inline Variant alibi_window(int heads, int window) {
  return {.score = [=](auto s, auto &at) { return s - exp2(cast<f32>(at.h + 1) * (-8.f / heads)) * cast<f32>(at.q - at.k); },
          .keep = [=](auto &at) { return at.q >= at.k && at.q - at.k < window; },
          .keys = [=](auto lo, auto hi, auto) { return Range{max(lo, 0) - window, hi}; }};
}

} // namespace tilefold
