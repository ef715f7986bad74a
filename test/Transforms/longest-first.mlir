// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-longest-first | FileCheck %s

// A causal mask: the last rows see the most keys. Stretches of a row are loops in a loop.
// CHECK-LABEL: tile.kernel @causal
// CHECK: tile.program_id 0 descending{{$}}
// CHECK: tile.program_id 1{{$}}
tile.kernel @causal(%k: !tile.view<2xf32> {tile.name = "k", tile.role = "input"}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c65536 = arith.constant 65536 : i32
  %i = tile.program_id 0
  %h = tile.program_id 1
  %n = tile.size %k, 0 : !tile.view<2xf32> -> i32
  %first = arith.muli %i, %c128 : i32
  %last = arith.addi %first, %c128 : i32
  %end = arith.minsi %last, %n : i32
  scf.for %j = %c0 to %end step %c65536 : i32 {
    %far = arith.addi %j, %c65536 : i32
    %near = arith.minsi %far, %end : i32
    scf.for %l = %j to %near step %c64 : i32 {
      %t = tile.load %k [%l, %h] : !tile.view<2xf32> -> tensor<64x64xf32>
    }
  }
  tile.return
}

// A window moves: every instance has as many keys. The keys after a query: the first instances have the most, and start first as
// it is.
// CHECK-LABEL: tile.kernel @kept
// CHECK-NOT: descending
tile.kernel @kept(%k: !tile.view<2xf32> {tile.name = "k", tile.role = "input"}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %i = tile.program_id 0
  %h = tile.program_id 1
  %n = tile.size %k, 0 : !tile.view<2xf32> -> i32
  %first = arith.muli %i, %c128 : i32
  %last = arith.addi %first, %c128 : i32
  scf.for %j = %first to %last step %c64 : i32 {
    %t = tile.load %k [%j, %h] : !tile.view<2xf32> -> tensor<64x64xf32>
  }
  %group = arith.remsi %h, %c64 : i32
  scf.for %j = %group to %n step %c64 : i32 {
    %t = tile.load %k [%j, %c0] : !tile.view<2xf32> -> tensor<64x64xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @falling
// CHECK-NOT: descending
tile.kernel @falling(%k: !tile.view<2xf32> {tile.name = "k", tile.role = "input"}) {
  %c64 = arith.constant 64 : i32
  %i = tile.program_id 0
  %n = tile.size %k, 0 : !tile.view<2xf32> -> i32
  %first = arith.muli %i, %c64 : i32
  scf.for %j = %first to %n step %c64 : i32 {
    %t = tile.load %k [%j, %first] : !tile.view<2xf32> -> tensor<64x64xf32>
  }
  tile.return
}

// Trips that rise the other way round: fewer keys are left out for later instances.
// CHECK-LABEL: tile.kernel @shrinking_start
// CHECK: tile.program_id 0 descending{{$}}
tile.kernel @shrinking_start(%k: !tile.view<2xf32> {tile.name = "k", tile.role = "input"}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tile.program_id 0
  %n = tile.size %k, 0 : !tile.view<2xf32> -> i32
  %back = arith.muli %i, %c64 : i32
  %start = arith.subi %n, %back : i32
  scf.for %j = %start to %n step %c64 : i32 {
    %t = tile.load %k [%j, %c0] : !tile.view<2xf32> -> tensor<64x64xf32>
  }
  tile.return
}
