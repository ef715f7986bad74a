// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A loop cannot grow what it carries.
void misuse(Program &p) {
  auto [n] = p.grid({8});
  p.fold({0, n, 1}, p.zeros<f32>({64}), [&](Index, Tile<f32, 1>) {
    // CHECK: state_changes_shape.cpp:[[@LINE-1]]:{{[0-9]+}}: error: tile 0 of the loop's state enters as 'tensor<64xf32>' but leaves the body as 'tensor<32xf32>'
    return p.zeros<f32>({32});
    // CHECK: state_changes_shape.cpp:[[@LINE-1]]:{{[0-9]+}}: note: the one that leaves comes from here
  });
}
