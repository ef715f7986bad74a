// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base --split-input-file | FileCheck %s

// Two buffers of 2048 bytes: never in use at the same time, and a barrier between the uses.
// CHECK-LABEL: gpu.func @one_after_the_other
// CHECK-SAME: tilefold.shared_bytes = 2048
tile.kernel @one_after_the_other(%x: !tile.view<2xf16> {tile.aligned}) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %a = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  tile.copy_async %x [%c0, %c0] to %a : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
  tile.commit_copies
  tile.wait_copies 0
  tile.barrier
  %b = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  tile.copy_async %x [%c0, %c0] to %b : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
  tile.return
}

// -----

// A thread may still read the first while another writes the second: no barrier lies between.
// CHECK-LABEL: gpu.func @without_a_barrier
// CHECK-SAME: tilefold.shared_bytes = 4096
tile.kernel @without_a_barrier(%x: !tile.view<2xf16> {tile.aligned}) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %a = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  tile.copy_async %x [%c0, %c0] to %a : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
  %b = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  tile.copy_async %x [%c0, %c0] to %b : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
  tile.return
}

// -----

// A barrier inside a loop separates nothing: the loop's steps use both.
// CHECK-LABEL: gpu.func @in_a_loop
// CHECK-SAME: tilefold.shared_bytes = 4096
tile.kernel @in_a_loop(%x: !tile.view<2xf16> {tile.aligned}, %n: i32) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  %b = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.copy_async %x [%c0, %c0] to %a : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
    tile.barrier
    tile.copy_async %x [%c0, %c0] to %b : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
  }
  tile.return
}

// -----

// A view of a buffer keeps it in use.
// CHECK-LABEL: gpu.func @through_a_slot
// CHECK-SAME: tilefold.shared_bytes = 6144
tile.kernel @through_a_slot(%x: !tile.view<2xf16> {tile.aligned}, %i: i32) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %a = tile.alloc : !tile.buffer<2x16x64xf16, <3, 0>>
  %s = tile.slot %a [%i] : !tile.buffer<2x16x64xf16, <3, 0>> -> !tile.buffer<16x64xf16, <3, 0>>
  %b = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  tile.copy_async %x [%c0, %c0] to %b : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
  tile.barrier
  tile.copy_async %x [%c0, %c0] to %s : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
  tile.copy_async %x [%c0, %c0] to %b : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
  tile.return
}

// -----

// Two loops of one branch of a loop, each of which ends with a barrier: what the first one used is free for the second, and for the
// first again in the next step.
// CHECK-LABEL: gpu.func @loops_that_end_with_a_barrier
// CHECK-SAME: tilefold.shared_bytes = 2048
tile.kernel @loops_that_end_with_a_barrier(%x: !tile.view<2xf16> {tile.aligned}, %n: i32) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  %b = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      tile.copy_async %x [%c0, %c0] to %a : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
      tile.barrier
    }
    scf.for %j = %c0 to %n step %c1 : i32 {
      tile.copy_async %x [%c0, %c0] to %b : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
      tile.barrier
    }
  }
  tile.return
}

// -----

// A barrier between them is not enough in a loop: the next step uses the first while another thread still uses the second.
// CHECK-LABEL: gpu.func @nothing_behind_the_second
// CHECK-SAME: tilefold.shared_bytes = 4096
tile.kernel @nothing_behind_the_second(%x: !tile.view<2xf16> {tile.aligned}, %n: i32) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  %b = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      tile.copy_async %x [%c0, %c0] to %a : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
    }
    tile.barrier
    scf.for %j = %c0 to %n step %c1 : i32 {
      tile.copy_async %x [%c0, %c0] to %b : !tile.view<2xf16>, !tile.buffer<16x64xf16, <3, 0>>
    }
  }
  tile.return
}
