// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not tilefold-interpret %s | FileCheck %s
// Faults inside kernels: the instance, the place in the source, and what was wrong.

// CHECK: ok @fine
tile.kernel @fine() {
  tile.return
}

// CHECK: error @check_eq: kernel 'check_eq', instance (0, 0, 0): {{.*}}errors.mlir:[[#@LINE + 4]]:3: check.expect_eq found 2 at [1, 0], expected 3 (and 1 more)
tile.kernel @check_eq() {
  %a = arith.constant dense<[[1], [2], [5]]> : tensor<3x1xi32>
  %e = arith.constant dense<[[1], [3], [6]]> : tensor<3x1xi32>
  check.expect_eq %a, %e : tensor<3x1xi32>
  tile.return
}

// CHECK: error @almost_eq: {{.*}}check.expect_almost_eq found 1.5, expected 1
tile.kernel @almost_eq() {
  %a = arith.constant 1.5 : f32
  %e = arith.constant 1.0 : f32
  check.expect_almost_eq %a, %e within 0.5 : f32
  check.expect_almost_eq %a, %e : f32
  tile.return
}

// CHECK: error @division: kernel 'division', instance (0, 0, 0): {{.*}}errors.mlir:[[#@LINE + 4]]:8: arith.divsi divides 7 by 0
tile.kernel @division() {
  %a = arith.constant 7 : i32
  %b = arith.constant 0 : i32
  %q = arith.divsi %a, %b : i32
  tile.return
}

// CHECK: error @overflow: {{.*}} arith.divsi divides -2147483648 by -1, which overflows
tile.kernel @overflow() {
  %a = arith.constant -2147483648 : i32
  %b = arith.constant -1 : i32
  %q = arith.divsi %a, %b : i32
  tile.return
}

// CHECK: error @step: {{.*}} scf.for has step 0, expected at least 1
tile.kernel @step() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = tile.program_id 0
  scf.for %i = %c0 to %c1 step %step : i32 {
  }
  tile.return
}

// The first faulty instance is named.
// CHECK: error @instance: kernel 'instance', instance (1, 0, 0): {{.*}} arith.remsi divides 1 by 0
tile.kernel @instance() attributes {check.grid = [2]} {
  %i = tile.program_id 0
  %c1 = arith.constant 1 : i32
  %d = arith.subi %c1, %i : i32
  %r = arith.remsi %c1, %d : i32
  tile.return
}

// CHECK: error @slot: {{.*}} tile.slot takes slot 2 of a ring of 2
tile.kernel @slot() {
  %ring = tile.alloc : !tile.buffer<2x2x8xf16, <0, 3>>
  %c2 = arith.constant 2 : i32
  %s = tile.slot %ring [%c2] : !tile.buffer<2x2x8xf16, <0, 3>> -> !tile.buffer<2x8xf16, <0, 3>>
  tile.return
}

// CHECK: error @unknown_op: kernel 'unknown_op': {{.*}}errors.mlir:[[#@LINE + 3]]:8: math.cbrt is not known to the interpreter on f32
tile.kernel @unknown_op() {
  %a = arith.constant 1.0 : f32
  %r = math.cbrt %a : f32
  tile.return
}

// CHECK: error @unknown_type: kernel 'unknown_type': {{.*}} arith.constant has a value of type f64, which the interpreter does not know; it knows f16, bf16, f32, i1, i32, i64 and index
tile.kernel @unknown_type() {
  %a = arith.constant 1.0 : f64
  tile.return
}

// CHECK: error @leaves_i32: {{.*}} scf.for goes from 2147483640 to 2147483647 by 5, expected a range whose length and whose position after the last fit i32
tile.kernel @leaves_i32() {
  %lo = arith.constant 2147483640 : i32
  %hi = arith.constant 2147483647 : i32
  %c5 = arith.constant 5 : i32
  scf.for %i = %lo to %hi step %c5 : i32 {
  }
  tile.return
}

// CHECK: error @long_range: {{.*}} scf.for goes from -2147483648 to 0 by 65536, expected a range whose length
tile.kernel @long_range() {
  %lo = arith.constant -2147483648 : i32
  %hi = arith.constant 0 : i32
  %step = arith.constant 65536 : i32
  scf.for %i = %lo to %hi step %step : i32 {
  }
  tile.return
}
