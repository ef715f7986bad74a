// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A vector meets a matrix as a column or as a row.
Tile<f32, 2> misuse(Tile<f32, 2> s, Tile<f32, 1> m) {
  return s - m;
  // CHECK-DAG: ranks_differ.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}ranks differ: spell the broadcast with col(v) or row(v)
}
