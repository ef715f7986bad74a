// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-exp-to-exp2 --canonicalize --loop-invariant-code-motion | FileCheck %s
// RUN: tilefold-opt %s --tile-exp-to-exp2=fold-scale=true --canonicalize --loop-invariant-code-motion | FileCheck %s --check-prefix=FOLD
// RUN: tilefold-opt %s --tile-exp-to-exp2="fold-scale=true positive=other" --canonicalize | FileCheck %s --check-prefix=SIGN

// The running softmax: the factor meets the scale, the headroom of 12 ln 2, and the LSE.
// CHECK-LABEL: tile.kernel @online_softmax
// CHECK-DAG: %[[LN2:.*]] = arith.constant dense<0.693147182> : tensor<16xf32>
// CHECK-DAG: %[[TWELVE:.*]] = arith.constant dense<1.200000e+01> : tensor<16xf32>
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[C:.*]] = arith.mulf %{{.*}}, %[[LOG2E]] : f32
// CHECK: %[[CT:.*]] = tile.splat %[[C]]
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}})
// CHECK: arith.mulf %{{.*}}, %[[CT]] : tensor<16x8xf32>
// CHECK-NOT: arith.mulf {{.*}}tensor<16x8xf32>
// CHECK: tile.reduce max
// CHECK: arith.subf %{{.*}}, %[[TWELVE]]
// CHECK: arith.maximumf %[[M]],
// CHECK: math.exp2 %{{.*}} : tensor<16x8xf32>
// CHECK: %[[D:.*]] = arith.subf %[[M]], %{{.*}} : tensor<16xf32>
// CHECK-NEXT: math.exp2 %[[D]]
// CHECK: scf.yield
// CHECK: %[[LOG:.*]] = math.log2
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[LOG]]
// CHECK: arith.mulf %[[SUM]], %[[LN2]]

// FOLD-LABEL: tile.kernel @online_softmax
// FOLD: %[[C:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// FOLD: scf.for
// FOLD: %[[X:.*]] = tile.load
// FOLD-NOT: arith.mulf {{.*}}tensor<16x8xf32>
// FOLD: %[[Y:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}} : tensor<16x8xi1>, tensor<16x8xf32>
// FOLD: %[[R:.*]] = tile.reduce max %[[Y]], 1
// FOLD: arith.mulf %[[R]], %{{.*}} : tensor<16xf32>
// FOLD: %[[N:.*]] = arith.negf %{{.*}} : tensor<16xf32>
// FOLD: %[[E:.*]] = tile.expand %[[N]], 1
// FOLD: %[[B:.*]] = tile.broadcast %[[E]]
// FOLD: %[[F:.*]] = math.fma %[[Y]], %{{.*}}, %[[B]]
// FOLD: math.exp2 %[[F]]
// FOLD: arith.cmpf une, %[[Y]],

// SIGN-LABEL: tile.kernel @online_softmax
// SIGN-NOT: math.fma
tile.kernel @online_softmax(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input"},
                            %lse: !tile.view<1xf32> {tile.name = "lse", tile.role = "output"},
                            %scale: f32 {tile.name = "scale", tile.role = "scalar"},
                            %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %none = arith.constant dense<0xFF800000> : tensor<16x8xf32>
  %m0 = arith.constant dense<0xFF800000> : tensor<16xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %headroom = arith.constant dense<8.31776618> : tensor<16xf32>
  %m, %l = scf.for %j = %c0 to %n step %c8 iter_args(%mi = %m0, %li = %zero) -> (tensor<16xf32>, tensor<16xf32>) : i32 {
    %d = tile.load %x [%c0, %j] : !tile.view<2xf32> -> tensor<16x8xf32>
    %ct = tile.splat %scale : f32 -> tensor<16x8xf32>
    %sc = arith.mulf %d, %ct : tensor<16x8xf32>
    %iota = tile.iota : tensor<8xi32>
    %js = tile.splat %j : i32 -> tensor<8xi32>
    %keys = arith.addi %js, %iota : tensor<8xi32>
    %ns = tile.splat %n : i32 -> tensor<8xi32>
    %in = arith.cmpi slt, %keys, %ns : tensor<8xi32>
    %inr = tile.expand %in, 0 : tensor<8xi1> -> tensor<1x8xi1>
    %mask = tile.broadcast %inr : tensor<1x8xi1> -> tensor<16x8xi1>
    %s = arith.select %mask, %sc, %none : tensor<16x8xi1>, tensor<16x8xf32>
    %r = tile.reduce max %s, 1 : tensor<16x8xf32> -> tensor<16xf32>
    %rh = arith.subf %r, %headroom : tensor<16xf32>
    %mn = arith.maximumf %mi, %rh : tensor<16xf32>
    %some = arith.cmpf une, %mn, %m0 : tensor<16xf32>
    %shift = arith.select %some, %mn, %zero : tensor<16xi1>, tensor<16xf32>
    %sh1 = tile.expand %shift, 1 : tensor<16xf32> -> tensor<16x1xf32>
    %sh2 = tile.broadcast %sh1 : tensor<16x1xf32> -> tensor<16x8xf32>
    %e = arith.subf %s, %sh2 : tensor<16x8xf32>
    %p = math.exp %e : tensor<16x8xf32>
    %am = arith.subf %mi, %shift : tensor<16xf32>
    %alpha = math.exp %am : tensor<16xf32>
    %seen = arith.cmpf une, %s, %none : tensor<16x8xf32>
    %nothing = arith.constant dense<0.0> : tensor<16x8xf32>
    %pv = arith.select %seen, %p, %nothing : tensor<16x8xi1>, tensor<16x8xf32>
    %rs = tile.reduce sum %pv, 1 : tensor<16x8xf32> -> tensor<16xf32>
    %la = arith.mulf %alpha, %li : tensor<16xf32>
    %ln = arith.addf %la, %rs : tensor<16xf32>
    scf.yield %mn, %ln : tensor<16xf32>, tensor<16xf32>
  }
  %logl = math.log %l : tensor<16xf32>
  %out = arith.addf %m, %logl : tensor<16xf32>
  tile.store %out, %lse [%c0] : tensor<16xf32>, !tile.view<1xf32>
  tile.return
}

// ALiBi: both products have a uniform factor. A positive scale is not moved over the difference.
// CHECK-LABEL: tile.kernel @alibi
// CHECK-COUNT-2: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-COUNT-2: arith.mulf %{{.*}}, %{{.*}} : tensor<16x8xf32>
// CHECK-NOT: arith.mulf
// CHECK: math.exp2
// FOLD-LABEL: tile.kernel @alibi
// FOLD-NOT: math.fma
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
