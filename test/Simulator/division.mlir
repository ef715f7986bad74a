// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A division that IR leaves undefined is found; it does not end the process. Exit status 3 says that something was.
// REQUIRES: tilefold-simulate
// RUN: not tilefold-simulate %s --only zero | FileCheck %s
// RUN: not tilefold-simulate %s --only overflow | FileCheck %s
// RUN: tilefold-simulate %s --only fine | FileCheck %s --check-prefix=FINE
// CASE: {"name": "zero", "arguments": [{"name": "out", "out": "i32", "count": 2}, {"i32": 5}, {"i32": 0}]}
// CASE: {"name": "overflow", "arguments": [{"name": "out", "out": "i32", "count": 2}, {"i32": -2147483648}, {"i32": -1}]}
// CASE: {"name": "fine", "arguments": [{"name": "out", "out": "i32", "count": 2}, {"i32": -7}, {"i32": 2}]}
// CHECK: trap: divides by zero, or the least integer by -1
// CHECK-NEXT: at arith.divsi ({{.*}}division.mlir:15:10)
// FINE: out = [-3, -1]
gpu.module @m {
  gpu.func @k(%out: !llvm.ptr<1>, %a: i32, %b: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %q = arith.divsi %a, %b : i32
    %r = arith.remsi %a, %b : i32
    llvm.store %q, %out : i32, !llvm.ptr<1>
    %second = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r, %second : i32, !llvm.ptr<1>
    gpu.return
  }
}
