// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base | FileCheck %s

// What keeps registers free: uniform quotients and a rescaling that a warp may skip.

// A quotient of scalars is known to be the same in all threads; one by a constant needs no division.
// CHECK-LABEL: gpu.func @quotients
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[X:.*]] = arith.remui %[[BLOCK]],
// CHECK: %[[SAME:.*]] = nvvm.redux.sync{{ +}}or %[[X]], %{{.*}} : i32 -> i32
// CHECK: %[[Q:.*]] = arith.divui %[[SAME]],
// CHECK: %[[ALSO:.*]] = nvvm.redux.sync{{ +}}or %[[Q]], %{{.*}} : i32 -> i32
// CHECK: arith.divui %[[ALSO]], %c4_i32
// CHECK-NOT: nvvm.redux.sync
// CHECK: gpu.return
tile.kernel @quotients(%y: !tile.view<1xi32>, %n: i32) attributes {schedule = #tile.schedule<warps = 1, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %x = tile.program_id 0
  %q = arith.divui %x, %n : i32
  %r = arith.divui %q, %c4 : i32
  %t = tile.splat %r : i32 -> tensor<32xi32, #tile.layout<registers = [], lanes = [32:0:1], warps = []>>
  tile.store %t, %y [%c0] : tensor<32xi32, #tile.layout<registers = [], lanes = [32:0:1], warps = []>>, !tile.view<1xi32>
  tile.return
}

// 128 registers of an accumulator, multiplied by a factor for each row: only if some row of the warp has one that is not 1.
#acc = #tile.layout<registers = [2:1:1, 2:0:8, 16:1:8, 2:0:16], lanes = [4:1:2, 8:0:1], warps = []>
#row = #tile.layout<registers = [2:0:8, 2:0:16], lanes = [4:0:0, 8:0:1], warps = []>
// CHECK-LABEL: gpu.func @rescaling
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (vector<128xf32>)
// CHECK-COUNT-4: arith.cmpf une,
// CHECK: %[[CHANGES:.*]] = nvvm.vote.sync{{ +}}any
// CHECK: scf.if %[[CHANGES]] -> (vector<128xf32>) {
// CHECK: %[[SCALED:.*]] = arith.mulf %[[A]], %{{.*}} : vector<128xf32>
// CHECK: scf.yield %[[SCALED]]
// CHECK: } else {
// CHECK: scf.yield %[[A]]
// CHECK: nvvm.mma.sync
tile.kernel @rescaling(%f: !tile.view<1xf32>, %y: !tile.view<2xf32>, %n: i32) attributes {schedule = #tile.schedule<warps = 1, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.alloc : !tile.buffer<32x16xf16, <1, 2>>
  %b = tile.alloc : !tile.buffer<16x128xf16, <3, 0>>
  %zeros = arith.constant dense<0.0> : tensor<32x128xf32, #acc>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x128xf32, #acc>) : i32 {
    %x = tile.load %f [%j] : !tile.view<1xf32> -> tensor<32xf32, #row>
    %alpha = math.exp2 %x : tensor<32xf32, #row>
    %c = tile.expand %alpha, 1 : tensor<32xf32, #row> -> tensor<32x1xf32, #row>
    %factors = tile.broadcast %c : tensor<32x1xf32, #row> -> tensor<32x128xf32, #acc>
    %scaled = arith.mulf %acc, %factors : tensor<32x128xf32, #acc>
    %d = tile.dot %a, %b, %scaled : !tile.buffer<32x16xf16, <1, 2>>, !tile.buffer<16x128xf16, <3, 0>>, tensor<32x128xf32, #acc>
    scf.yield %d : tensor<32x128xf32, #acc>
  }
  tile.store %r, %y [%c0, %c0] : tensor<32x128xf32, #acc>, !tile.view<2xf32>
  tile.return
}
