// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: ptxas
// RUN: tilefold-base-opt --emit-ptx %S/mma.mlir -o %t.ptx && %ptxas -v -arch=sm_80 %t.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: tilefold-base-opt --emit-ptx %S/vector-add.mlir -o %t.ptx && %ptxas -v -arch=sm_90 %t.ptx -o %t.cubin 2>&1 | FileCheck %s

// CHECK-NOT: C75
// CHECK: 0 bytes spill stores, 0 bytes spill loads
