// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may be an accumulator in flight is checked where something computes with it: once for a value in a block, and through
// loops and shuffles. Giving it to the next product, a fence or a wait is no use.
// RUN: tilefold-base-opt --pass-pipeline='builtin.module(gpu.module(check-base,retarget-base-to-host))' %s | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @waits(
  gpu.func @waits(%a: i64, %b: i64, %out: !llvm.ptr<1>) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : vector<4xf32>
    // CHECK: scf.for
    // CHECK-NOT: wgmma_use
    // CHECK: tilefold_sim_wgmma_ss
    // CHECK-NOT: wgmma_use
    // CHECK: scf.yield
    %sum = scf.for %i = %c0 to %c1 step %c1 iter_args(%carried = %zeros) -> vector<4xf32> : i32 {
      %fenced = ptx.wgmma_fence %carried : vector<4xf32>
      %next = ptx.wgmma f16 %a, %b, %fenced : i64 -> vector<4xf32>
      scf.yield %next : vector<4xf32>
    }
    // CHECK: tilefold_sim_wgmma_commit
    nvvm.wgmma.commit.group.sync.aligned
    // CHECK: tilefold_sim_wgmma_wait
    // CHECK: tilefold_sim_wgmma_result
    // CHECK-NOT: wgmma_use
    %done = ptx.wgmma_wait 0 %sum : vector<4xf32>
    // The wait may wait for too little. CHECK: tilefold_sim_wgmma_use
    // CHECK: arith.addf
    %twice = arith.addf %done, %done : vector<4xf32>
    // CHECK-NOT: wgmma_use
    // CHECK: arith.mulf
    %square = arith.mulf %done, %twice : vector<4xf32>
    // CHECK: vector.extract
    %one = vector.extract %sum[1] : f32 from vector<4xf32>
    // CHECK: tilefold_sim_wgmma_use
    // CHECK: arith.negf
    %negative = arith.negf %one : f32
    // CHECK-NOT: wgmma_use
    llvm.store %negative, %out : f32, !llvm.ptr<1>
    llvm.store %square, %out : vector<4xf32>, !llvm.ptr<1>
    // CHECK: llvm.return
    gpu.return
  }
}
