// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A program starts one kernel by grid() or several by launch().
void misuse(Program &p) {
  p.launch("step", {1}, [&](Index) {});
  p.grid({1});
  // CHECK: grid_after_launch.cpp:[[@LINE-1]]:{{[0-9]+}}: error: p.grid() starts the only kernel of a program, but this one launches others: use p.launch()
}
