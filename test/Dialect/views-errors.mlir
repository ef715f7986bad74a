// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --split-input-file --verify-diagnostics

tile.kernel @program_id() {
  // expected-error @+1 {{expected a dimension in [0, 3), got 3}}
  %i = tile.program_id 3
  tile.return
}

// -----

tile.kernel @size(%x: !tile.view<2xf16>) {
  // expected-error @+1 {{expected a dimension in [0, 2), got 2}}
  %n = tile.size %x, 2 : !tile.view<2xf16> -> i32
  tile.return
}

// -----

tile.kernel @stride(%x: !tile.view<2xf16>) {
  // expected-error @+1 {{expected a dimension in [0, 2), got -1}}
  %n = tile.stride %x, -1 : !tile.view<2xf16>
  tile.return
}

// -----

tile.kernel @narrow(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected a dimension in [0, 2), got 5}}
  %n = tile.narrow %x, 5 [%i, %i] : !tile.view<2xf16>
  tile.return
}

// -----

tile.kernel @slice_count(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected 2 indices, got 1}}
  %n = tile.slice %x [%i] at [0, 1] : !tile.view<2xf16> -> !tile.view<0xf16>
  tile.return
}

// -----

tile.kernel @slice_dim(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected a dimension in [0, 2), got 2}}
  %n = tile.slice %x [%i] at [2] : !tile.view<2xf16> -> !tile.view<1xf16>
  tile.return
}

// -----

tile.kernel @slice_order(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected dimensions in ascending order, got 0 after 1}}
  %n = tile.slice %x [%i, %i] at [1, 0] : !tile.view<2xf16> -> !tile.view<0xf16>
  tile.return
}

// -----

tile.kernel @slice_result(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected a result of '!tile.view<1xf16>', got '!tile.view<2xf16>'}}
  %n = tile.slice %x [%i] at [0] : !tile.view<2xf16> -> !tile.view<2xf16>
  tile.return
}

// -----

tile.kernel @load_rank(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected a tile of rank 2 for '!tile.view<2xf16>', got 'tensor<8xf16>'}}
  %t = tile.load %x [%i] : !tile.view<2xf16> -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @load_element(%x: !tile.view<1xf16>, %i: i32) {
  // expected-error @+1 {{expected a tile of 'f16' for '!tile.view<1xf16>', got 'tensor<8xf32>'}}
  %t = tile.load %x [%i] : !tile.view<1xf16> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @load_offsets(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected 2 offsets, got 1}}
  %t = tile.load %x [%i] : !tile.view<2xf16> -> tensor<8x8xf16>
  tile.return
}

// -----

tile.kernel @load_padding(%x: !tile.view<1xf16>, %i: i32) {
  // expected-error @+1 {{expected padding of 'f16', got 0.000000e+00 : f32}}
  %t = tile.load %x [%i] pad 0.0 : f32 : !tile.view<1xf16> -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @load_dynamic(%x: !tile.view<1xf16>, %i: i32) {
  // expected-error @+1 {{result #0 must be a tile (a tensor of static shape), but got 'tensor<?xf16>'}}
  %t = tile.load %x [%i] : !tile.view<1xf16> -> tensor<?xf16>
  tile.return
}

// -----

tile.kernel @store(%x: !tile.view<1xf16>, %t: !tile.view<1xf16>, %i: i32) {
  %v = tile.load %t [%i] : !tile.view<1xf16> -> tensor<8xf16>
  // expected-error @+1 {{expected 1 offsets, got 2}}
  tile.store %v, %x [%i, %i] : tensor<8xf16>, !tile.view<1xf16>
  tile.return
}

// -----

tile.kernel @store_to_input(%x: !tile.view<2xf16> {tile.name = "x", tile.role = "input"}, %i: i32) {
  %row = tile.slice %x [%i] at [0] : !tile.view<2xf16> -> !tile.view<1xf16>
  %v = tile.load %row [%i] : !tile.view<1xf16> -> tensor<8xf16>
  // expected-error @+1 {{writes to 'x', an input, expected an output, an inout or a workspace}}
  tile.store %v, %row [%i] : tensor<8xf16>, !tile.view<1xf16>
  tile.return
}

// -----

tile.kernel @chosen_view(%x: !tile.view<1xf16>, %y: !tile.view<1xf16>, %i: i32) {
  %is = arith.cmpi eq, %i, %i : i32
  // expected-error @+1 {{gives a view, expected views that tile.slice and tile.narrow take from arguments}}
  %v = arith.select %is, %x, %y : !tile.view<1xf16>
  tile.return
}
