// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s | tilefold-opt | FileCheck %s
// RUN: tilefold-opt %s --mlir-print-op-generic | tilefold-opt | FileCheck %s

// CHECK: #[[LAYOUT:layout]] = #tile.layout<registers = [2:1:1, 2:0:8, 8:1:8, 2:0:16], lanes = [4:1:2, 8:0:1], warps = []>
#acc = #tile.layout<registers = [2:1:1, 2:0:8, 8:1:8, 2:0:16], lanes = [4:1:2, 8:0:1], warps = []>
// A radix that is no power of two, and a digit of stride 0 that replicates.
// CHECK: #[[ODD:layout1]] = #tile.layout<registers = [3:0:2], lanes = [2:0:1, 16:0:0], warps = [4:0:6]>
#odd = #tile.layout<registers = [3:0:2], lanes = [2:0:1, 16:0:0], warps = [4:0:6]>

// CHECK-LABEL: tile.kernel @staging
tile.kernel @staging(%x: !tile.view<2xf16>, %i: i32) {
  // CHECK: %[[RING:.*]] = tile.alloc : !tile.buffer<2x32x64xf16, <3, 0>>
  %ring = tile.alloc : !tile.buffer<2x32x64xf16, <3, 0>>
  // CHECK: %[[SLOT:.*]] = tile.slot %[[RING]][%{{.*}}] : !tile.buffer<2x32x64xf16, <3, 0>> -> !tile.buffer<32x64xf16, <3, 0>>
  %slot = tile.slot %ring [%i] : !tile.buffer<2x32x64xf16, <3, 0>> -> !tile.buffer<32x64xf16, <3, 0>>
  // CHECK: tile.copy_async %{{.*}}[%{{.*}}, %{{.*}}] to %[[SLOT]] : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
  tile.copy_async %x [%i, %i] to %slot : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
  // CHECK: tile.commit_copies
  tile.commit_copies
  // CHECK: tile.wait_copies 1
  tile.wait_copies 1
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.transpose %[[SLOT]] : !tile.buffer<32x64xf16, <3, 0>> -> !tile.buffer<64x32xf16, <3, 0>, transposed>
  %t = tile.transpose %slot : !tile.buffer<32x64xf16, <3, 0>> -> !tile.buffer<64x32xf16, <3, 0>, transposed>
  // CHECK: %[[R:.*]] = tile.read %[[SLOT]] : !tile.buffer<32x64xf16, <3, 0>> -> tensor<32x64xf16, #[[LAYOUT]]>
  %r = tile.read %slot : !tile.buffer<32x64xf16, <3, 0>> -> tensor<32x64xf16, #acc>
  // CHECK: %[[C:.*]] = tile.convert_layout %[[R]] : tensor<32x64xf16, #[[LAYOUT]]> -> tensor<32x64xf16>
  %c = tile.convert_layout %r : tensor<32x64xf16, #acc> -> tensor<32x64xf16>
  // CHECK: tile.write %[[C]], %[[SLOT]] : tensor<32x64xf16>, !tile.buffer<32x64xf16, <3, 0>>
  tile.write %c, %slot : tensor<32x64xf16>, !tile.buffer<32x64xf16, <3, 0>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  // CHECK: tile.dot %[[C]], %{{.*}}, %{{.*}} : tensor<32x64xf16>, !tile.buffer<64x32xf16, <3, 0>, transposed>, tensor<32x32xf32>
  %d = tile.dot %c, %t, %zero : tensor<32x64xf16>, !tile.buffer<64x32xf16, <3, 0>, transposed>, tensor<32x32xf32>
  // CHECK: tile.iota : tensor<24xi32, #[[ODD]]>
  %iota = tile.iota : tensor<24xi32, #odd>
  tile.return
}

// CHECK-LABEL: tile.kernel @copy
tile.kernel @copy(%x: !tile.view<2xf16>, %i: i32) {
  // CHECK: %[[B:.*]] = tile.alloc
  %b = tile.alloc : !tile.buffer<32x64xf32, <3, 0>>
  %c = tile.alloc : !tile.buffer<32x64xf16, <3, 0>>
  // CHECK: tile.copy %{{.*}}[%{{.*}}, %{{.*}}] to %[[B]] : !tile.view<2xf16>, !tile.buffer<32x64xf32, <3, 0>> {
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f16):
  // CHECK-NEXT: %[[W:.*]] = arith.extf %[[E]] : f16 to f32
  // CHECK-NEXT: tile.yield %[[W]] : f32
  tile.copy %x [%i, %i] to %b : !tile.view<2xf16>, !tile.buffer<32x64xf32, <3, 0>> {
  ^bb0(%e: f16):
    %w = arith.extf %e : f16 to f32
    tile.yield %w : f32
  }
  // CHECK: tile.copy %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>{{$}}
  tile.copy %x [%i, %i] to %c : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
  tile.return
}
