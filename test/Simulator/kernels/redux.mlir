// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// redux.sync: add, and, or, xor, min, max, umin, umax.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/redux.json
// CASE: {"name": "small", "arguments": [{"in": "i32", "integers": [-50, 50], "seed": 3, "count": 32},
// CASE:   {"name": "out", "out": "i32", "count": 256, "row": 8}]}
// CASE: {"name": "any bits", "arguments": [{"in": "i32", "integers": [-2147483648, 2147483647], "seed": 4, "count": 32},
// CASE:   {"name": "out", "out": "i32", "count": 256, "row": 8}]}
// CASE: {"name": "positive", "arguments": [{"in": "i32", "integers": [1, 1000000], "seed": 5, "count": 32},
// CASE:   {"name": "out", "out": "i32", "count": 256, "row": 8}]}
gpu.module @redux {
  gpu.func @redux(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %all = arith.constant -1 : i32
    %c8 = arith.constant 8 : i32
    %px = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %px : !llvm.ptr<1> -> i32
    %at = arith.muli %lane, %c8 : i32
    %results = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %r0 = nvvm.redux.sync add %x, %all : i32 -> i32
    %p0 = llvm.getelementptr %results[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r0, %p0 : i32, !llvm.ptr<1>
    %r1 = nvvm.redux.sync and %x, %all : i32 -> i32
    %p1 = llvm.getelementptr %results[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r1, %p1 : i32, !llvm.ptr<1>
    %r2 = nvvm.redux.sync or %x, %all : i32 -> i32
    %p2 = llvm.getelementptr %results[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r2, %p2 : i32, !llvm.ptr<1>
    %r3 = nvvm.redux.sync xor %x, %all : i32 -> i32
    %p3 = llvm.getelementptr %results[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r3, %p3 : i32, !llvm.ptr<1>
    %r4 = nvvm.redux.sync min %x, %all : i32 -> i32
    %p4 = llvm.getelementptr %results[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r4, %p4 : i32, !llvm.ptr<1>
    %r5 = nvvm.redux.sync max %x, %all : i32 -> i32
    %p5 = llvm.getelementptr %results[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r5, %p5 : i32, !llvm.ptr<1>
    %r6 = nvvm.redux.sync umin %x, %all : i32 -> i32
    %p6 = llvm.getelementptr %results[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r6, %p6 : i32, !llvm.ptr<1>
    %r7 = nvvm.redux.sync umax %x, %all : i32 -> i32
    %p7 = llvm.getelementptr %results[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r7, %p7 : i32, !llvm.ptr<1>
    gpu.return
  }
}
