// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// stmatrix of one, two and four matrices, plain and transposed, into zeros. Lane i gives the address of row 5 i mod 32.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/stmatrix.json
// CASE: {"name": "numbered", "arguments": [{"name": "in", "in": "u16", "iota": [1, 1], "count": 256},
// CASE:   {"name": "out", "out": "u16", "count": 1536, "row": 8}]}
#b16 = #nvvm.ld_st_matrix_elt_type<b16>
#eight = #nvvm.ld_st_matrix_shape<m = 8, n = 8>
#row = #nvvm.mma_layout<row>
#col = #nvvm.mma_layout<col>
gpu.module @stmatrix {
  gpu.func @stmatrix(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tilefold.shared_bytes = 512 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %c5 = arith.constant 5 : i32
    %c31 = arith.constant 31 : i32
    %zero = arith.constant dense<0> : vector<4xi32>
    %source = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %words = llvm.load %source : !llvm.ptr<1> -> vector<4xi32>
    %w0 = vector.extract %words[0] : i32 from vector<4xi32>
    %w1 = vector.extract %words[1] : i32 from vector<4xi32>
    %w2 = vector.extract %words[2] : i32 from vector<4xi32>
    %w3 = vector.extract %words[3] : i32 from vector<4xi32>
    %scaled = arith.muli %lane, %c5 : i32
    %row = arith.andi %scaled, %c31 : i32
    %address = llvm.getelementptr %shared[%row] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %own = llvm.getelementptr %shared[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %results = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>

    llvm.store %zero, %own : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier0
    nvvm.stmatrix %address, %w0 {layout = #row, shape = #eight, eltType = #b16} : !llvm.ptr<3>, i32
    nvvm.barrier0
    %x0 = llvm.load %own : !llvm.ptr<3> -> vector<4xi32>
    %p0 = llvm.getelementptr %results[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %x0, %p0 : vector<4xi32>, !llvm.ptr<1>
    nvvm.barrier0

    llvm.store %zero, %own : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier0
    nvvm.stmatrix %address, %w0, %w1 {layout = #row, shape = #eight, eltType = #b16} : !llvm.ptr<3>, i32, i32
    nvvm.barrier0
    %x1 = llvm.load %own : !llvm.ptr<3> -> vector<4xi32>
    %p1 = llvm.getelementptr %results[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %x1, %p1 : vector<4xi32>, !llvm.ptr<1>
    nvvm.barrier0

    llvm.store %zero, %own : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier0
    nvvm.stmatrix %address, %w0, %w1, %w2, %w3 {layout = #row, shape = #eight, eltType = #b16} : !llvm.ptr<3>, i32, i32,
        i32, i32
    nvvm.barrier0
    %x2 = llvm.load %own : !llvm.ptr<3> -> vector<4xi32>
    %p2 = llvm.getelementptr %results[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %x2, %p2 : vector<4xi32>, !llvm.ptr<1>
    nvvm.barrier0

    llvm.store %zero, %own : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier0
    nvvm.stmatrix %address, %w0 {layout = #col, shape = #eight, eltType = #b16} : !llvm.ptr<3>, i32
    nvvm.barrier0
    %x3 = llvm.load %own : !llvm.ptr<3> -> vector<4xi32>
    %p3 = llvm.getelementptr %results[96] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %x3, %p3 : vector<4xi32>, !llvm.ptr<1>
    nvvm.barrier0

    llvm.store %zero, %own : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier0
    nvvm.stmatrix %address, %w0, %w1 {layout = #col, shape = #eight, eltType = #b16} : !llvm.ptr<3>, i32, i32
    nvvm.barrier0
    %x4 = llvm.load %own : !llvm.ptr<3> -> vector<4xi32>
    %p4 = llvm.getelementptr %results[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %x4, %p4 : vector<4xi32>, !llvm.ptr<1>
    nvvm.barrier0

    llvm.store %zero, %own : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier0
    nvvm.stmatrix %address, %w0, %w1, %w2, %w3 {layout = #col, shape = #eight, eltType = #b16} : !llvm.ptr<3>, i32, i32,
        i32, i32
    nvvm.barrier0
    %x5 = llvm.load %own : !llvm.ptr<3> -> vector<4xi32>
    %p5 = llvm.getelementptr %results[160] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %x5, %p5 : vector<4xi32>, !llvm.ptr<1>
    nvvm.barrier0
    gpu.return
  }
}
