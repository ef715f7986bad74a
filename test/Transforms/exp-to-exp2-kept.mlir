// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-exp-to-exp2=fold-scale=true --canonicalize | FileCheck %s
// What cannot change to base 2 as a whole, or could overflow there unseen: the difference is taken first, then scaled.

// A loaded tile has no factor to put log2 e into.
// CHECK-LABEL: tile.kernel @loaded
// CHECK: %[[LOG2E:.*]] = arith.constant dense<1.44269502> : tensor<16x8xf32>
// CHECK: %[[D:.*]] = arith.subf
// CHECK: %[[E:.*]] = arith.mulf %[[D]], %[[LOG2E]]
// CHECK: math.exp2 %[[E]]
tile.kernel @loaded(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"}) {
  %c0 = arith.constant 0 : i32
  %s = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %r = tile.reduce max %s, 1 : tensor<16x8xf32> -> tensor<16xf32>
  %r1 = tile.expand %r, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %r2 = tile.broadcast %r1 : tensor<16x1xf32> -> tensor<16x8xf32>
  %e = arith.subf %s, %r2 : tensor<16x8xf32>
  %p = math.exp %e : tensor<16x8xf32>
  tile.store %p, %x [%c0, %c0] : tensor<16x8xf32>, !tile.view<2xf32>
  tile.return
}

// The maximum is stored: turned back it would be rounded apart from what is relative to it.
// CHECK-LABEL: tile.kernel @stored_maximum
// CHECK: %[[SCALE:.*]] = tile.splat %arg2
// CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: %[[R:.*]] = tile.reduce max %[[S]]
// CHECK: arith.subf %[[S]],
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: math.exp2
// CHECK: tile.store %[[R]]
tile.kernel @stored_maximum(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"},
                            %m: !tile.view<1xf32> {tile.name = "m", tile.role = "output"},
                            %scale: f32 {tile.name = "scale", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %d = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %ct = tile.splat %scale : f32 -> tensor<16x8xf32>
  %s = arith.mulf %d, %ct : tensor<16x8xf32>
  %r = tile.reduce max %s, 1 : tensor<16x8xf32> -> tensor<16xf32>
  %r1 = tile.expand %r, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %r2 = tile.broadcast %r1 : tensor<16x1xf32> -> tensor<16x8xf32>
  %e = arith.subf %s, %r2 : tensor<16x8xf32>
  %p = math.exp %e : tensor<16x8xf32>
  tile.store %p, %x [%c0, %c0] : tensor<16x8xf32>, !tile.view<2xf32>
  tile.store %r, %m [%c0] : tensor<16xf32>, !tile.view<1xf32>
  tile.return
}

// An LSE that goes on as a logit stays natural.
// CHECK-LABEL: tile.kernel @carried_lse
// CHECK: scf.for {{.*}} iter_args(%[[LSE:.*]] = %
// CHECK: %[[D:.*]] = arith.subf %[[LSE]],
// CHECK: %[[E:.*]] = arith.mulf %[[D]],
// CHECK: math.exp2 %[[E]]
// CHECK: %[[LOG:.*]] = math.log2
// CHECK: %[[LN:.*]] = arith.mulf %[[LOG]],
// CHECK: %[[NEXT:.*]] = arith.addf %{{.*}}, %[[LN]]
// CHECK: scf.yield %[[NEXT]]
tile.kernel @carried_lse(%lse: !tile.view<1xf32> {tile.name = "lse", tile.role = "output"},
                         %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16xf32>
  %m = arith.constant dense<3.0> : tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%old = %start) -> (tensor<16xf32>) : i32 {
    %mn = arith.maximumf %old, %m : tensor<16xf32>
    %d = arith.subf %old, %mn : tensor<16xf32>
    %p = math.exp %d : tensor<16xf32>
    %l = arith.addf %p, %one : tensor<16xf32>
    %log = math.log %l : tensor<16xf32>
    %next = arith.addf %mn, %log : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  tile.store %r, %lse [%c0] : tensor<16xf32>, !tile.view<1xf32>
  tile.return
}

// 11 bits are too few for the product; a logarithm alone is scaled where it stands.
// CHECK-LABEL: tile.kernel @alone
// CHECK: arith.extf
// CHECK: arith.mulf %{{.*}} : tensor<8xf32>
// CHECK: math.exp2 %{{.*}} : tensor<8xf32>
// CHECK: arith.truncf
// CHECK: %[[L:.*]] = math.log2 %{{.*}} : tensor<8xf32>
// CHECK: arith.mulf %[[L]], %{{.*}} : tensor<8xf32>
// CHECK-NOT: math.exp %
tile.kernel @alone(%x: !tile.view<1xf16> {tile.name = "x", tile.role = "inout"},
                   %y: !tile.view<1xf32> {tile.name = "y", tile.role = "inout"}) {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x [%c0] : !tile.view<1xf16> -> tensor<8xf16>
  %p = math.exp %a : tensor<8xf16>
  tile.store %p, %x [%c0] : tensor<8xf16>, !tile.view<1xf16>
  %b = tile.load %y [%c0] : !tile.view<1xf32> -> tensor<8xf32>
  %l = math.log %b : tensor<8xf32>
  tile.store %l, %y [%c0] : tensor<8xf32>, !tile.view<1xf32>
  tile.return
}

// ALiBi: each sum of a score and a bias could overflow in base 2, by which a key would look invisible.
// CHECK-LABEL: tile.kernel @alibi
// CHECK: %[[LOG2E:.*]] = arith.constant dense<1.44269502> : tensor<16x8xf32>
// CHECK: %[[S:.*]] = arith.subf
// CHECK: %[[D:.*]] = arith.subf %[[S]],
// CHECK: %[[E:.*]] = arith.mulf %[[D]], %[[LOG2E]]
// CHECK: math.exp2 %[[E]]
tile.kernel @alibi(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"},
                   %scale: f32 {tile.name = "scale", tile.role = "scalar"},
                   %slope: f32 {tile.name = "slope", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %d = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %ct = tile.splat %scale : f32 -> tensor<16x8xf32>
  %sc = arith.mulf %d, %ct : tensor<16x8xf32>
  %iota = tile.iota : tensor<8xi32>
  %iota_row = tile.expand %iota, 0 : tensor<8xi32> -> tensor<1x8xi32>
  %distance = tile.broadcast %iota_row : tensor<1x8xi32> -> tensor<16x8xi32>
  %f = arith.sitofp %distance : tensor<16x8xi32> to tensor<16x8xf32>
  %st = tile.splat %slope : f32 -> tensor<16x8xf32>
  %bias = arith.mulf %st, %f : tensor<16x8xf32>
  %s = arith.subf %sc, %bias : tensor<16x8xf32>
  %r = tile.reduce max %s, 1 : tensor<16x8xf32> -> tensor<16xf32>
  %r1 = tile.expand %r, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %r2 = tile.broadcast %r1 : tensor<16x1xf32> -> tensor<16x8xf32>
  %e = arith.subf %s, %r2 : tensor<16x8xf32>
  %p = math.exp %e : tensor<16x8xf32>
  tile.store %p, %x [%c0, %c0] : tensor<16x8xf32>, !tile.view<2xf32>
  tile.return
}

// The factor of these scores is finite, and is not in base 2.
// CHECK-LABEL: tile.kernel @huge_cap
// CHECK-NOT: math.fma
// CHECK: %[[D:.*]] = arith.subf
// CHECK: %[[E:.*]] = arith.mulf %[[D]],
// CHECK: math.exp2 %[[E]]
tile.kernel @huge_cap(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"}) {
  %c0 = arith.constant 0 : i32
  %cap = arith.constant dense<3.0e+38> : tensor<16x8xf32>
  %d = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %s = arith.mulf %d, %cap : tensor<16x8xf32>
  %r = tile.reduce max %s, 1 : tensor<16x8xf32> -> tensor<16xf32>
  %r1 = tile.expand %r, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %r2 = tile.broadcast %r1 : tensor<16x1xf32> -> tensor<16x8xf32>
  %e = arith.subf %s, %r2 : tensor<16x8xf32>
  %p = math.exp %e : tensor<16x8xf32>
  tile.store %p, %x [%c0, %c0] : tensor<16x8xf32>, !tile.view<2xf32>
  tile.return
}

// Nor is what this maximum is at least.
// CHECK-LABEL: tile.kernel @huge_constant
// CHECK-NOT: math.fma
// CHECK: %[[D:.*]] = arith.subf
// CHECK: %[[E:.*]] = arith.mulf %[[D]],
// CHECK: math.exp2 %[[E]]
tile.kernel @huge_constant(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"},
                           %scale: f32 {tile.name = "scale", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<16xf32>
  %d = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %ct = tile.splat %scale : f32 -> tensor<16x8xf32>
  %s = arith.mulf %d, %ct : tensor<16x8xf32>
  %r = tile.reduce max %s, 1 : tensor<16x8xf32> -> tensor<16xf32>
  %m = arith.maximumf %r, %lowest : tensor<16xf32>
  %r1 = tile.expand %m, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %r2 = tile.broadcast %r1 : tensor<16x1xf32> -> tensor<16x8xf32>
  %e = arith.subf %s, %r2 : tensor<16x8xf32>
  %p = math.exp %e : tensor<16x8xf32>
  tile.store %p, %x [%c0, %c0] : tensor<16x8xf32>, !tile.view<2xf32>
  tile.return
}
