// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync.m16n8k8 and m16n8k16 on fragments as they lie in registers: four f32 for each lane. The tolerance, 2^-22,
// is less than 2^-20 of any element's sum |a||b|.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/mma.json
// CASE: {"name": "integers f16 k8", "kernel": "mma_f16_k8", "arguments": [
// CASE:   {"in": "f16", "integers": [-8, 8], "seed": 1, "count": 128},
// CASE:   {"in": "f16", "integers": [-8, 8], "seed": 1001, "count": 64},
// CASE:   {"in": "f32", "integers": [-100, 100], "seed": 2001, "count": 128},
// CASE:   {"name": "out", "out": "f32", "count": 128, "row": 4}]}
// CASE: {"name": "uniform f16 k8", "kernel": "mma_f16_k8", "arguments": [
// CASE:   {"in": "f16", "uniform": [-1, 1], "seed": 3, "count": 128},
// CASE:   {"in": "f16", "uniform": [-1, 1], "seed": 1003, "count": 64},
// CASE:   {"in": "f32", "uniform": [-1, 1], "seed": 2003, "count": 128},
// CASE:   {"name": "out", "out": "f32", "count": 128, "row": 4, "within": 2.4e-07}]}
// CASE: {"name": "integers f16 k16", "kernel": "mma_f16_k16", "arguments": [
// CASE:   {"in": "f16", "integers": [-8, 8], "seed": 1, "count": 256},
// CASE:   {"in": "f16", "integers": [-8, 8], "seed": 1001, "count": 128},
// CASE:   {"in": "f32", "integers": [-100, 100], "seed": 2001, "count": 128},
// CASE:   {"name": "out", "out": "f32", "count": 128, "row": 4}]}
// CASE: {"name": "uniform f16 k16", "kernel": "mma_f16_k16", "arguments": [
// CASE:   {"in": "f16", "uniform": [-1, 1], "seed": 3, "count": 256},
// CASE:   {"in": "f16", "uniform": [-1, 1], "seed": 1003, "count": 128},
// CASE:   {"in": "f32", "uniform": [-1, 1], "seed": 2003, "count": 128},
// CASE:   {"name": "out", "out": "f32", "count": 128, "row": 4, "within": 2.4e-07}]}
// CASE: {"name": "integers bf16 k8", "kernel": "mma_bf16_k8", "arguments": [
// CASE:   {"in": "bf16", "integers": [-8, 8], "seed": 1, "count": 128},
// CASE:   {"in": "bf16", "integers": [-8, 8], "seed": 1001, "count": 64},
// CASE:   {"in": "f32", "integers": [-100, 100], "seed": 2001, "count": 128},
// CASE:   {"name": "out", "out": "f32", "count": 128, "row": 4}]}
// CASE: {"name": "uniform bf16 k8", "kernel": "mma_bf16_k8", "arguments": [
// CASE:   {"in": "bf16", "uniform": [-1, 1], "seed": 3, "count": 128},
// CASE:   {"in": "bf16", "uniform": [-1, 1], "seed": 1003, "count": 64},
// CASE:   {"in": "f32", "uniform": [-1, 1], "seed": 2003, "count": 128},
// CASE:   {"name": "out", "out": "f32", "count": 128, "row": 4, "within": 2.4e-07}]}
// CASE: {"name": "integers bf16 k16", "kernel": "mma_bf16_k16", "arguments": [
// CASE:   {"in": "bf16", "integers": [-8, 8], "seed": 1, "count": 256},
// CASE:   {"in": "bf16", "integers": [-8, 8], "seed": 1001, "count": 128},
// CASE:   {"in": "f32", "integers": [-100, 100], "seed": 2001, "count": 128},
// CASE:   {"name": "out", "out": "f32", "count": 128, "row": 4}]}
// CASE: {"name": "uniform bf16 k16", "kernel": "mma_bf16_k16", "arguments": [
// CASE:   {"in": "bf16", "uniform": [-1, 1], "seed": 3, "count": 256},
// CASE:   {"in": "bf16", "uniform": [-1, 1], "seed": 1003, "count": 128},
// CASE:   {"in": "f32", "uniform": [-1, 1], "seed": 2003, "count": 128},
// CASE:   {"name": "out", "out": "f32", "count": 128, "row": 4, "within": 2.4e-07}]}
#row = #nvvm.mma_layout<row>
#col = #nvvm.mma_layout<col>
#k8 = #nvvm.shape<m = 16, n = 8, k = 8>
#k16 = #nvvm.shape<m = 16, n = 8, k = 16>
#bf16 = #nvvm.mma_type<bf16>
!d = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @mma {
  gpu.func @mma_f16_k8(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes
      {known_block_size = array<i32: 32, 1, 1>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %pa = llvm.getelementptr %a[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2xi32>
    %pb = llvm.getelementptr %b[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<1xi32>
    %pc = llvm.getelementptr %c[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %po = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %va = llvm.load %pa : !llvm.ptr<1> -> vector<2xi32>
    %vb = llvm.load %pb : !llvm.ptr<1> -> vector<1xi32>
    %vc = llvm.load %pc : !llvm.ptr<1> -> vector<4xf32>
    %ha = vector.bitcast %va : vector<2xi32> to vector<4xf16>
    %a0 = vector.shuffle %ha, %ha [0, 1] : vector<4xf16>, vector<4xf16>
    %a1 = vector.shuffle %ha, %ha [2, 3] : vector<4xf16>, vector<4xf16>
    %hb = vector.bitcast %vb : vector<1xi32> to vector<2xf16>
    %b0 = vector.shuffle %hb, %hb [0, 1] : vector<2xf16>, vector<2xf16>
    %c0 = vector.extract %vc[0] : f32 from vector<4xf32>
    %c1 = vector.extract %vc[1] : f32 from vector<4xf32>
    %c2 = vector.extract %vc[2] : f32 from vector<4xf32>
    %c3 = vector.extract %vc[3] : f32 from vector<4xf32>
    %d = nvvm.mma.sync A[%a0, %a1] B[%b0] C[%c0, %c1, %c2, %c3]
        {layoutA = #row, layoutB = #col, shape = #k8} : (vector<2xf16>, vector<2xf16>, f32) -> !d
    %d0 = llvm.extractvalue %d[0] : !d
    %d1 = llvm.extractvalue %d[1] : !d
    %d2 = llvm.extractvalue %d[2] : !d
    %d3 = llvm.extractvalue %d[3] : !d
    %vd = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
    llvm.store %vd, %po : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @mma_f16_k16(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes
      {known_block_size = array<i32: 32, 1, 1>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %pa = llvm.getelementptr %a[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %pb = llvm.getelementptr %b[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2xi32>
    %pc = llvm.getelementptr %c[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %po = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %va = llvm.load %pa : !llvm.ptr<1> -> vector<4xi32>
    %vb = llvm.load %pb : !llvm.ptr<1> -> vector<2xi32>
    %vc = llvm.load %pc : !llvm.ptr<1> -> vector<4xf32>
    %ha = vector.bitcast %va : vector<4xi32> to vector<8xf16>
    %a0 = vector.shuffle %ha, %ha [0, 1] : vector<8xf16>, vector<8xf16>
    %a1 = vector.shuffle %ha, %ha [2, 3] : vector<8xf16>, vector<8xf16>
    %a2 = vector.shuffle %ha, %ha [4, 5] : vector<8xf16>, vector<8xf16>
    %a3 = vector.shuffle %ha, %ha [6, 7] : vector<8xf16>, vector<8xf16>
    %hb = vector.bitcast %vb : vector<2xi32> to vector<4xf16>
    %b0 = vector.shuffle %hb, %hb [0, 1] : vector<4xf16>, vector<4xf16>
    %b1 = vector.shuffle %hb, %hb [2, 3] : vector<4xf16>, vector<4xf16>
    %c0 = vector.extract %vc[0] : f32 from vector<4xf32>
    %c1 = vector.extract %vc[1] : f32 from vector<4xf32>
    %c2 = vector.extract %vc[2] : f32 from vector<4xf32>
    %c3 = vector.extract %vc[3] : f32 from vector<4xf32>
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
        {layoutA = #row, layoutB = #col, shape = #k16} : (vector<2xf16>, vector<2xf16>, f32) -> !d
    %d0 = llvm.extractvalue %d[0] : !d
    %d1 = llvm.extractvalue %d[1] : !d
    %d2 = llvm.extractvalue %d[2] : !d
    %d3 = llvm.extractvalue %d[3] : !d
    %vd = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
    llvm.store %vd, %po : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @mma_bf16_k8(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes
      {known_block_size = array<i32: 32, 1, 1>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %pa = llvm.getelementptr %a[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2xi32>
    %pb = llvm.getelementptr %b[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<1xi32>
    %pc = llvm.getelementptr %c[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %po = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %va = llvm.load %pa : !llvm.ptr<1> -> vector<2xi32>
    %vb = llvm.load %pb : !llvm.ptr<1> -> vector<1xi32>
    %vc = llvm.load %pc : !llvm.ptr<1> -> vector<4xf32>
    %a0 = vector.extract %va[0] : i32 from vector<2xi32>
    %a1 = vector.extract %va[1] : i32 from vector<2xi32>
    %b0 = vector.extract %vb[0] : i32 from vector<1xi32>
    %c0 = vector.extract %vc[0] : f32 from vector<4xf32>
    %c1 = vector.extract %vc[1] : f32 from vector<4xf32>
    %c2 = vector.extract %vc[2] : f32 from vector<4xf32>
    %c3 = vector.extract %vc[3] : f32 from vector<4xf32>
    %d = nvvm.mma.sync A[%a0, %a1] B[%b0] C[%c0, %c1, %c2, %c3]
        {layoutA = #row, layoutB = #col, shape = #k8, multiplicandAPtxType = #bf16, multiplicandBPtxType = #bf16} : (i32,
            i32, f32) -> !d
    %d0 = llvm.extractvalue %d[0] : !d
    %d1 = llvm.extractvalue %d[1] : !d
    %d2 = llvm.extractvalue %d[2] : !d
    %d3 = llvm.extractvalue %d[3] : !d
    %vd = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
    llvm.store %vd, %po : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @mma_bf16_k16(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes
      {known_block_size = array<i32: 32, 1, 1>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %pa = llvm.getelementptr %a[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %pb = llvm.getelementptr %b[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2xi32>
    %pc = llvm.getelementptr %c[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %po = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %va = llvm.load %pa : !llvm.ptr<1> -> vector<4xi32>
    %vb = llvm.load %pb : !llvm.ptr<1> -> vector<2xi32>
    %vc = llvm.load %pc : !llvm.ptr<1> -> vector<4xf32>
    %a0 = vector.extract %va[0] : i32 from vector<4xi32>
    %a1 = vector.extract %va[1] : i32 from vector<4xi32>
    %a2 = vector.extract %va[2] : i32 from vector<4xi32>
    %a3 = vector.extract %va[3] : i32 from vector<4xi32>
    %b0 = vector.extract %vb[0] : i32 from vector<2xi32>
    %b1 = vector.extract %vb[1] : i32 from vector<2xi32>
    %c0 = vector.extract %vc[0] : f32 from vector<4xf32>
    %c1 = vector.extract %vc[1] : f32 from vector<4xf32>
    %c2 = vector.extract %vc[2] : f32 from vector<4xf32>
    %c3 = vector.extract %vc[3] : f32 from vector<4xf32>
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
        {layoutA = #row, layoutB = #col, shape = #k16, multiplicandAPtxType = #bf16, multiplicandBPtxType = #bf16} : (i32,
            i32, f32) -> !d
    %d0 = llvm.extractvalue %d[0] : !d
    %d1 = llvm.extractvalue %d[1] : !d
    %d2 = llvm.extractvalue %d[2] : !d
    %d3 = llvm.extractvalue %d[3] : !d
    %vd = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
    llvm.store %vd, %po : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
}
