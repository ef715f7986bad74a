// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// The body takes the position and the state.
void misuse(Program &p, Tile<f32, 1> x) {
  p.fold({0, 8, 1}, x, [&](Tile<f32, 1> x) { return x; });
  // CHECK-DAG: fold_takes_index.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}a fold's body takes the Index and the state
}
