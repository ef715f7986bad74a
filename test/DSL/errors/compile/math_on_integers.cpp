// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Functions of the reals need reals.
Tile<i32, 1> misuse(Tile<i32, 1> x) {
  return exp(x);
  // CHECK-DAG: math_on_integers.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}a mathematical function needs floating-point tiles: cast<f32>() the tile first
}
