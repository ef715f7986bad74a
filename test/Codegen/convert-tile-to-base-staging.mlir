// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base --split-input-file | FileCheck %s

// Both warps need the weights of the other: through scratch memory, 16 rows of 64 + 16 bytes.
#acc = #tile.layout<registers = [2:1:1, 2:0:8, 2:1:8], lanes = [4:1:2, 8:0:1], warps = [2:1:16]>
#left = #tile.layout<registers = [2:1:1, 2:0:8, 4:1:8], lanes = [4:1:2, 8:0:1], warps = [2:1:0]>
// CHECK-LABEL: gpu.func @scratch
// CHECK-SAME: tilefold.shared_bytes = 1280
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-8: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xf16>
// CHECK: vector.from_elements {{.*}} : vector<16xf16>
tile.kernel @scratch(%x: !tile.view<2xf16>, %y: !tile.view<2xf16>) attributes {schedule = #tile.schedule<warps = 2, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0, %c0] : !tile.view<2xf16> -> tensor<16x32xf16, #acc>
  %r = tile.convert_layout %t : tensor<16x32xf16, #acc> -> tensor<16x32xf16, #left>
  tile.store %r, %y [%c0, %c0] : tensor<16x32xf16, #left>, !tile.view<2xf16>
  tile.return
}

// -----

// Another order of registers moves nothing between threads.
#one = #tile.layout<registers = [2:0:1, 2:0:64], lanes = [32:0:2], warps = []>
#other = #tile.layout<registers = [2:0:64, 2:0:1], lanes = [32:0:2], warps = []>
// CHECK-LABEL: gpu.func @in_registers
// CHECK-SAME: tilefold.shared_bytes = 0
// CHECK-NOT: nvvm.barrier0
// CHECK: vector.shuffle {{.*}} [0, 2, 1, 3]
// CHECK-NOT: nvvm.barrier0
tile.kernel @in_registers(%x: !tile.view<1xf32>, %y: !tile.view<1xf32>) attributes {schedule = #tile.schedule<warps = 1, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<128xf32, #one>
  %r = tile.convert_layout %t : tensor<128xf32, #one> -> tensor<128xf32, #other>
  tile.store %r, %y [%c0] : tensor<128xf32, #other>, !tile.view<1xf32>
  tile.return
}

// -----

// A copy reads 16 bytes, less at the end of a row, none outside of the rows, into the swizzled chunk.
// CHECK-LABEL: gpu.func @bounds(
// CHECK-SAME: %[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[ROWS:.*]]: i32, %[[COLUMNS:.*]]: i32, %[[PITCH:.*]]: i64, %{{.*}}: i64, %[[I:.*]]: i32)
// CHECK-SAME: tilefold.shared_bytes = 2048
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[CHUNK:.*]] = arith.constant 16 : i32
// CHECK: %[[ROW:.*]] = arith.addi %[[I]],
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %[[ROWS]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[COLUMNS]],
// CHECK: %[[BYTES:.*]] = arith.muli %[[LEFT]],
// CHECK: %[[MOST:.*]] = arith.minsi %[[BYTES]], %[[CHUNK]]
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[MOST]], %[[NONE]]
// CHECK: %[[READ:.*]] = arith.select %[[INSIDE]], %[[LEAST]], %[[NONE]]
// CHECK: arith.xori
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[READ]]
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: nvvm.barrier0
tile.kernel @bounds(%x: !tile.view<2xf16> {tile.aligned}, %i: i32) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %b = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  tile.copy_async %x [%i, %c0] to %b : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
  tile.commit_copies
  tile.wait_copies 0
  tile.barrier
  tile.return
}

// -----

// 16 x 80 halves are 160 chunks: 128 threads take one each, 32 a second one.
// CHECK-LABEL: gpu.func @partial
// CHECK: nvvm.cp.async.shared.global
// CHECK: %[[TAKES:.*]] = arith.cmpi ult, %{{.*}}, %c160_i32
// CHECK: scf.if %[[TAKES]] {
// CHECK: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.cp.async.shared.global
tile.kernel @partial(%x: !tile.view<2xf16> {tile.aligned}) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %b = tile.alloc : !tile.buffer<16x80xf16, <1, 2>>
  tile.copy_async %x [%c0, %c0] to %b : !tile.view<2xf16>, !tile.buffer<16x80xf16, <1, 2>>
  tile.return
}

// -----

// What cp.async cannot read passes through registers in a loop, element by element, converted by the chunk.
// CHECK-LABEL: gpu.func @through_registers
// CHECK-NOT: nvvm.cp.async
// CHECK: scf.for
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<1xf32>
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
tile.kernel @through_registers(%x: !tile.view<2xf32>) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %b = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  tile.copy %x [%c0, %c0] to %b : !tile.view<2xf32>, !tile.buffer<16x64xf16, <3, 0>> {
  ^bb0(%e: f32):
    %h = arith.truncf %e : f32 to f16
    tile.yield %h : f16
  }
  tile.return
}
