// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base --split-input-file | FileCheck %s
// Views are a pointer, extents and strides; what makes a view of another changes these and moves nothing.
#lanes = #tile.layout<registers = [], lanes = [32:0:1], warps = []>

// The pointer moves to the row; the column's extent and stride are those of the view.
// CHECK: gpu.func @slice({{.*}}%arg3: !llvm.ptr<1>, %arg4: i32, %[[COLUMNS:.*]]: i32, %[[ROW_STRIDE:.*]]: i64, %[[STRIDE:.*]]: i64, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %{{.*}}: i64, %[[I:.*]]: i32) kernel
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: %[[WIDE:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[AT:.*]] = arith.muli %[[WIDE]], %[[ROW_STRIDE]] : i64
// CHECK: %[[ROW:.*]] = llvm.getelementptr %arg3[%[[AT]]]
// CHECK: arith.cmpi ult, %[[LANE]], %[[COLUMNS]]
// CHECK: arith.muli %{{.*}}, %[[STRIDE]] : i64
// CHECK: llvm.getelementptr %[[ROW]][
tile.kernel @slice(%x: !tile.view<2xi32>, %y: !tile.view<1xi32>, %i: i32) attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %row = tile.slice %x [%i] at [0] : !tile.view<2xi32> -> !tile.view<1xi32>
  %t = tile.load %row [%c0] : !tile.view<1xi32> -> tensor<32xi32, #lanes>
  tile.store %t, %y [%c0] : tensor<32xi32, #lanes>, !tile.view<1xi32>
  tile.return
}

// -----

#lanes = #tile.layout<registers = [], lanes = [32:0:1], warps = []>
// The pointer moves to the first element; the extent is the given one, the stride stays.
// CHECK: gpu.func @narrow({{.*}}%arg3: !llvm.ptr<1>, %arg4: i32, %[[STRIDE:.*]]: i64, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %{{.*}}: i64, %[[I:.*]]: i32, %[[N:.*]]: i32) kernel
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: %[[WIDE:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[AT:.*]] = arith.muli %[[WIDE]], %[[STRIDE]] : i64
// CHECK: %[[PART:.*]] = llvm.getelementptr %arg3[%[[AT]]]
// CHECK: arith.cmpi ult, %[[LANE]], %[[N]]
// CHECK: arith.muli %{{.*}}, %[[STRIDE]] : i64
// CHECK: llvm.getelementptr %[[PART]][
tile.kernel @narrow(%x: !tile.view<1xi32>, %y: !tile.view<1xi32>, %i: i32, %n: i32) attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %part = tile.narrow %x, 0 [%i, %n] : !tile.view<1xi32>
  %t = tile.load %part [%c0] : !tile.view<1xi32> -> tensor<32xi32, #lanes>
  tile.store %t, %y [%c0] : tensor<32xi32, #lanes>, !tile.view<1xi32>
  tile.return
}

// -----

#lanes = #tile.layout<registers = [], lanes = [32:0:1], warps = []>
// Parameters as they are.
// CHECK: gpu.func @size_and_stride({{.*}}%arg3: !llvm.ptr<1>, %arg4: i32, %[[SIZE:.*]]: i32, %[[STRIDE:.*]]: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr<1>
// CHECK: %[[SHORT:.*]] = arith.trunci %[[STRIDE]] : i64 to i32
// CHECK: arith.addi %[[SIZE]], %[[SHORT]] : i32
tile.kernel @size_and_stride(%x: !tile.view<2xi32>, %y: !tile.view<1xi32>) attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %n = tile.size %x, 1 : !tile.view<2xi32> -> i32
  %s = tile.stride %x, 0 : !tile.view<2xi32>
  %short = arith.trunci %s : i64 to i32
  %both = arith.addi %n, %short : i32
  %t = tile.splat %both : i32 -> tensor<32xi32, #lanes>
  tile.store %t, %y [%c0] : tensor<32xi32, #lanes>, !tile.view<1xi32>
  tile.return
}
