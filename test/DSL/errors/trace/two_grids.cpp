// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// grid() starts the only kernel.
void misuse(Program &p) {
  p.grid({1});
  p.grid({2});
  // CHECK: two_grids.cpp:[[@LINE-1]]:{{[0-9]+}}: error: the program already has its only kernel: several are started by p.launch() each
  // CHECK: two_grids.cpp:[[@LINE-3]]:{{[0-9]+}}: note: the kernel starts here
}
