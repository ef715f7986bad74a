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

// Steps of a loop that store over each other are ordered, those that move on by whole tiles or stay in place need not be.
// CHECK-LABEL: tile.kernel @steps
// CHECK: scf.for
// CHECK-NOT: tile.barrier
// CHECK: tile.store {{.*}} %arg0[
// CHECK-NEXT: tile.store {{.*}} %arg1[
// CHECK-NEXT: tile.slice
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store {{.*}} %arg3[
tile.kernel @steps(%apart: !tile.view<1xf32>, %inPlace: !tile.view<1xf32>, %slices: !tile.view<2xf32>, %over: !tile.view<1xf32>, %n: i32) {
  %t = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c4 = arith.constant 4 : i32
  scf.for %j = %c0 to %n step %c16 : i32 {
    %four = arith.muli %j, %c4 : i32
    %place = arith.addi %n, %four : i32
    tile.store %t, %apart [%place] : tensor<64xf32>, !tile.view<1xf32>
    tile.store %t, %inPlace [%n] : tensor<64xf32>, !tile.view<1xf32>
    %own = tile.slice %slices [%j] at [0] : !tile.view<2xf32> -> !tile.view<1xf32>
    tile.store %t, %own [%j] : tensor<64xf32>, !tile.view<1xf32>
    tile.store %t, %over [%j] : tensor<64xf32>, !tile.view<1xf32>
  }
  tile.return
}

// What an offset counts from may move as well, nothing is known of a position that the loop carries (here the barrier of the store before
// it does for both), and an inner position is another one in each step of an outer loop.
// CHECK-LABEL: tile.kernel @unknown
// CHECK: tile.narrow
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.store
// CHECK-NEXT: scf.for
// CHECK-NEXT: arith.addi
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
tile.kernel @unknown(%moved: !tile.view<1xf32>, %carried: !tile.view<1xf32>, %inner: !tile.view<1xf32>, %n: i32) {
  %t = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %end = scf.for %j = %c0 to %n step %c64 iter_args(%at = %c0) -> i32 : i32 {
    %back = arith.subi %n, %j : i32
    %view = tile.narrow %moved, 0 [%back, %c64] : !tile.view<1xf32>
    tile.store %t, %view [%j] : tensor<64xf32>, !tile.view<1xf32>
    tile.store %t, %carried [%at] : tensor<64xf32>, !tile.view<1xf32>
    scf.for %i = %c0 to %n step %c64 : i32 {
      %both = arith.addi %i, %j : i32
      tile.store %t, %inner [%both] : tensor<64xf32>, !tile.view<1xf32>
    }
    scf.yield %back : i32
  }
  tile.return
}
