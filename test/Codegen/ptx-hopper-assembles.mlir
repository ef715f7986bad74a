// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: ptxas
// RUN: tilefold-base-opt --emit-ptx --chip=sm_90a %S/ptx-hopper.mlir -o %t.ptx \
// RUN:   && %ptxas -v -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s

// CHECK-NOT: {{C75|[1-9][0-9]* bytes spill}}
// CHECK-COUNT-4: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: {{C75|[1-9][0-9]* bytes spill}}
