// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s

tile.kernel @for_sums() {
  %c0 = arith.constant 0 : i32
  %c10 = arith.constant 10 : i32
  %c3 = arith.constant 3 : i32
  %sum = scf.for %i = %c0 to %c10 step %c3 iter_args(%s = %c0) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  %e = arith.constant 18 : i32
  check.expect_eq %sum, %e : i32
  tile.return
}

// No iteration: the initial values.
tile.kernel @for_empty() {
  %c5 = arith.constant 5 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = scf.for %i = %c5 to %c5 step %c1 iter_args(%s = %x) -> (tensor<2xf32>) : i32 {
    %n = arith.negf %s : tensor<2xf32>
    scf.yield %n : tensor<2xf32>
  }
  check.expect_eq %r, %x : tensor<2xf32>
  tile.return
}

// Carried values that change places.
tile.kernel @for_swaps() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2xf32>, tensor<2xf32>) : i32 {
    scf.yield %b, %a : tensor<2xf32>, tensor<2xf32>
  }
  check.expect_eq %r#0, %y : tensor<2xf32>
  check.expect_eq %r#1, %x : tensor<2xf32>
  tile.return
}

tile.kernel @for_index() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %c0) -> (index) {
    %n = arith.addi %s, %i : index
    scf.yield %n : index
  }
  %e = arith.constant 6 : index
  check.expect_eq %r, %e : index
  tile.return
}

// The position after the last one is still an i32; one more step and it would not be, see errors.mlir.
tile.kernel @for_near_the_end_of_i32() {
  %lower = arith.constant 2147483560 : i32
  %upper = arith.constant 2147483607 : i32
  %step = arith.constant 40 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = scf.for %i = %lower to %upper step %step iter_args(%s = %c0) -> (i32) : i32 {
    %next = arith.addi %s, %c1 : i32
    scf.yield %next : i32
  }
  %e = arith.constant 2 : i32
  check.expect_eq %n, %e : i32
  tile.return
}

tile.kernel @if_else() {
  %t = arith.constant true
  %f = arith.constant false
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  %x = scf.if %t -> (i32) {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  %y = scf.if %f -> (i32) {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  scf.if %f {
    check.expect_eq %a, %b : i32
  }
  check.expect_eq %x, %a : i32
  check.expect_eq %y, %b : i32
  tile.return
}

tile.kernel @while_doubles() {
  %c1 = arith.constant 1 : i32
  %c100 = arith.constant 100 : i32
  %r = scf.while (%x = %c1) : (i32) -> i32 {
    %more = arith.cmpi slt, %x, %c100 : i32
    scf.condition(%more) %x : i32
  } do {
  ^bb0(%x: i32):
    %n = arith.addi %x, %x : i32
    scf.yield %n : i32
  }
  %e = arith.constant 128 : i32
  check.expect_eq %r, %e : i32
  tile.return
}
