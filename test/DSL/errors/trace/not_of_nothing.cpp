// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// `!` cannot take its line as other operators do; it says its own nevertheless, of a name as of a value.
void misuse(Program &p) {
  p.grid({1});
  auto rows = p.arange(16);
  Tile<i1, 1> mask;
  // CHECK: not_of_nothing.cpp:[[@LINE+1]]:{{[0-9]+}}: error: uses a tile that was never given a value
  auto rest = !mask;
  // CHECK: not_of_nothing.cpp:[[@LINE+2]]:{{[0-9]+}}: error: uses a tile that was never given a value
  auto again =
      !Tile<i1, 1>();
}
