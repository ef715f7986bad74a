// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ldmatrix of one, two and four matrices, plain and transposed. Lane i gives the address of row 5 i mod 32.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/ldmatrix.json
// CASE: {"name": "numbered", "arguments": [{"name": "in", "in": "u16", "iota": [0, 1], "count": 256},
// CASE:   {"name": "out", "out": "u32", "count": 448, "hex": true, "row": 14}]}
#b16 = #nvvm.ld_st_matrix_elt_type<b16>
#eight = #nvvm.ld_st_matrix_shape<m = 8, n = 8>
#row = #nvvm.mma_layout<row>
#col = #nvvm.mma_layout<col>
!two = !llvm.struct<(i32, i32)>
!four = !llvm.struct<(i32, i32, i32, i32)>
gpu.module @ldmatrix {
  gpu.func @ldmatrix(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tilefold.shared_bytes = 512 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %c5 = arith.constant 5 : i32
    %c14 = arith.constant 14 : i32
    %c31 = arith.constant 31 : i32
    %source = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %target = llvm.getelementptr %shared[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %x = llvm.load %source : !llvm.ptr<1> -> vector<4xi32>
    llvm.store %x, %target : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier0
    %scaled = arith.muli %lane, %c5 : i32
    %row = arith.andi %scaled, %c31 : i32
    %address = llvm.getelementptr %shared[%row] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %at = arith.muli %lane, %c14 : i32
    %results = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %m0 = nvvm.ldmatrix %address {num = 1 : i32, layout = #row, shape = #eight, eltType = #b16} : (!llvm.ptr<3>) -> i32
    %p0 = llvm.getelementptr %results[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m0, %p0 : i32, !llvm.ptr<1>
    %m1 = nvvm.ldmatrix %address {num = 2 : i32, layout = #row, shape = #eight, eltType = #b16} : (!llvm.ptr<3>) -> !two
    %m1_0 = llvm.extractvalue %m1[0] : !two
    %p1 = llvm.getelementptr %results[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m1_0, %p1 : i32, !llvm.ptr<1>
    %m1_1 = llvm.extractvalue %m1[1] : !two
    %p2 = llvm.getelementptr %results[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m1_1, %p2 : i32, !llvm.ptr<1>
    %m2 = nvvm.ldmatrix %address {num = 4 : i32, layout = #row, shape = #eight, eltType = #b16} : (!llvm.ptr<3>) -> !four
    %m2_0 = llvm.extractvalue %m2[0] : !four
    %p3 = llvm.getelementptr %results[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m2_0, %p3 : i32, !llvm.ptr<1>
    %m2_1 = llvm.extractvalue %m2[1] : !four
    %p4 = llvm.getelementptr %results[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m2_1, %p4 : i32, !llvm.ptr<1>
    %m2_2 = llvm.extractvalue %m2[2] : !four
    %p5 = llvm.getelementptr %results[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m2_2, %p5 : i32, !llvm.ptr<1>
    %m2_3 = llvm.extractvalue %m2[3] : !four
    %p6 = llvm.getelementptr %results[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m2_3, %p6 : i32, !llvm.ptr<1>
    %m3 = nvvm.ldmatrix %address {num = 1 : i32, layout = #col, shape = #eight, eltType = #b16} : (!llvm.ptr<3>) -> i32
    %p7 = llvm.getelementptr %results[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m3, %p7 : i32, !llvm.ptr<1>
    %m4 = nvvm.ldmatrix %address {num = 2 : i32, layout = #col, shape = #eight, eltType = #b16} : (!llvm.ptr<3>) -> !two
    %m4_0 = llvm.extractvalue %m4[0] : !two
    %p8 = llvm.getelementptr %results[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m4_0, %p8 : i32, !llvm.ptr<1>
    %m4_1 = llvm.extractvalue %m4[1] : !two
    %p9 = llvm.getelementptr %results[9] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m4_1, %p9 : i32, !llvm.ptr<1>
    %m5 = nvvm.ldmatrix %address {num = 4 : i32, layout = #col, shape = #eight, eltType = #b16} : (!llvm.ptr<3>) -> !four
    %m5_0 = llvm.extractvalue %m5[0] : !four
    %p10 = llvm.getelementptr %results[10] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m5_0, %p10 : i32, !llvm.ptr<1>
    %m5_1 = llvm.extractvalue %m5[1] : !four
    %p11 = llvm.getelementptr %results[11] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m5_1, %p11 : i32, !llvm.ptr<1>
    %m5_2 = llvm.extractvalue %m5[2] : !four
    %p12 = llvm.getelementptr %results[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m5_2, %p12 : i32, !llvm.ptr<1>
    %m5_3 = llvm.extractvalue %m5[3] : !four
    %p13 = llvm.getelementptr %results[13] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %m5_3, %p13 : i32, !llvm.ptr<1>
    gpu.return
  }
}
