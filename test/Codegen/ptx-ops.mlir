// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt %s | tilefold-base-opt | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @unary
  gpu.func @unary(%x: f32, %v: vector<64xf32>) kernel {
    // CHECK: ptx.ex2 %{{.*}} : f32
    %0 = ptx.ex2 %x : f32
    // CHECK: ptx.ex2 %{{.*}} : vector<64xf32>
    %1 = ptx.ex2 %v : vector<64xf32>
    // CHECK: ptx.lg2 %{{.*}} : f32
    %2 = ptx.lg2 %0 : f32
    // CHECK: ptx.rcp %{{.*}} : vector<64xf32>
    %3 = ptx.rcp %1 : vector<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @block
  gpu.func @block(%p: i1) kernel {
    // CHECK: ptx.barrier_or %{{.*}}
    %0 = ptx.barrier_or %p
    // CHECK: ptx.dynamic_shared : !llvm.ptr<3>
    %1 = ptx.dynamic_shared : !llvm.ptr<3>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @hopper
  // CHECK-SAME: !llvm.ptr {ptx.tensor_map}
  gpu.func @hopper(%map: !llvm.ptr {ptx.tensor_map}, %q: i64, %k: i64, %p: vector<4xi32>, %again: i1) kernel {
    // CHECK: %[[S0:.*]] = ptx.wgmma f16 %{{.*}}, %{{.*}} : i64 -> vector<64xf32>
    %s0 = ptx.wgmma f16 %q, %k : i64 -> vector<64xf32>
    // CHECK: %[[S1:.*]] = ptx.wgmma f16 %{{.*}}, %{{.*}}, %[[S0]] scale_d %{{.*}} transpose_a transpose_b negate_a negate_b : i64 -> vector<64xf32>
    %s1 = ptx.wgmma f16 %q, %k, %s0 scale_d %again transpose_a transpose_b negate_a negate_b : i64 -> vector<64xf32>
    // CHECK: %[[F:.*]]:2 = ptx.wgmma_fence %[[S1]], %{{.*}} : vector<64xf32>, vector<4xi32>
    %s2, %a = ptx.wgmma_fence %s1, %p : vector<64xf32>, vector<4xi32>
    // CHECK: %[[S3:.*]] = ptx.wgmma bf16 %[[F]]#1, %{{.*}}, %[[F]]#0 transpose_b : vector<4xi32> -> vector<64xf32>
    %s3 = ptx.wgmma bf16 %a, %k, %s2 transpose_b : vector<4xi32> -> vector<64xf32>
    // CHECK: ptx.wgmma_wait 1 %[[S3]] in_flight(%[[F]]#1 : vector<4xi32>) : vector<64xf32>
    %s4 = ptx.wgmma_wait 1 %s3 in_flight(%a : vector<4xi32>) : vector<64xf32>
    // CHECK: ptx.wgmma_wait 0 %{{.*}} : vector<64xf32>
    %s5 = ptx.wgmma_wait 0 %s4 : vector<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @wait
  gpu.func @wait(%barrier: !llvm.ptr<3>, %parity: i32) kernel {
    // CHECK: ptx.mbarrier_wait %{{.*}}, %{{.*}} : !llvm.ptr<3>
    ptx.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
    // CHECK: ptx.mbarrier_wait %{{.*}}, %{{.*}} cluster : !llvm.ptr<3>
    ptx.mbarrier_wait %barrier, %parity cluster : !llvm.ptr<3>
    gpu.return
  }
}
