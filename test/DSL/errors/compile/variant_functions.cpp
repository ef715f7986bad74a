// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// What a lambda with `auto` parameters gives is known only when it is asked to be a score.
Variant misuse() {
  return {.score = [](auto s, auto &) { return rowmax(s); }, .keys = [](auto lo) { return lo; }};
  // CHECK-DAG: variant_functions.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}score gives a Tile<f32, 2> and keep a Tile<i1, 2>
  // CHECK-DAG: error: {{.*}}a variant's functions are score(s, at), keep(at) and keys(lo, hi, n)
}
