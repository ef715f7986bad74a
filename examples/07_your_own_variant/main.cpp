// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlashAttention-2 with a variant of one's own, behind the whole command line:
//
//     example_07_your_own_variant run --random 1,8/2,300,300,64 --check
#include "codegen/Tool/tool.h"
#include "examples/07_your_own_variant/your_own_variant.h"
#include <cmath>

using namespace tilefold;

constexpr int heads = 8, window = 100;

/// The same variant for the fp64 attention that --check compares with: positions instead of tiles.
static support::AttentionOptions reference(const Config &) {
  support::AttentionOptions options;
  options.causal = true;
  options.window_left = window - 1;
  options.score = [](double s, const support::LogitPosition &at) {
    return s - std::exp2(double(at.h + 1) * (-8.0 / heads)) * double(at.iq - at.j);
  };
  return options;
}

int main(int argc, char **argv) {
  auto make = [](const Config &c) {
    return for_dtype(c.dtype, [&]<class T>(T) {
      return FlashAttention2<T>{.head_dim = c.head_dim, .variant = alibi_window(heads, window)};
    });
  };
  return tool(argc, argv, {{"mine", make, {.summary = "ALiBi in a sliding window", .random = "1,8/2,300,300,64", .attention = reference}}});
}
