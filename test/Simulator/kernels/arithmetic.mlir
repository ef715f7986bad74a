// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordinary arithmetic: conversions to f16 and bf16 and back, fma, max, min, division, square root, rounding, a sum in f16.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/arithmetic.json
// CASE: {"name": "limits", "block": 24, "arguments": [
// CASE:   {"in": "f32", "values": ["0x00000000", "0x80000000", "0x7f800000", "0xff800000", "0x00000001", "0x00800000",
// CASE:    "0x7f7fffff", "0x477fe000", "0x477fefff", "0x477ff000", "0x33000000", "0x33000001", "0x387fc000", "0x387fe000",
// CASE:    "0x387fffff", "0x38800000", "0x3f801000", "0x3f801001", "0x3f803000", "0x3f808000", "0x3f818000", "0x7f7f8000",
// CASE:    "0x3effffff", "0x3fffffff"]}, {"in": "f32", "fill": 1.5, "count": 24},
// CASE:   {"name": "out", "out": "u32", "count": 288, "row": 12, "hex": true}]}
// CASE: {"name": "ties", "block": 64, "arguments": [{"in": "f32", "iota": [-8, 0.25], "count": 64},
// CASE:   {"in": "f32", "iota": [3.03125, -0.09375], "count": 64},
// CASE:   {"name": "out", "out": "u32", "count": 768, "row": 12, "hex": true, "show": false}]}
// CASE: {"name": "uniform", "block": 64, "arguments": [{"in": "f32", "uniform": [-1000, 1000], "seed": 3, "count": 64},
// CASE:   {"in": "f32", "uniform": [-3, 3], "seed": 4, "count": 64},
// CASE:   {"name": "out", "out": "u32", "count": 768, "row": 12, "hex": true, "show": false}]}
gpu.module @arithmetic {
  gpu.func @arithmetic(%in: !llvm.ptr<1>, %in2: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %width = arith.constant 12 : i32
    %px = llvm.getelementptr %in[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %py = llvm.getelementptr %in2[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %px : !llvm.ptr<1> -> f32
    %y = llvm.load %py : !llvm.ptr<1> -> f32
    %at = arith.muli %thread, %width : i32
    %results = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %h = arith.truncf %x : f32 to f16
    %hb = arith.bitcast %h : f16 to i16
    %o0 = arith.extui %hb : i16 to i32
    %p0 = llvm.getelementptr %results[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o0, %p0 : i32, !llvm.ptr<1>
    %b = arith.truncf %x : f32 to bf16
    %bb = arith.bitcast %b : bf16 to i16
    %o1 = arith.extui %bb : i16 to i32
    %p1 = llvm.getelementptr %results[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o1, %p1 : i32, !llvm.ptr<1>
    %hf = arith.extf %h : f16 to f32
    %o2 = arith.bitcast %hf : f32 to i32
    %p2 = llvm.getelementptr %results[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o2, %p2 : i32, !llvm.ptr<1>
    %bf = arith.extf %b : bf16 to f32
    %o3 = arith.bitcast %bf : f32 to i32
    %p3 = llvm.getelementptr %results[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o3, %p3 : i32, !llvm.ptr<1>
    %f = math.fma %x, %y, %x : f32
    %o4 = arith.bitcast %f : f32 to i32
    %p4 = llvm.getelementptr %results[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o4, %p4 : i32, !llvm.ptr<1>
    %mx = arith.maxnumf %x, %y : f32
    %o5 = arith.bitcast %mx : f32 to i32
    %p5 = llvm.getelementptr %results[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o5, %p5 : i32, !llvm.ptr<1>
    %mn = arith.minnumf %x, %y : f32
    %o6 = arith.bitcast %mn : f32 to i32
    %p6 = llvm.getelementptr %results[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o6, %p6 : i32, !llvm.ptr<1>
    %dv = arith.divf %x, %y : f32
    %o7 = arith.bitcast %dv : f32 to i32
    %p7 = llvm.getelementptr %results[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o7, %p7 : i32, !llvm.ptr<1>
    %ab = math.absf %x : f32
    %sq = math.sqrt %ab : f32
    %o8 = arith.bitcast %sq : f32 to i32
    %p8 = llvm.getelementptr %results[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o8, %p8 : i32, !llvm.ptr<1>
    %re = math.roundeven %x : f32
    %o9 = arith.bitcast %re : f32 to i32
    %p9 = llvm.getelementptr %results[9] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o9, %p9 : i32, !llvm.ptr<1>
    %fl = math.floor %x : f32
    %o10 = arith.bitcast %fl : f32 to i32
    %p10 = llvm.getelementptr %results[10] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o10, %p10 : i32, !llvm.ptr<1>
    %hy = arith.truncf %y : f32 to f16
    %hs = arith.addf %h, %hy : f16
    %hsb = arith.bitcast %hs : f16 to i16
    %o11 = arith.extui %hsb : i16 to i32
    %p11 = llvm.getelementptr %results[11] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o11, %p11 : i32, !llvm.ptr<1>
    gpu.return
  }
}
