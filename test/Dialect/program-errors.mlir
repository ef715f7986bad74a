// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected 'tile.name' on argument 0}}
tile.program @no_name(%x: !tile.view<1xf32>) {
  tile.return
}

// -----

// expected-error @+1 {{has two arguments named 'x'}}
tile.program @twice(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"},
                    %y: !tile.view<1xf32> {tile.name = "x", tile.role = "input"}) {
  tile.return
}

// -----

// expected-error @+1 {{expected arguments that are views, f32 or i32, but argument 0 is 'i64'}}
tile.program @argument_type(%x: i64 {tile.name = "x"}) {
  tile.return
}

// -----

// expected-error @+1 {{expected arguments that are views, f32 or i32, but argument 1 is 'tensor<4xf32>'}}
tile.kernel @kernel_argument(%x: i32, %t: tensor<4xf32>) {
  tile.return
}

// -----

tile.program @host_only(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"}) {
  %true = arith.constant true
  // expected-error @+1 {{has no host formula; a program holds arith and tile operations}}
  scf.if %true {
  }
  tile.return
}

// -----

tile.program @program_id() {
  // expected-error @+1 {{expects parent op 'tile.kernel'}}
  %i = tile.program_id 0
  tile.return
}

// -----

tile.kernel @require_in_a_kernel(%ok: i32) {
  %true = arith.constant true
  // expected-error @+1 {{expects parent op 'tile.program'}}
  tile.require %true, "x", "nothing"
  tile.return
}

// -----

tile.program @property() {
  // expected-error @+1 {{expected "multiprocessor_count", got "warp_size"}}
  %n = tile.device_property "warp_size"
  tile.return
}

// -----

tile.program @shape(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input"}) {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{expected 2 extents for '!tile.view<2xf32>', got 1}}
  tile.shape %x [%c1] : !tile.view<2xf32>
  tile.return
}

// -----

tile.program @workspace() {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{expected 1 extents for '!tile.view<1xf32>', got 2}}
  %w = tile.workspace "w" any [%c1, %c1] : !tile.view<1xf32>
  tile.return
}

// -----

tile.program @unknown_kernel() {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{launches unknown kernel 'nobody'}}
  tile.launch @nobody grid(%c1, %c1, %c1) ()
  tile.return
}

// -----

tile.program @operand_count() {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{passes 1 operands to 'none', which takes 0}}
  tile.launch @none grid(%c1, %c1, %c1) (%c1) : i64
  tile.return
}
tile.kernel @none() {
  tile.return
}

// -----

tile.program @operand_type(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"}) {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{passes '!tile.view<1xf32>' as operand 0 of 'other', which takes '!tile.view<2xf32>'}}
  tile.launch @other grid(%c1, %c1, %c1) (%x) : !tile.view<1xf32>
  tile.return
}
tile.kernel @other(%x: !tile.view<2xf32>) {
  tile.return
}

// -----

// expected-error @+1 {{expected a body of one block}}
tile.kernel @blocks() {
  tile.return
^bb1:
  tile.return
}

// -----

func.func @return_outside() {
  // expected-error @+1 {{expects parent op to be one of 'tile.program, tile.kernel'}}
  "tile.return"() : () -> ()
}

// -----

// expected-error @+1 {{expected 'tile.role' of argument 'x' to be input, output or inout, got none}}
tile.program @no_role(%x: !tile.view<1xf32> {tile.name = "x"}) {
  tile.return
}

// -----

// expected-error @+1 {{expected 'tile.role' of argument 'x' to be input, output or inout, got 'scalar'}}
tile.program @role_of_a_view(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "scalar"}) {
  tile.return
}

// -----

// expected-error @+1 {{expected 'tile.role' of argument 's' to be scalar, got 'output'}}
tile.program @role_of_a_scalar(%s: f32 {tile.name = "s", tile.role = "output"}) {
  tile.return
}

// -----

// expected-note @+1 {{the other is here}}
tile.program @workspace_like_an_argument(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"}) {
  %n = tile.size %x, 0 : !tile.view<1xf32> -> i64
  // expected-error @+1 {{expected a name that no argument or workspace has, got 'x'}}
  %w = tile.workspace "x" any [%n] : !tile.view<1xf32>
  tile.return
}

// -----

tile.program @workspace_twice() {
  %n = arith.constant 4 : i64
  // expected-note @+1 {{the other is here}}
  %v = tile.workspace "w" any [%n] : !tile.view<1xf32>
  // expected-error @+1 {{expected a name that no argument or workspace has, got 'w'}}
  %w = tile.workspace "w" any [%n] : !tile.view<1xf32>
  tile.return
}

// -----

tile.program @workspace_negative() {
  %n = arith.constant 4 : i64
  %m = arith.constant -1 : i64
  // expected-error @+1 {{expected extents of 0 or more, but extent 1 is -1}}
  %w = tile.workspace "w" any [%n, %m] : !tile.view<2xf32>
  tile.return
}

// -----

tile.program @shape_negative(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"}) {
  %m = arith.constant -2 : i64
  // expected-error @+1 {{expected extents of 0 or more, but extent 0 is -2}}
  tile.shape %x [%m] : !tile.view<1xf32>
  tile.return
}

// -----

tile.kernel @k() { tile.return }
tile.program @grid_negative() {
  %n = arith.constant 1 : i64
  %m = arith.constant -1 : i64
  // expected-error @+1 {{expected extents of 0 or more, but extent 2 is -1}}
  tile.launch @k grid(%n, %n, %m) ()
  tile.return
}

// -----

// expected-error @+1 {{expected 1 to 32 warps, got -3}}
tile.kernel @no_warps() attributes {schedule = #tile.schedule<warps = -3, stages = 1>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 1 to 32 warps, got 64}}
tile.kernel @many_warps() attributes {schedule = #tile.schedule<warps = 64, stages = 1>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 1 to 64 stages, got 1000000}}
tile.kernel @many_stages() attributes {schedule = #tile.schedule<warps = 4, stages = 1000000>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 1 to 64 stages, got 0}}
tile.kernel @no_stage() attributes {schedule = #tile.schedule<warps = 4, stages = 0>} {
  tile.return
}

// -----

tile.program @require_unknown(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"},
                              %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %true = arith.constant true
  // expected-error @+1 {{is about argument 'nosuch', expected one of: x, n}}
  tile.require %true, "nosuch", "anything"
  tile.return
}

// -----

tile.kernel @no_step() {
  %c0 = arith.constant 0 : i32
  %c9 = arith.constant 9 : i32
  // expected-error @+1 {{has step 0, expected at least 1}}
  scf.for %i = %c0 to %c9 step %c0 : i32 {
  }
  tile.return
}

// -----

tile.kernel @negative_step() {
  %true = arith.constant true
  scf.if %true {
    %c0 = arith.constant 0 : index
    %m2 = arith.constant -2 : index
    // expected-error @+1 {{has step -2, expected at least 1}}
    scf.for %i = %c0 to %c0 step %m2 {
    }
  }
  tile.return
}

// -----

// What the launch passes decides, whatever the kernel says of itself.
tile.program @store_to_input(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input"},
                             %y: !tile.view<2xf32> {tile.name = "y", tile.role = "inout"}) {
  %c1 = arith.constant 1 : i64
  tile.launch @writes_second grid(%c1, %c1, %c1) (%x, %y) : !tile.view<2xf32>, !tile.view<2xf32>
  // expected-note @+1 {{passed here}}
  tile.launch @writes_second grid(%c1, %c1, %c1) (%y, %x) : !tile.view<2xf32>, !tile.view<2xf32>
  tile.return
}
tile.kernel @writes_second(%a: !tile.view<2xf32>, %b: !tile.view<2xf32> {tile.name = "b", tile.role = "output"}) {
  %c0 = arith.constant 0 : i32
  %t = arith.constant dense<1.0> : tensor<4xf32>
  %row = tile.slice %b [%c0] at [0] : !tile.view<2xf32> -> !tile.view<1xf32>
  %some = tile.narrow %row, 0 [%c0, %c0] : !tile.view<1xf32>
  // expected-error @+1 {{writes to 'x', an input, expected an output, an inout or a workspace}}
  tile.store %t, %some [%c0] : tensor<4xf32>, !tile.view<1xf32>
  tile.return
}
