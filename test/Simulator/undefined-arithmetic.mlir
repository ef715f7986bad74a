// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What IR leaves undefined and a GPU does not: numbers that an integer cannot hold become the nearest that it can, NaN becomes 0. A
// division of vectors is found if one element is by zero.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --only convert | FileCheck %s
// RUN: tilefold-simulate %s --only divide | FileCheck %s --check-prefix=DIVIDE
// RUN: not tilefold-simulate %s --only zero | FileCheck %s --check-prefix=ZERO
// CASE: {"name": "convert", "kernel": "convert", "arguments": [{"name": "out", "out": "i32", "count": 6}]}
// CASE: {"name": "divide", "kernel": "divide", "arguments": [{"name": "out", "out": "i32", "count": 2}, {"i32": -7}, {"i32": 2}]}
// CASE: {"name": "zero", "kernel": "divide", "arguments": [{"name": "out", "out": "i32", "count": 2}, {"i32": -7}, {"i32": 0}]}
// CHECK: out = [2147483647, -2147483648, 0, -1, 0, 2147483647]
// DIVIDE: out = [-3, 50]
// ZERO: trap: divides by zero, or the least integer by -1
gpu.module @m {
  gpu.func @convert(%out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = arith.constant dense<[3.0e9, -3.0e9, 0x7FC00000, -1.5]> : vector<4xf32>
    %i = arith.fptosi %x : vector<4xf32> to vector<4xi32>
    llvm.store %i, %out {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr<1>
    %big = arith.constant 3.0e9 : f32
    %negative = arith.constant -3.0 : f32
    %u = arith.fptoui %negative : f32 to i32
    %s = arith.fptosi %big : f32 to i32
    %fourth = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %u, %fourth : i32, !llvm.ptr<1>
    %fifth = llvm.getelementptr %out[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %s, %fifth : i32, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @divide(%out: !llvm.ptr<1>, %a: i32, %b: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %hundred = arith.constant 100 : i32
    %two = arith.constant 2 : i32
    %l = vector.from_elements %a, %hundred : vector<2xi32>
    %r = vector.from_elements %b, %two : vector<2xi32>
    %q = arith.divsi %l, %r : vector<2xi32>
    llvm.store %q, %out {alignment = 4 : i64} : vector<2xi32>, !llvm.ptr<1>
    gpu.return
  }
}
