// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Kernels of a program have different names.
void misuse(Program &p) {
  p.launch("step", {1}, [&](Index) {});
  p.launch("step", {1}, [&](Index) {});
  // CHECK: kernel_named_twice.cpp:[[@LINE-1]]:{{[0-9]+}}: error: the program already has a kernel 'step'
}
