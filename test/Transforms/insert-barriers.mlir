// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-insert-barriers | FileCheck %s

// CHECK-LABEL: tile.kernel @exchanged
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.return
tile.kernel @exchanged(%x: !tile.view<1xf32>) {
  %t = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  tile.store %t, %x [%c0] : tensor<64xf32>, !tile.view<1xf32>
  %u = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<64xf32>
  %v = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<64xf32>
  tile.store %u, %x [%c0] : tensor<64xf32>, !tile.view<1xf32>
  tile.store %v, %x [%c0] : tensor<64xf32>, !tile.view<1xf32>
  tile.return
}

// A step follows another step, and what is behind a loop or branch follows what is in it. A barrier that is there counts.
// CHECK-LABEL: tile.kernel @loop
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NOT: tile.barrier
tile.kernel @loop(%x: !tile.view<1xf32>, %n: i32) {
  %some = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %j = %c0 to %n step %c1 : i32 {
    %u = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<64xf32>
    tile.barrier
    tile.store %u, %x [%c0] : tensor<64xf32>, !tile.view<1xf32>
  }
  %v = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<64xf32>
  scf.if %some {
    tile.store %v, %x [%c0] : tensor<64xf32>, !tile.view<1xf32>
  }
  %w = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<64xf32>
  tile.return
}

// Views of one argument are the same memory; tensors that are only loaded, or stored in one place, need no barrier.
// CHECK-LABEL: tile.kernel @views
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NOT: tile.barrier
tile.kernel @views(%x: !tile.view<2xf32>, %y: !tile.view<1xf32>, %z: !tile.view<1xf32>, %i: i32) {
  %t = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  %row = tile.slice %x [%c0] at [0] : !tile.view<2xf32> -> !tile.view<1xf32>
  %other = tile.slice %x [%i] at [0] : !tile.view<2xf32> -> !tile.view<1xf32>
  tile.store %t, %row [%c0] : tensor<64xf32>, !tile.view<1xf32>
  %u = tile.load %other [%c0] : !tile.view<1xf32> -> tensor<64xf32>
  %v = tile.load %y [%c0] : !tile.view<1xf32> -> tensor<64xf32>
  tile.store %u, %z [%c0] : tensor<64xf32>, !tile.view<1xf32>
  tile.store %v, %z [%c0] : tensor<64xf32>, !tile.view<1xf32>
  tile.return
}
