// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A case that does not come to its end does not keep the next one from running; JSON stands alone.
// REQUIRES: tilefold-simulate
// RUN: not tilefold-simulate %s | FileCheck %s
// RUN: not tilefold-simulate %s --report json | FileCheck %s --check-prefix=JSON
// CASE: {"name": "stops", "kernel": "stops", "block": 64, "arguments": [{"name": "out", "out": "i32", "count": 1}]}
// CASE: {"name": "runs", "kernel": "runs", "block": 1, "arguments": [{"name": "out", "out": "i32", "count": 1}]}
// CHECK: case runs
// CHECK-NEXT: out = [7]
// CHECK: deadlock
// CHECK: 1 finding
// JSON-NOT: out =
// JSON: "findings": [
gpu.module @m {
  gpu.func @stops(%out: !llvm.ptr<1>) kernel {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c32 = arith.constant 32 : i32
    %first = arith.cmpi ult, %tid, %c32 : i32
    scf.if %first {
      nvvm.barrier0
    }
    gpu.return
  }
  gpu.func @runs(%out: !llvm.ptr<1>) kernel {
    %seven = arith.constant 7 : i32
    llvm.store %seven, %out : i32, !llvm.ptr<1>
    gpu.return
  }
}
