// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tilefold-simulate reads cases and prints what comes out.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s | FileCheck %s
// RUN: tilefold-simulate %s --only small --report json | FileCheck %s --check-prefix=JSON
// RUN: not tilefold-simulate %s --only huge 2>&1 | FileCheck %s --check-prefix=NONE
// CASE: {"name": "small", "arguments": [{"name": "x", "in": "f16", "values": [1, 2.5, "-inf", "0x7c00"]}, {"name": "y", "out": "f16", "count": 4},
// CASE:   {"f32": 0.5}]}
// CASE: {"name": "rows", "arguments": [{"name": "x", "in": "f16", "iota": [0, 1], "count": 4},
// CASE:   {"name": "y", "out": "f16", "count": 4, "row": 2, "hex": true}, {"f32": 2}]}
// CASE: {"name": "no numbers", "arguments": [{"in": "f16", "values": ["nan", "0xfe00", "0xffff", "0x7e00"]}, {"name": "y", "out": "f16", "count": 4}, {"f32": 1}]}
// CHECK: case small
// CHECK-NEXT: y = [0.5, 1.25, -inf, inf]
// CHECK-NEXT: case rows
// CHECK-NEXT: y = [0x0000, 0x4000,
// CHECK-NEXT: {{^}}     0x4400, 0x4600]
// CHECK-NEXT: case no numbers
// CHECK-NEXT: y = [nan, nan, nan, nan]
// JSON: "findings": []
// NONE: --only: no case is named 'huge'
gpu.module @m {
  gpu.func @scale(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %factor: f32) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %x[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %to = llvm.getelementptr %y[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %half = llvm.load %from : !llvm.ptr<1> -> f16
    %wide = arith.extf %half : f16 to f32
    %product = arith.mulf %wide, %factor : f32
    %result = arith.truncf %product : f32 to f16
    llvm.store %result, %to : f16, !llvm.ptr<1>
    gpu.return
  }
}
