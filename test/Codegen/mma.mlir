// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of a matrix product, from base operations, for both 16-bit types; and that the values between them
// stay packed: one conversion per two numbers, no move of halves.
// RUN: tilefold-base-opt --emit-ptx %s -o %t.ptx && FileCheck %s < %t.ptx

// CHECK-LABEL: .entry half(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group
// CHECK: bar.sync
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: shfl.sync.bfly.b32
// CHECK-NOT: mov.b32 {{.*}}{
// CHECK-COUNT-2: cvt.rn.f16x2.f32
// CHECK-LABEL: .entry brain(
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-COUNT-2: cvt.rn.bf16x2.f32
gpu.module @kernels {
  gpu.func @half(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %base = ptx.dynamic_shared : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c16 = arith.constant 16 : i32
    %at = arith.muli %thread, %c16 : i32
    %shared = llvm.getelementptr %base[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %global = llvm.getelementptr %in[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    nvvm.cp.async.shared.global %shared, %global, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    nvvm.barrier0
    %m = nvvm.ldmatrix %shared {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
        eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %i0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
    %i1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
    %i2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
    %i3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
    %raw = vector.from_elements %i0, %i1, %i2, %i3 : vector<4xi32>
    %a = vector.bitcast %raw : vector<4xi32> to vector<8xf16>
    %a0 = vector.shuffle %a, %a [0, 1] : vector<8xf16>, vector<8xf16>
    %a1 = vector.shuffle %a, %a [2, 3] : vector<8xf16>, vector<8xf16>
    %a2 = vector.shuffle %a, %a [4, 5] : vector<8xf16>, vector<8xf16>
    %a3 = vector.shuffle %a, %a [6, 7] : vector<8xf16>, vector<8xf16>
    %zero = arith.constant 0.0 : f32
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%a0, %a2] C[%zero, %zero, %zero, %zero]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    %all = arith.constant -1 : i32
    %c1 = arith.constant 1 : i32
    %c31 = arith.constant 31 : i32
    %s = nvvm.shfl.sync bfly %all, %d0, %c1, %c31 : f32 -> f32
    %r = vector.from_elements %s, %d1, %d2, %d3 : vector<4xf32>
    %h = arith.truncf %r : vector<4xf32> to vector<4xf16>
    %p = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    llvm.store %h, %p {alignment = 8 : i64} : vector<4xf16>, !llvm.ptr<1>
    gpu.return
  }

  gpu.func @brain(%out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %base = ptx.dynamic_shared : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %m = nvvm.ldmatrix %base {num = 4 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
        eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %a0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
    %a1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
    %a2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
    %a3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
    %zero = arith.constant 0.0 : f32
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%a0, %a2] C[%zero, %zero, %zero, %zero]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>,
         multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    %r = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
    %h = arith.truncf %r : vector<4xf32> to vector<4xbf16>
    %p = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
    llvm.store %h, %p {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr<1>
    gpu.return
  }
}
