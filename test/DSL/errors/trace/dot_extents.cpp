// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Keys must be transposed before they meet queries.
void misuse(Program &p) {
  auto Q = p.input<f16, 2>("q"), K = p.input<f16, 2>("k");
  auto [i] = p.grid({1});
  auto q = load(Q, {0, 0}, {128, 64});
  auto k = load(K, {i, 0}, {32, 64});
  auto s = dot(q, k);
  // CHECK: dot_extents.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'dot' contracts 64 columns of the left tile with 32 rows of the right tile
  // CHECK: dot_extents.cpp:[[@LINE-4]]:{{[0-9]+}}: note: the left tile is 'tensor<128x64xf16>'
  // CHECK: dot_extents.cpp:[[@LINE-4]]:{{[0-9]+}}: note: the right tile is 'tensor<32x64xf16>'; did you mean trans()?
}
