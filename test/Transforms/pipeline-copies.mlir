// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-pipeline-copies --split-input-file | FileCheck %s

// Three stages: two steps are started in front of the loop, each if there is one; the wait for the queries moves behind it.
// CHECK-LABEL: tile.kernel @ring
// CHECK-NOT: tile.alloc : !tile.buffer<32x64xf16
// CHECK: %[[RING:.*]] = tile.alloc : !tile.buffer<3x32x64xf16, <3, 0>>
// CHECK: tile.copy_async %arg0
// CHECK-NEXT: tile.commit_copies
// CHECK-NOT: tile.wait_copies
// CHECK-COUNT-2: scf.if {{.*}} {
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[N:.*]] step {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SLOT:.*]] = %{{.*}})
// CHECK-NEXT: tile.wait_copies 1
// CHECK-NEXT: tile.barrier
// CHECK: %[[TARGET:.*]] = arith.addi %[[J]],
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[TARGET]], %[[N]]
// CHECK: scf.if %[[EXISTS]] {
// CHECK: %[[NEXT:.*]] = tile.slot %[[RING]]
// CHECK: tile.copy_async %arg1[%[[TARGET]], {{.*}}] to %[[NEXT]]
// CHECK-NEXT: }
// CHECK: tile.commit_copies
// CHECK: %[[NOW:.*]] = tile.slot %[[RING]][%[[SLOT]]]
// CHECK-NOT: tile.copy_async
// CHECK-NOT: tile.barrier
// CHECK: tile.transpose %[[NOW]]
// CHECK: tile.dot
// CHECK-NOT: tile.barrier
// CHECK: scf.yield
// CHECK: }
// CHECK-NEXT: tile.wait_copies 0
// CHECK-NEXT: tile.barrier
tile.kernel @ring(%q: !tile.view<2xf16>, %k: !tile.view<2xf16>, %n: i32)
    attributes {schedule = #tile.schedule<warps = 4, stages = 3>} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %qb = tile.alloc : !tile.buffer<64x64xf16, <3, 0>>
  %kb = tile.alloc : !tile.buffer<32x64xf16, <3, 0>>
  tile.copy_async %q [%c0, %c0] to %qb : !tile.view<2xf16>, !tile.buffer<64x64xf16, <3, 0>>
  tile.commit_copies
  tile.wait_copies 0
  tile.barrier
  %r = scf.for %j = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i32 {
    tile.copy_async %k [%j, %c0] to %kb : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
    tile.commit_copies
    %t = tile.transpose %kb : !tile.buffer<32x64xf16, <3, 0>> -> !tile.buffer<64x32xf16, <3, 0>, transposed>
    tile.wait_copies 0
    tile.barrier
    %d = tile.dot %qb, %t, %acc : !tile.buffer<64x64xf16, <3, 0>>, !tile.buffer<64x32xf16, <3, 0>, transposed>, tensor<64x32xf32>
    tile.barrier
    scf.yield %d : tensor<64x32xf32>
  }
  tile.return
}

// -----

// An enclosing loop refills the ring: one more barrier in front of the first copies.
// CHECK-LABEL: tile.kernel @nested
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK: tile.copy_async
// CHECK: scf.for
// CHECK-NEXT: tile.wait_copies 0
// CHECK: tile.read
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: }
tile.kernel @nested(%k: !tile.view<2xf16>, %n: i32) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %kb = tile.alloc : !tile.buffer<32x64xf16, <3, 0>>
  scf.for %i = %c0 to %n step %c32 : i32 {
    scf.for %j = %c0 to %n step %c32 : i32 {
      tile.copy_async %k [%j, %i] to %kb : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
      tile.commit_copies
      tile.wait_copies 0
      tile.barrier
      %t = tile.read %kb : !tile.buffer<32x64xf16, <3, 0>> -> tensor<32x64xf16>
      tile.barrier
    }
  }
  tile.return
}

// -----

// Left as they are: a cold loop, a buffer that is filled through registers, a position that depends on the step before,
// and everything when the schedule has one stage.
// CHECK-LABEL: tile.kernel @kept
// CHECK-NOT: tile.slot
// CHECK-NOT: !tile.buffer<2x
tile.kernel @kept(%k: !tile.view<2xf16>, %n: i32) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %kb = tile.alloc : !tile.buffer<32x64xf16, <3, 0>>
  %vb = tile.alloc : !tile.buffer<32x64xf16, <3, 0>>
  scf.for %j = %c0 to %n step %c32 : i32 {
    tile.copy_async %k [%j, %c0] to %kb : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
    tile.commit_copies
    tile.wait_copies 0
    tile.barrier
    tile.barrier
  } {tile.cold}
  scf.for %j = %c0 to %n step %c32 : i32 {
    tile.copy_async %k [%j, %c0] to %kb : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
    tile.commit_copies
    tile.copy %k [%j, %c32] to %vb : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
    tile.wait_copies 0
    tile.barrier
    tile.barrier
  }
  %last = scf.for %j = %c0 to %n step %c32 iter_args(%at = %c0) -> (i32) : i32 {
    tile.copy_async %k [%at, %c0] to %kb : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
    tile.commit_copies
    tile.wait_copies 0
    tile.barrier
    %next = arith.addi %at, %j : i32
    tile.barrier
    scf.yield %next : i32
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @one_stage
// CHECK-NOT: tile.slot
tile.kernel @one_stage(%k: !tile.view<2xf16>, %n: i32) attributes {schedule = #tile.schedule<warps = 4, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %kb = tile.alloc : !tile.buffer<32x64xf16, <3, 0>>
  scf.for %j = %c0 to %n step %c32 : i32 {
    tile.copy_async %k [%j, %c0] to %kb : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
    tile.commit_copies
    tile.wait_copies 0
    tile.barrier
    tile.barrier
  }
  tile.return
}

// -----

// The wait for the queries moves into a nest of loops that does nothing before its ring, and behind each of the loops.
// CHECK-LABEL: tile.kernel @stretches
// CHECK: tile.copy_async %arg0
// CHECK-NEXT: tile.commit_copies
// CHECK-NOT: tile.wait_copies
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: tile.wait_copies 0
// CHECK-NEXT: tile.barrier
// CHECK: tile.dot
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.wait_copies 0
// CHECK-NEXT: tile.barrier
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.wait_copies 0
// CHECK-NEXT: tile.barrier
tile.kernel @stretches(%q: !tile.view<2xf16>, %k: !tile.view<2xf16>, %n: i32)
    attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c4096 = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %qb = tile.alloc : !tile.buffer<64x64xf16, <3, 0>>
  %kb = tile.alloc : !tile.buffer<32x64xf16, <3, 0>>
  tile.copy_async %q [%c0, %c0] to %qb : !tile.view<2xf16>, !tile.buffer<64x64xf16, <3, 0>>
  tile.commit_copies
  tile.wait_copies 0
  tile.barrier
  %sum = scf.for %i = %c0 to %n step %c4096 iter_args(%all = %zero) -> (tensor<64x32xf32>) : i32 {
    %r = scf.for %j = %i to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i32 {
      tile.copy_async %k [%j, %c0] to %kb : !tile.view<2xf16>, !tile.buffer<32x64xf16, <3, 0>>
      tile.commit_copies
      %t = tile.transpose %kb : !tile.buffer<32x64xf16, <3, 0>> -> !tile.buffer<64x32xf16, <3, 0>, transposed>
      tile.wait_copies 0
      tile.barrier
      %d = tile.dot %qb, %t, %acc : !tile.buffer<64x64xf16, <3, 0>>, !tile.buffer<64x32xf16, <3, 0>, transposed>, tensor<64x32xf32>
      tile.barrier
      scf.yield %d : tensor<64x32xf32>
    }
    %next = arith.addf %all, %r : tensor<64x32xf32>
    scf.yield %next : tensor<64x32xf32>
  }
  tile.return
}
