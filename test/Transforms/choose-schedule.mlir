// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-choose-schedule --split-input-file | FileCheck %s
// RUN: tilefold-opt %s --tile-choose-schedule="warps=2 stages=3" --split-input-file | FileCheck %s --check-prefix=FORCED

// FORCED-COUNT-9: schedule = #tile.schedule<warps = 2, stages = 3>

// CHECK-LABEL: tile.kernel @no_product
// CHECK-SAME: schedule = #tile.schedule<warps = 4, stages = 2>
tile.kernel @no_product(%x: !tile.view<1xf32>) {
  tile.return
}

// -----

// What is there stays, unless an option says otherwise.
// CHECK-LABEL: tile.kernel @kept
// CHECK-SAME: schedule = #tile.schedule<warps = 1, stages = 4>
tile.kernel @kept(%x: !tile.view<1xf32>) attributes {schedule = #tile.schedule<warps = 1, stages = 4>} {
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @usual
// CHECK-SAME: warps = 4
tile.kernel @usual() {
  %a = arith.constant dense<0.0> : tensor<64x64xf16>
  %b = arith.constant dense<0.0> : tensor<64x64xf16>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %b, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.return
}

// -----

// 128 x 256 elements are 256 registers of each of 128 threads.
// CHECK-LABEL: tile.kernel @large
// CHECK-SAME: warps = 8
tile.kernel @large() {
  %a = arith.constant dense<0.0> : tensor<128x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x256xf16>
  %c = arith.constant dense<0.0> : tensor<128x256xf32>
  %d = tile.dot %a, %b, %c : tensor<128x16xf16>, tensor<16x256xf16>, tensor<128x256xf32>
  tile.return
}

// -----

// Two products count together; a cold one does not count.
// CHECK-LABEL: tile.kernel @together
// CHECK-SAME: warps = 8
tile.kernel @together() {
  %a = arith.constant dense<0.0> : tensor<128x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x128xf16>
  %c = arith.constant dense<0.0> : tensor<128x128xf32>
  %d = tile.dot %a, %b, %c : tensor<128x16xf16>, tensor<16x128xf16>, tensor<128x128xf32>
  %e = tile.dot %a, %b, %d : tensor<128x16xf16>, tensor<16x128xf16>, tensor<128x128xf32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @cold
// CHECK-SAME: warps = 4
tile.kernel @cold() {
  %a = arith.constant dense<0.0> : tensor<128x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x128xf16>
  %c = arith.constant dense<0.0> : tensor<128x128xf32>
  %bad = arith.constant true
  %d = tile.dot %a, %b, %c : tensor<128x16xf16>, tensor<16x128xf16>, tensor<128x128xf32>
  scf.if %bad {
    %e = tile.dot %a, %b, %d : tensor<128x16xf16>, tensor<16x128xf16>, tensor<128x128xf32>
  } {tile.cold}
  tile.return
}

// -----

// One block of 16 rows: warps share the columns. Six blocks of 16 columns go evenly to two warps, not to four.
// CHECK-LABEL: tile.kernel @columns
// CHECK-SAME: warps = 2
tile.kernel @columns() {
  %a = arith.constant dense<0.0> : tensor<16x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x96xf16>
  %c = arith.constant dense<0.0> : tensor<16x96xf32>
  %d = tile.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x96xf16>, tensor<16x96xf32>
  tile.return
}

// -----

// The same in a cold path, which runs with the same warps.
// CHECK-LABEL: tile.kernel @cold_columns
// CHECK-SAME: warps = 2
tile.kernel @cold_columns() {
  %a = arith.constant dense<0.0> : tensor<16x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x96xf16>
  %c = arith.constant dense<0.0> : tensor<16x96xf32>
  %bad = arith.constant true
  scf.if %bad {
    %d = tile.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x96xf16>, tensor<16x96xf32>
  } {tile.cold}
  tile.return
}

// -----

// Three blocks of rows: no number of warps but one divides them, so that two share the columns.
// CHECK-LABEL: tile.kernel @three
// CHECK-SAME: warps = 2
tile.kernel @three() {
  %a = arith.constant dense<0.0> : tensor<48x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x32xf16>
  %c = arith.constant dense<0.0> : tensor<48x32xf32>
  %d = tile.dot %a, %b, %c : tensor<48x16xf16>, tensor<16x32xf16>, tensor<48x32xf32>
  tile.return
}
