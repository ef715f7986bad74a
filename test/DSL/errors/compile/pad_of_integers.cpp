// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// What lies outside of a tensor of integers is an integer too.
void misuse(Program &p) {
  auto X = p.input<i32, 1>("x");
  p.grid({1});
  load(X, {0}, {4}, 1.5f);
  // CHECK-DAG: pad_of_integers.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}what pads a tensor of integers or masks is an integer
}
