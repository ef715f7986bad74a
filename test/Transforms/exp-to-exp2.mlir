// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-exp-to-exp2=fold-scale=true --canonicalize --loop-invariant-code-motion | FileCheck %s
// RUN: tilefold-opt %s --tile-exp-to-exp2 --canonicalize | FileCheck %s --check-prefix=KEPT
// RUN: tilefold-opt %s --tile-exp-to-exp2="fold-scale=true positive=other" --canonicalize | FileCheck %s --check-prefix=KEPT

// The running softmax: the factor meets the scale, the headroom of 12 ln 2, and the LSE. A maximum that overflows in base 2 is not
// that of a row that sees nothing.
// CHECK-LABEL: tile.kernel @online_softmax
// CHECK-DAG: %[[LN2:.*]] = arith.constant dense<0.693147182> : tensor<16xf32>
// CHECK-DAG: %[[TWELVE:.*]] = arith.constant dense<1.200000e+01> : tensor<16xf32>
// CHECK-DAG: %[[SMALL:.*]] = arith.constant dense<5.42101086E-20> : tensor<16xf32>
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant dense<-3.40282347E+38> : tensor<16xf32>
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[C:.*]] = arith.mulf %{{.*}}, %[[LOG2E]] : f32
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}})
// CHECK: %[[X:.*]] = tile.load
// CHECK-NOT: arith.mulf {{.*}}tensor<16x8xf32>
// CHECK: %[[Y:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}} : tensor<16x8xi1>, tensor<16x8xf32>
// CHECK: %[[R:.*]] = tile.reduce max %[[Y]], 1
// CHECK: %[[P:.*]] = arith.mulf %[[R]], %{{.*}} : tensor<16xf32>
// CHECK: %[[F:.*]] = math.fma %[[R]], %[[SMALL]], %[[LOWEST]] : tensor<16xf32>
// CHECK: %[[S:.*]] = arith.maximumf %[[P]], %[[F]]
// CHECK: arith.subf %[[S]], %[[TWELVE]]
// CHECK: arith.maximumf %[[M]],
// CHECK: %[[N:.*]] = arith.negf %{{.*}} : tensor<16xf32>
// CHECK: %[[E:.*]] = tile.expand %[[N]], 1
// CHECK: %[[B:.*]] = tile.broadcast %[[E]]
// CHECK: %[[FMA:.*]] = math.fma %[[Y]], %{{.*}}, %[[B]]
// CHECK: math.exp2 %[[FMA]] : tensor<16x8xf32>
// CHECK: %[[D:.*]] = arith.subf %[[M]], %{{.*}} : tensor<16xf32>
// CHECK-NEXT: math.exp2 %[[D]]
// CHECK: arith.cmpf une, %[[Y]],
// CHECK: scf.yield
// CHECK: %[[LOG:.*]] = math.log2
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[LOG]]
// CHECK: arith.mulf %[[SUM]], %[[LN2]]

// Where the scale may be of any sign, the difference is taken first.
// KEPT-LABEL: tile.kernel @online_softmax
// KEPT-DAG: %[[LOG2E:.*]] = arith.constant dense<1.44269502> : tensor<16x8xf32>
// KEPT-NOT: math.fma
// KEPT: %[[D:.*]] = arith.subf {{.*}}tensor<16x8xf32>
// KEPT-NEXT: %[[E:.*]] = arith.mulf %[[D]], %[[LOG2E]]
// KEPT-NEXT: math.exp2 %[[E]]
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

// A softcap's factor is a constant: 5 log2 e.
// CHECK-LABEL: tile.kernel @softcap
// CHECK-DAG: %[[CAP:.*]] = arith.constant dense<7.21347522> : tensor<16x8xf32>
// CHECK: %[[T:.*]] = math.tanh
// CHECK: %[[F:.*]] = math.fma %[[T]], %[[CAP]],
// CHECK: math.exp2 %[[F]]
tile.kernel @softcap(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"}) {
  %c0 = arith.constant 0 : i32
  %cap = arith.constant dense<5.0> : tensor<16x8xf32>
  %d = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %t = math.tanh %d : tensor<16x8xf32>
  %s = arith.mulf %t, %cap : tensor<16x8xf32>
  %r = tile.reduce max %s, 1 : tensor<16x8xf32> -> tensor<16xf32>
  %r1 = tile.expand %r, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %r2 = tile.broadcast %r1 : tensor<16x1xf32> -> tensor<16x8xf32>
  %e = arith.subf %s, %r2 : tensor<16x8xf32>
  %p = math.exp %e : tensor<16x8xf32>
  tile.store %p, %x [%c0, %c0] : tensor<16x8xf32>, !tile.view<2xf32>
  tile.return
}
