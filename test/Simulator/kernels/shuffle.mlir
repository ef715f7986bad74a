// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shfl.sync up, down, bfly and idx: value and whether the source was in range; the last of nine is a float. Widths 32, 8 and
// 4.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/shuffle.json
// CASE: {"name": "whole warp by 5", "arguments": [{"in": "i32", "iota": [100, 1], "count": 32},
// CASE:   {"in": "i32", "fill": 5, "count": 32}, {"i32": 0}, {"i32": 31},
// CASE:   {"name": "out", "out": "i32", "count": 288, "row": 9}]}
// CASE: {"name": "whole warp, each lane its own", "arguments": [{"in": "i32", "iota": [100, 1], "count": 32},
// CASE:   {"in": "i32", "integers": [0, 31], "seed": 7, "count": 32}, {"i32": 0}, {"i32": 31},
// CASE:   {"name": "out", "out": "i32", "count": 288, "row": 9}]}
// CASE: {"name": "eights by 3", "arguments": [{"in": "i32", "iota": [100, 1], "count": 32},
// CASE:   {"in": "i32", "fill": 3, "count": 32}, {"i32": 6144}, {"i32": 6175},
// CASE:   {"name": "out", "out": "i32", "count": 288, "row": 9}]}
// CASE: {"name": "fours, each lane its own", "arguments": [{"in": "i32", "iota": [100, 1], "count": 32},
// CASE:   {"in": "i32", "integers": [0, 31], "seed": 8, "count": 32}, {"i32": 7168}, {"i32": 7199},
// CASE:   {"name": "out", "out": "i32", "count": 288, "row": 9}]}
!pair = !llvm.struct<(i32, i1)>
gpu.module @shuffle {
  gpu.func @shuffle(%in: !llvm.ptr<1>, %lanes: !llvm.ptr<1>, %up_clamp: i32, %clamp: i32, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %all = arith.constant -1 : i32
    %c9 = arith.constant 9 : i32
    %px = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %pb = llvm.getelementptr %lanes[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %px : !llvm.ptr<1> -> i32
    %b = llvm.load %pb : !llvm.ptr<1> -> i32
    %at = arith.muli %lane, %c9 : i32
    %results = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32

    %r0 = nvvm.shfl.sync up %all, %x, %b, %up_clamp {return_value_and_is_valid} : i32 -> !pair
    %v0 = llvm.extractvalue %r0[0] : !pair
    %in0 = llvm.extractvalue %r0[1] : !pair
    %w0 = arith.extui %in0 : i1 to i32
    %p0 = llvm.getelementptr %results[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %q0 = llvm.getelementptr %results[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %v0, %p0 : i32, !llvm.ptr<1>
    llvm.store %w0, %q0 : i32, !llvm.ptr<1>

    %r1 = nvvm.shfl.sync down %all, %x, %b, %clamp {return_value_and_is_valid} : i32 -> !pair
    %v1 = llvm.extractvalue %r1[0] : !pair
    %in1 = llvm.extractvalue %r1[1] : !pair
    %w1 = arith.extui %in1 : i1 to i32
    %p1 = llvm.getelementptr %results[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %q1 = llvm.getelementptr %results[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %v1, %p1 : i32, !llvm.ptr<1>
    llvm.store %w1, %q1 : i32, !llvm.ptr<1>

    %r2 = nvvm.shfl.sync bfly %all, %x, %b, %clamp {return_value_and_is_valid} : i32 -> !pair
    %v2 = llvm.extractvalue %r2[0] : !pair
    %in2 = llvm.extractvalue %r2[1] : !pair
    %w2 = arith.extui %in2 : i1 to i32
    %p2 = llvm.getelementptr %results[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %q2 = llvm.getelementptr %results[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %v2, %p2 : i32, !llvm.ptr<1>
    llvm.store %w2, %q2 : i32, !llvm.ptr<1>

    %r3 = nvvm.shfl.sync idx %all, %x, %b, %clamp {return_value_and_is_valid} : i32 -> !pair
    %v3 = llvm.extractvalue %r3[0] : !pair
    %in3 = llvm.extractvalue %r3[1] : !pair
    %w3 = arith.extui %in3 : i1 to i32
    %p3 = llvm.getelementptr %results[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %q3 = llvm.getelementptr %results[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %v3, %p3 : i32, !llvm.ptr<1>
    llvm.store %w3, %q3 : i32, !llvm.ptr<1>

    %f = arith.bitcast %x : i32 to f32
    %c3 = arith.constant 3 : i32
    %g = nvvm.shfl.sync bfly %all, %f, %c3, %clamp : f32 -> f32
    %p8 = llvm.getelementptr %results[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %g, %p8 : f32, !llvm.ptr<1>
    gpu.return
  }
}
