// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: not compile-mlir --emit=artifact %t/no-program.mlir 2>&1 | FileCheck %s --check-prefix=NO-PROGRAM
// RUN: not compile-mlir --emit=ptx %t/no-kernel.mlir 2>&1 | FileCheck %s --check-prefix=NO-KERNEL
// RUN: not compile-mlir --emit=artifact %t/no-launch.mlir 2>&1 | FileCheck %s --check-prefix=NO-LAUNCH
// RUN: not compile-mlir --emit=ptx %t/two-programs.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not compile-mlir --emit=artifact %t/float.mlir 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: not compile-mlir --emit=artifact %t/shift.mlir 2>&1 | FileCheck %s --check-prefix=SHIFT
// RUN: not compile-mlir --emit=ptx --target=sm_99 %t/shift.mlir 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not compile-mlir --emit=nothing %t/shift.mlir 2>&1 | FileCheck %s --check-prefix=STAGE

//--- no-program.mlir
// NO-PROGRAM: error: expected a tile.program: an artifact describes one
tile.kernel @k() { tile.return }

//--- no-kernel.mlir
// NO-KERNEL: error: expected a tile.kernel to compile
tile.program @p() { tile.return }

//--- no-launch.mlir
// NO-LAUNCH: no-launch.mlir:2:1: error: 'tile.program' op launches no kernel: an artifact of it would do nothing
tile.program @p() { tile.return }
tile.kernel @k() { tile.return }

//--- two-programs.mlir
// TWO: two-programs.mlir:3:1: error: expected one program in a module, found another, 'q', beside 'p'
tile.program @p() { tile.return }
tile.program @q() { tile.return }

//--- float.mlir
// FLOAT: float.mlir:4:8: error: a launch can pass 'f32' only as the program's own scalar argument, got a computed value
tile.program @p(%a: f32 {tile.name = "a", tile.role = "scalar"}) {
  %one = arith.constant 1 : i64
  %b = arith.mulf %a, %a : f32
  tile.launch @k grid(%one, %one, %one) (%b) : f32
  tile.return
}
tile.kernel @k(%a: f32) { tile.return }

//--- shift.mlir
// SHIFT: shift.mlir:6:10: error: 'arith.shli' has no formula in an artifact
// TARGET: error: target: expected one of sm_80, {{.*}}, got 'sm_99'
// STAGE: --emit: expected tile, layout, schedule, base, ptx, manifest or artifact, got 'nothing'
tile.program @p() {
  %one = arith.constant 1 : i64
  %two = arith.shli %one, %one : i64
  tile.launch @k grid(%two, %one, %one) ()
  tile.return
}
tile.kernel @k() { tile.return }
