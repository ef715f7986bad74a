// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Kernels do not start kernels.
void misuse(Program &p) {
  p.launch("outer", {1}, [&](Index) {
    // CHECK: launch_in_kernel.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a kernel cannot start another: call p.launch() after the first one's body
    p.launch("inner", {1}, [&](Index) {});
    // CHECK: launch_in_kernel.cpp:[[@LINE-3]]:{{[0-9]+}}: note: the kernel starts here
  });
}
