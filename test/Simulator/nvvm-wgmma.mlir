// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVVM's own product of a warpgroup gives what ptx.wgmma gives, also transposed and negated. (ptx.wgmma is compared with a GPU.)
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s | FileCheck %s
// CASE: {"arguments": [{"in": "f16", "integers": [-4, 4], "seed": 5, "count": 1152}, {"name": "first", "out": "f32", "count": 512, "show": false},
// CASE:   {"name": "difference", "out": "f32", "count": 512, "row": 64}, {"name": "magnitude", "out": "f32", "count": 512, "row": 64}]}
// CHECK: difference = [0, 0, 0, 0,
// CHECK-NOT: {{[1-9]}}
// The results themselves are not all zero. CHECK: magnitude = [
// CHECK-SAME: {{[1-9]}}
// CHECK-NOT: finding
!four = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @m {
  gpu.func @k(%in: !llvm.ptr<1>, %first: !llvm.ptr<1>, %difference: !llvm.ptr<1>, %magnitudes: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 2304 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %words = arith.constant 576 : i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %thread to %words step %c128 : i32 {
      %from = llvm.getelementptr %in[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %to = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %word = llvm.load %from : !llvm.ptr<1> -> i32
      llvm.store %word, %to : i32, !llvm.ptr<3>
    }
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    // Core matrices 128 bytes apart along k, 256 along m or n.
    %start = llvm.ptrtoint %shared : !llvm.ptr<3> to i64
    %c4 = arith.constant 4 : i64
    %at = arith.shrui %start, %c4 : i64
    %strides = arith.constant 68720001024 : i64
    %a = arith.addi %at, %strides : i64
    %c128_i64 = arith.constant 128 : i64
    %b = arith.addi %a, %c128_i64 : i64
    %zero = llvm.mlir.zero : !four
    %zeros = arith.constant dense<0.0> : vector<4xf32>
    %start0 = ptx.wgmma_fence %zeros : vector<4xf32>
    %p0 = ptx.wgmma f16 %a, %b, %start0 : i64 -> vector<4xf32>
    %p1 = ptx.wgmma f16 %a, %b, %p0 transpose_b negate_a : i64 -> vector<4xf32>
    %n0 = nvvm.wgmma.mma_async %a, %b, %zero, #nvvm.shape<m = 64, n = 8, k = 16>, D [<f32>, <zero>],
        A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !four -> !four
    %n1 = nvvm.wgmma.mma_async %a, %b, %n0, #nvvm.shape<m = 64, n = 8, k = 16>, D [<f32>, <one>],
        A [<f16>, <neg>, <row>], B [<f16>, <one>, <row>] : !four -> !four
    nvvm.wgmma.commit.group.sync.aligned
    %p = ptx.wgmma_wait 0 %p1 : vector<4xf32>
    // NVVM's wait does not carry the accumulators; a wait that does gives their values.
    %t0 = llvm.extractvalue %n1[0] : !four
    %t1 = llvm.extractvalue %n1[1] : !four
    %t2 = llvm.extractvalue %n1[2] : !four
    %t3 = llvm.extractvalue %n1[3] : !four
    %tokens = vector.from_elements %t0, %t1, %t2, %t3 : vector<4xf32>
    %n = ptx.wgmma_wait 0 %tokens : vector<4xf32>
    %d = arith.subf %p, %n : vector<4xf32>
    %magnitude = math.absf %p : vector<4xf32>
    %to0 = llvm.getelementptr %first[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>
    %to1 = llvm.getelementptr %difference[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>
    %to2 = llvm.getelementptr %magnitudes[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>
    llvm.store %p, %to0 : vector<4xf32>, !llvm.ptr<1>
    llvm.store %d, %to1 : vector<4xf32>, !llvm.ptr<1>
    llvm.store %magnitude, %to2 : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
}
