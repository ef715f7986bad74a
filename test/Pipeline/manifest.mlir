// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program becomes the manifest of an artifact: every argument, check, workspace, formula, guard and parameter.
// RUN: compile-mlir --emit=manifest %s | tr -d ' \n' | FileCheck %s
// RUN: compile-mlir --emit=artifact %s -o %t.tilefold && head -c 8 %t.tilefold | FileCheck %s --check-prefix=FILE

// FILE: TILEFOLD

tile.program @host(%x: !tile.view<2xf16> {tile.name = "x", tile.role = "input"},
                   %y: !tile.view<2xf16> {tile.name = "y", tile.role = "output"},
                   %parts: i32 {tile.name = "parts", tile.role = "scalar", tile.default = 0 : i32},
                   %scale: f32 {tile.name = "scale", tile.role = "scalar", tile.default = 0.125 : f32}) {
  %rows = tile.size %x, 0 : !tile.view<2xf16> -> i64
  %columns = tile.size %x, 1 : !tile.view<2xf16> -> i64
  %stride = tile.stride %x, 0 : !tile.view<2xf16>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant 0.0 : f32

  // An unsigned sum of two conditions, one on a float scalar.
  %fits = arith.cmpi sle, %columns, %c64 : i64
  %positive = arith.cmpf ogt, %scale, %zero : f32
  %ok = arith.andi %fits, %positive : i1
  tile.require %ok, "x", "at most {0} columns, got {1}" (%c64, %columns)
  // Strides may be negative: division that truncates is not the floor.
  %half = arith.divsi %stride, %c64 : i64
  %rest = arith.remsi %rows, %c64 : i64
  %same = arith.cmpi eq, %half, %rest : i64
  tile.require %same, "x", "anything"
  tile.shape %y [%rows, %columns] : !tile.view<2xf16>

  %wide = arith.extsi %parts : i32 to i64
  %given = arith.cmpi sgt, %wide, %c0 : i64
  %sms = tile.device_property "multiprocessor_count"
  %count = arith.select %given, %wide, %sms : i64
  %w = tile.workspace "partial" any [%count, %c64] : !tile.view<2xf16>
  %z = tile.workspace "flags" zero_once [%count] : !tile.view<1xi32>
  %blocks = arith.ceildivsi %rows, %c64 : i64
  tile.launch @copy grid(%blocks, %count, %c1) (%x, %w, %count, %scale) : !tile.view<2xf16>, !tile.view<2xf16>, i64, f32
  tile.launch @copy grid(%blocks, %c1, %c1) (%w, %y, %c64, %scale) : !tile.view<2xf16>, !tile.view<2xf16>, i64, f32
  tile.return
}

tile.kernel @copy(%from: !tile.view<2xf16>, %to: !tile.view<2xf16>, %n: i32, %scale: f32) {
  %i = tile.program_id 0
  %c64 = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %row = arith.muli %i, %c64 : i32
  %t = tile.load %from [%row, %c0] : !tile.view<2xf16> -> tensor<64x64xf16>
  tile.store %t, %to [%row, %c0] : tensor<64x64xf16>, !tile.view<2xf16>
  tile.return
}

// The alternative with most guards comes first; the workspace is aligned by contract and needs none.
// CHECK: "alternatives":[{"guards":[{"ge":[{"scalar":"scale"},{"float":1.1754943508222875e-38}]},{"le":[{"scalar":"scale"}
// CHECK-SAME: {"eq":[{"mod":[{"address":"x"},16]},0]},{"eq":[{"stride":["x",1]},1]},
// CHECK-SAME: {"eq":[{"mod":[{"size":["x",1]},8]},0]},
// CHECK-SAME: {"or":[{"eq":[{"mod":[{"stride":["x",0]},8]},0]},{"le":[{"size":["x",0]},1]}]},
// CHECK-SAME: {"address":"y"}
// CHECK-SAME: "launches":[{"block":128,"cluster":1,"entry":"copy_fast",
// CHECK-SAME: "grid":[{"ceildiv":[{"size":["x",0]},64]},{"select":[{"gt":[{"scalar":"parts"},0]},{"scalar":"parts"},{"device":"multiprocessor_count"}]},1],
// CHECK-SAME: "kernel":"copy","parameters":[{"type":"i32","value":{"ceildiv":{{[^"]*}}"size"
// CHECK-SAME: {"pointer":"x"},{"size":["x",0]},{"size":["x",1]},{"stride":["x",0]},{"stride":["x",1]},
// CHECK-SAME: {"pointer":"partial"},{"size":["partial",0]}
// CHECK-SAME: {"scalar":"scale"}],"shared":0}
// CHECK-SAME: "name":"fast"},{"guards":[{"ge":[{"scalar":"scale"},{{[^a-z]*}}{"float":1.1754943508222875e-38}]},{"le":[{"scalar":"scale"},{"float":{{[^}]*}}}]}],"launches":[{{.*}}"entry":"copy_strided"{{.*}}"name":"strided"}
// CHECK-SAME: {"guards":[],"launches":[{{.*}}"entry":"copy_any"{{.*}}"name":"any"}]
// CHECK-SAME: "arguments":[{"dtype":"f16","kind":"tensor","name":"x","rank":2,"role":"input"},
// CHECK-SAME: {"dtype":"f16","kind":"tensor","name":"y","rank":2,"role":"output","shape":[{"size":["x",0]},{"size":["x",1]}]},
// CHECK-SAME: {"default":0,"dtype":"i32","kind":"scalar","name":"parts"},{"default":0.125,"dtype":"f32","kind":"scalar","name":"scale"}]
// CHECK-SAME: "format":1,
// CHECK-SAME: "modules":[{"cubins":[],"target":"sm_80"}]
// CHECK-SAME: "program":"host"
// CHECK-SAME: "requirements":[{"argument":"x","condition":{"and":[{"le":[{"size":["x",1]},64]},{"gt":[{"scalar":"scale"},{"float":0}]}]},"expected":"atmost{0}columns,got{1}","values":[64,{"size":["x",1]}]},
// CHECK-SAME: {"eq":[{"select":[{"eq":[{"lt":[{"stride":["x",0]},0]},{"lt":[64,0]}]},{"floordiv":[{"stride":["x",0]},64]},{"ceildiv":[{"stride":["x",0]},64]}]},{"mod":[{"size":["x",0]},64]}]}
// CHECK-SAME: "workspaces":[{"dtype":"f16","init":"any","name":"partial","shape":[{"select":
// CHECK-SAME: {"dtype":"i32","init":"zero_once","name":"flags"
