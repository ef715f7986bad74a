// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vote.sync all, any, uni, ballot over the warp, and ballot over each half of it apart.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/vote.json
// CASE: {"name": "all", "arguments": [{"in": "i32", "fill": 1, "count": 32},
// CASE:   {"name": "out", "out": "u32", "count": 160, "hex": true, "row": 5}]}
// CASE: {"name": "none", "arguments": [{"in": "i32", "fill": 0, "count": 32},
// CASE:   {"name": "out", "out": "u32", "count": 160, "hex": true, "row": 5}]}
// CASE: {"name": "some", "arguments": [{"in": "i32", "integers": [0, 1], "seed": 3, "count": 32},
// CASE:   {"name": "out", "out": "u32", "count": 160, "hex": true, "row": 5}]}
gpu.module @vote {
  gpu.func @vote(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %all = arith.constant -1 : i32
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %low = arith.constant 65535 : i32
    %high = arith.constant -65536 : i32
    %px = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %px : !llvm.ptr<1> -> i32
    %p = arith.cmpi ne, %x, %c0 : i32
    %all_ = nvvm.vote.sync all %all, %p -> i1
    %any = nvvm.vote.sync any %all, %p -> i1
    %uni = nvvm.vote.sync uni %all, %p -> i1
    %ballot = nvvm.vote.sync ballot %all, %p -> i32
    %first = arith.cmpi ult, %lane, %c16 : i32
    %half = scf.if %first -> i32 {
      %0 = nvvm.vote.sync ballot %low, %p -> i32
      scf.yield %0 : i32
    } else {
      %0 = nvvm.vote.sync ballot %high, %p -> i32
      scf.yield %0 : i32
    }
    %w0 = arith.extui %all_ : i1 to i32
    %w1 = arith.extui %any : i1 to i32
    %w2 = arith.extui %uni : i1 to i32
    %c5 = arith.constant 5 : i32
    %at = arith.muli %lane, %c5 : i32
    %r0 = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %w0, %r0 : i32, !llvm.ptr<1>
    %r1 = llvm.getelementptr %r0[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w1, %r1 : i32, !llvm.ptr<1>
    %r2 = llvm.getelementptr %r0[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w2, %r2 : i32, !llvm.ptr<1>
    %r3 = llvm.getelementptr %r0[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %ballot, %r3 : i32, !llvm.ptr<1>
    %r4 = llvm.getelementptr %r0[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %half, %r4 : i32, !llvm.ptr<1>
    gpu.return
  }
}
