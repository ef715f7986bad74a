// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma with A from registers, two steps of k, B K-major in the first and MN-major in the second product. Fragments are what
// threads hold: eight words each. The tolerance is less than 2^-20 of any element's sum |a||b|.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/wgmma_rs.json
// CASE: {"name": "half, overwriting", "kernel": "half", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 31, "count": 16384},
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 50001, "count": 2048},
// CASE:   {"in": "f32", "integers": [-4, 4], "seed": 60001, "count": 1024}, {"i64": 4611686293305360384}, {"i64": 2},
// CASE:   {"i64": 4611686293322072064}, {"i64": 128}, {"i32": 0}, {"name": "out", "out": "i16", "count": 2048, "row": 8}]}
// CASE: {"name": "half, accumulating", "kernel": "half", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 31, "count": 16384},
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 50001, "count": 2048},
// CASE:   {"in": "f32", "integers": [-4, 4], "seed": 60001, "count": 1024}, {"i64": -9223371899415756800}, {"i64": 2},
// CASE:   {"i64": -9223371899407433728}, {"i64": 64}, {"i32": 1}, {"name": "out", "out": "i16", "count": 2048, "row": 8}]}
// CASE: {"name": "half, no swizzle", "kernel": "half", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 31, "count": 16384},
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 50001, "count": 2048},
// CASE:   {"in": "f32", "integers": [-4, 4], "seed": 60001, "count": 1024}, {"i64": 137439477760}, {"i64": 16},
// CASE:   {"i64": 274878955520}, {"i64": 32}, {"i32": 1}, {"name": "out", "out": "i16", "count": 2048, "row": 8}]}
// CASE: {"name": "brain", "kernel": "brain", "arguments": [{"in": "bf16", "integers": [-4, 4], "seed": 31, "count": 16384},
// CASE:   {"in": "bf16", "integers": [-4, 4], "seed": 50001, "count": 2048},
// CASE:   {"in": "f32", "integers": [-4, 4], "seed": 60001, "count": 1024}, {"i64": -4611685949707845632}, {"i64": 128},
// CASE:   {"i64": -4611685949703716864}, {"i64": 32}, {"i32": 1}, {"name": "out", "out": "i16", "count": 2048, "row": 8}]}
// CASE: {"name": "real", "kernel": "real", "arguments": [{"in": "f16", "uniform": [-1, 1], "seed": 31, "count": 16384},
// CASE:   {"in": "f16", "uniform": [-1, 1], "seed": 50001, "count": 2048},
// CASE:   {"in": "f32", "uniform": [-1, 1], "seed": 60001, "count": 1024}, {"i64": 4611686293305360384}, {"i64": 2},
// CASE:   {"i64": 4611686293322072064}, {"i64": 128}, {"i32": 1},
// CASE:   {"name": "out", "out": "f32", "count": 2048, "row": 8, "within": 1e-06}]}
gpu.module @wgmma_rs {
  gpu.func @half(%data: !llvm.ptr<1>, %a: !llvm.ptr<1>, %c: !llvm.ptr<1>, %bk: i64, %bk_step: i64, %bm: i64, %bm_step: i64,
      %again: i32, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 33792 : i64} {
    %dynamic = ptx.dynamic_shared : !llvm.ptr<3>
    %start = llvm.ptrtoint %dynamic : !llvm.ptr<3> to i32
    %c1023 = arith.constant 1023 : i32
    %m1024 = arith.constant -1024 : i32
    %beyond = arith.addi %start, %c1023 : i32
    %base = arith.andi %beyond, %m1024 : i32
    %shared = llvm.inttoptr %base : i32 to !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      %row = arith.muli %i, %c128 : i32
      %at = arith.addi %row, %thread : i32
      %p = llvm.getelementptr %data[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
      %q = llvm.getelementptr %shared[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
      %x = llvm.load %p : !llvm.ptr<1> -> vector<4xi32>
      llvm.store %x, %q : vector<4xi32>, !llvm.ptr<3>
    }
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    %c262143 = arith.constant 262143 : i32
    %c4 = arith.constant 4 : i32
    %masked = arith.andi %base, %c262143 : i32
    %units = arith.shrui %masked, %c4 : i32
    %origin = arith.extui %units : i32 to i64
    %bk0 = arith.addi %bk, %origin : i64
    %bk1 = arith.addi %bk0, %bk_step : i64
    %bm0 = arith.addi %bm, %origin : i64
    %bm1 = arith.addi %bm0, %bm_step : i64
    %pa = llvm.getelementptr %a[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xi32>
    %va = llvm.load %pa : !llvm.ptr<1> -> vector<8xi32>
    %pc = llvm.getelementptr %c[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf32>
    %vc = llvm.load %pc : !llvm.ptr<1> -> vector<8xf32>
    %a0 = vector.extract_strided_slice %va {offsets = [0], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
    %a1 = vector.extract_strided_slice %va {offsets = [4], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
    %keep = arith.cmpi ne, %again, %c0 : i32
    %k0, %m0, %f0, %f1 = ptx.wgmma_fence %vc, %vc, %a0, %a1 : vector<8xf32>, vector<8xf32>, vector<4xi32>, vector<4xi32>
    %k1 = ptx.wgmma f16 %f0, %bk0, %k0 scale_d %keep : vector<4xi32> -> vector<8xf32>
    %k2 = ptx.wgmma f16 %f1, %bk1, %k1 : vector<4xi32> -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %m1 = ptx.wgmma f16 %f0, %bm0, %m0 scale_d %keep transpose_b : vector<4xi32> -> vector<8xf32>
    %m2 = ptx.wgmma f16 %f1, %bm1, %m1 transpose_b negate_a : vector<4xi32> -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %k3 = ptx.wgmma_wait 1 %k2 in_flight(%f0, %f1 : vector<4xi32>, vector<4xi32>) : vector<8xf32>
    %m3 = ptx.wgmma_wait 0 %m2 in_flight(%f0, %f1 : vector<4xi32>, vector<4xi32>) : vector<8xf32>
    %place = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xi16>
    %second = llvm.getelementptr %place[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xi16>
    %k3w = arith.fptosi %k3 : vector<8xf32> to vector<8xi16>
    llvm.store %k3w, %place : vector<8xi16>, !llvm.ptr<1>
    %m3w = arith.fptosi %m3 : vector<8xf32> to vector<8xi16>
    llvm.store %m3w, %second : vector<8xi16>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @brain(%data: !llvm.ptr<1>, %a: !llvm.ptr<1>, %c: !llvm.ptr<1>, %bk: i64, %bk_step: i64, %bm: i64, %bm_step: i64,
      %again: i32, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 33792 : i64} {
    %dynamic = ptx.dynamic_shared : !llvm.ptr<3>
    %start = llvm.ptrtoint %dynamic : !llvm.ptr<3> to i32
    %c1023 = arith.constant 1023 : i32
    %m1024 = arith.constant -1024 : i32
    %beyond = arith.addi %start, %c1023 : i32
    %base = arith.andi %beyond, %m1024 : i32
    %shared = llvm.inttoptr %base : i32 to !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      %row = arith.muli %i, %c128 : i32
      %at = arith.addi %row, %thread : i32
      %p = llvm.getelementptr %data[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
      %q = llvm.getelementptr %shared[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
      %x = llvm.load %p : !llvm.ptr<1> -> vector<4xi32>
      llvm.store %x, %q : vector<4xi32>, !llvm.ptr<3>
    }
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    %c262143 = arith.constant 262143 : i32
    %c4 = arith.constant 4 : i32
    %masked = arith.andi %base, %c262143 : i32
    %units = arith.shrui %masked, %c4 : i32
    %origin = arith.extui %units : i32 to i64
    %bk0 = arith.addi %bk, %origin : i64
    %bk1 = arith.addi %bk0, %bk_step : i64
    %bm0 = arith.addi %bm, %origin : i64
    %bm1 = arith.addi %bm0, %bm_step : i64
    %pa = llvm.getelementptr %a[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xi32>
    %va = llvm.load %pa : !llvm.ptr<1> -> vector<8xi32>
    %pc = llvm.getelementptr %c[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf32>
    %vc = llvm.load %pc : !llvm.ptr<1> -> vector<8xf32>
    %a0 = vector.extract_strided_slice %va {offsets = [0], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
    %a1 = vector.extract_strided_slice %va {offsets = [4], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
    %keep = arith.cmpi ne, %again, %c0 : i32
    %k0, %m0, %f0, %f1 = ptx.wgmma_fence %vc, %vc, %a0, %a1 : vector<8xf32>, vector<8xf32>, vector<4xi32>, vector<4xi32>
    %k1 = ptx.wgmma bf16 %f0, %bk0, %k0 scale_d %keep : vector<4xi32> -> vector<8xf32>
    %k2 = ptx.wgmma bf16 %f1, %bk1, %k1 : vector<4xi32> -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %m1 = ptx.wgmma bf16 %f0, %bm0, %m0 scale_d %keep transpose_b : vector<4xi32> -> vector<8xf32>
    %m2 = ptx.wgmma bf16 %f1, %bm1, %m1 transpose_b negate_a : vector<4xi32> -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %k3 = ptx.wgmma_wait 1 %k2 in_flight(%f0, %f1 : vector<4xi32>, vector<4xi32>) : vector<8xf32>
    %m3 = ptx.wgmma_wait 0 %m2 in_flight(%f0, %f1 : vector<4xi32>, vector<4xi32>) : vector<8xf32>
    %place = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xi16>
    %second = llvm.getelementptr %place[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xi16>
    %k3w = arith.fptosi %k3 : vector<8xf32> to vector<8xi16>
    llvm.store %k3w, %place : vector<8xi16>, !llvm.ptr<1>
    %m3w = arith.fptosi %m3 : vector<8xf32> to vector<8xi16>
    llvm.store %m3w, %second : vector<8xi16>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @real(%data: !llvm.ptr<1>, %a: !llvm.ptr<1>, %c: !llvm.ptr<1>, %bk: i64, %bk_step: i64, %bm: i64, %bm_step: i64,
      %again: i32, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 33792 : i64} {
    %dynamic = ptx.dynamic_shared : !llvm.ptr<3>
    %start = llvm.ptrtoint %dynamic : !llvm.ptr<3> to i32
    %c1023 = arith.constant 1023 : i32
    %m1024 = arith.constant -1024 : i32
    %beyond = arith.addi %start, %c1023 : i32
    %base = arith.andi %beyond, %m1024 : i32
    %shared = llvm.inttoptr %base : i32 to !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      %row = arith.muli %i, %c128 : i32
      %at = arith.addi %row, %thread : i32
      %p = llvm.getelementptr %data[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
      %q = llvm.getelementptr %shared[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
      %x = llvm.load %p : !llvm.ptr<1> -> vector<4xi32>
      llvm.store %x, %q : vector<4xi32>, !llvm.ptr<3>
    }
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    %c262143 = arith.constant 262143 : i32
    %c4 = arith.constant 4 : i32
    %masked = arith.andi %base, %c262143 : i32
    %units = arith.shrui %masked, %c4 : i32
    %origin = arith.extui %units : i32 to i64
    %bk0 = arith.addi %bk, %origin : i64
    %bk1 = arith.addi %bk0, %bk_step : i64
    %bm0 = arith.addi %bm, %origin : i64
    %bm1 = arith.addi %bm0, %bm_step : i64
    %pa = llvm.getelementptr %a[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xi32>
    %va = llvm.load %pa : !llvm.ptr<1> -> vector<8xi32>
    %pc = llvm.getelementptr %c[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf32>
    %vc = llvm.load %pc : !llvm.ptr<1> -> vector<8xf32>
    %a0 = vector.extract_strided_slice %va {offsets = [0], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
    %a1 = vector.extract_strided_slice %va {offsets = [4], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
    %keep = arith.cmpi ne, %again, %c0 : i32
    %k0, %m0, %f0, %f1 = ptx.wgmma_fence %vc, %vc, %a0, %a1 : vector<8xf32>, vector<8xf32>, vector<4xi32>, vector<4xi32>
    %k1 = ptx.wgmma f16 %f0, %bk0, %k0 scale_d %keep : vector<4xi32> -> vector<8xf32>
    %k2 = ptx.wgmma f16 %f1, %bk1, %k1 : vector<4xi32> -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %m1 = ptx.wgmma f16 %f0, %bm0, %m0 scale_d %keep transpose_b : vector<4xi32> -> vector<8xf32>
    %m2 = ptx.wgmma f16 %f1, %bm1, %m1 transpose_b negate_a : vector<4xi32> -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %k3 = ptx.wgmma_wait 1 %k2 in_flight(%f0, %f1 : vector<4xi32>, vector<4xi32>) : vector<8xf32>
    %m3 = ptx.wgmma_wait 0 %m2 in_flight(%f0, %f1 : vector<4xi32>, vector<4xi32>) : vector<8xf32>
    %place = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf32>
    %second = llvm.getelementptr %place[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xf32>
    llvm.store %k3, %place : vector<8xf32>, !llvm.ptr<1>
    llvm.store %m3, %second : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }
}
