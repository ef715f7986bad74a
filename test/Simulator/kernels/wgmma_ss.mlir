// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma of two operands in shared memory, two steps of k: K-major (ak, bk) and MN-major (am, bm) for each swizzle. Operands
// are raw numbers and descriptors: any address is a matrix, so that wrong strides show. Descriptors are relative to the
// data. The tolerance is less than 2^-20 of any element's sum |a||b|.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/wgmma_ss.json
// CASE: {"name": "no swizzle", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": 137439477760}, {"i64": 16},
// CASE:   {"i64": 274878955520}, {"i64": 32}, {"i64": 137439478784}, {"i64": 16}, {"i64": 274878956544}, {"i64": 32},
// CASE:   {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "no swizzle, other strides", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": 34363932672}, {"i64": 128},
// CASE:   {"i64": 38659424256}, {"i64": 18}, {"i64": 34363933696}, {"i64": 128}, {"i64": 38659425280}, {"i64": 18},
// CASE:   {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 32", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": -4611685949707845632}, {"i64": 128},
// CASE:   {"i64": -4611685949703716864}, {"i64": 32}, {"i64": -4611685949707844608}, {"i64": 128},
// CASE:   {"i64": -4611685949703715840}, {"i64": 32}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 64", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": -9223371899415756800}, {"i64": 2},
// CASE:   {"i64": -9223371899407433728}, {"i64": 64}, {"i64": -9223371899415755776}, {"i64": 2},
// CASE:   {"i64": -9223371899407432704}, {"i64": 64}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 128", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": 4611686293305360384}, {"i64": 2},
// CASE:   {"i64": 4611686293322072064}, {"i64": 128}, {"i64": 4611686293305361408}, {"i64": 2},
// CASE:   {"i64": 4611686293322073088}, {"i64": 128}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 128, wide strides", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": 4611686362024837120}, {"i64": 4},
// CASE:   {"i64": 4611686327681810432}, {"i64": 144}, {"i64": 4611686362024838144}, {"i64": 4},
// CASE:   {"i64": 4611686327681811456}, {"i64": 144}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 128, not at a period", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": 4611686293305360408}, {"i64": 2},
// CASE:   {"i64": 4611686293322072088}, {"i64": 128}, {"i64": 4611686293305361432}, {"i64": 2},
// CASE:   {"i64": 4611686293322073112}, {"i64": 128}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 128, not at a period, offset told", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": 4613375143165624344}, {"i64": 2},
// CASE:   {"i64": 4613375143182336024}, {"i64": 128}, {"i64": 4613375143165625368}, {"i64": 2},
// CASE:   {"i64": 4613375143182337048}, {"i64": 128}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 128, another offset told", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": 4615063993025888256}, {"i64": 2},
// CASE:   {"i64": 4615063993042599936}, {"i64": 128}, {"i64": 4615063993025889280}, {"i64": 2},
// CASE:   {"i64": 4615063993042600960}, {"i64": 128}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 64, offset told", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": -9222808949462335480}, {"i64": 2},
// CASE:   {"i64": -9222808949454012408}, {"i64": 64}, {"i64": -9222808949462334456}, {"i64": 2},
// CASE:   {"i64": -9222808949454011384}, {"i64": 64}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 64, another offset told", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": -9219994199695228928}, {"i64": 2},
// CASE:   {"i64": -9219994199686905856}, {"i64": 64}, {"i64": -9219994199695227904}, {"i64": 2},
// CASE:   {"i64": -9219994199686904832}, {"i64": 64}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "swizzle 32, offset told", "kernel": "all_forms", "arguments": [
// CASE:   {"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": -4611122999754424312}, {"i64": 128},
// CASE:   {"i64": -4611122999750295544}, {"i64": 32}, {"i64": -4611122999754423288}, {"i64": 128},
// CASE:   {"i64": -4611122999750294520}, {"i64": 32}, {"name": "out", "out": "i16", "count": 4096, "row": 8}]}
// CASE: {"name": "wide", "kernel": "wide", "arguments": [{"in": "f16", "integers": [-4, 4], "seed": 21, "count": 16384},
// CASE:   {"i64": 4611686293305360384}, {"i64": 2}, {"i64": 4611686293322073088}, {"i64": 128},
// CASE:   {"name": "out", "out": "i16", "count": 8192, "row": 64}]}
// CASE: {"name": "narrow", "kernel": "narrow", "arguments": [
// CASE:   {"in": "bf16", "integers": [-4, 4], "seed": 21, "count": 16384}, {"i64": -9223371899415756800}, {"i64": 2},
// CASE:   {"i64": -9223371899415755776}, {"i64": 2}, {"name": "out", "out": "f32", "count": 512, "row": 4}]}
// CASE: {"name": "brain", "kernel": "brain", "arguments": [{"in": "bf16", "integers": [-4, 4], "seed": 21, "count": 16384},
// CASE:   {"i64": 4611686293305360384}, {"i64": 2}, {"i64": 4611686293322072064}, {"i64": 128},
// CASE:   {"i64": 4611686293305361408}, {"i64": 2}, {"i64": 4611686293322073088}, {"i64": 128},
// CASE:   {"name": "out", "out": "i16", "count": 2048, "row": 8}]}
// CASE: {"name": "real", "kernel": "real", "arguments": [{"in": "f16", "uniform": [-1, 1], "seed": 22, "count": 16384},
// CASE:   {"i64": 4611686293305360384}, {"i64": 2}, {"i64": 4611686293322072064}, {"i64": 128},
// CASE:   {"i64": 4611686293305361408}, {"i64": 2}, {"i64": 4611686293322073088}, {"i64": 128},
// CASE:   {"name": "out", "out": "f32", "count": 2048, "row": 8, "within": 1e-06}]}
gpu.module @wgmma_ss {
  gpu.func @all_forms(%data: !llvm.ptr<1>, %ak: i64, %ak_step: i64, %am: i64, %am_step: i64, %bk: i64, %bk_step: i64, %bm:
      i64, %bm_step: i64, %out: !llvm.ptr<1>) kernel
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
    %ak0 = arith.addi %ak, %origin : i64
    %ak1 = arith.addi %ak0, %ak_step : i64
    %am0 = arith.addi %am, %origin : i64
    %am1 = arith.addi %am0, %am_step : i64
    %bk0 = arith.addi %bk, %origin : i64
    %bk1 = arith.addi %bk0, %bk_step : i64
    %bm0 = arith.addi %bm, %origin : i64
    %bm1 = arith.addi %bm0, %bm_step : i64
    nvvm.wgmma.fence.aligned
    %s0 = ptx.wgmma f16 %ak0, %bk0 : i64 -> vector<8xf32>
    %t0 = ptx.wgmma f16 %ak1, %bk1, %s0 : i64 -> vector<8xf32>
    %s1 = ptx.wgmma f16 %ak0, %bm0 transpose_b : i64 -> vector<8xf32>
    %t1 = ptx.wgmma f16 %ak1, %bm1, %s1 transpose_b : i64 -> vector<8xf32>
    %s2 = ptx.wgmma f16 %am0, %bk0 transpose_a : i64 -> vector<8xf32>
    %t2 = ptx.wgmma f16 %am1, %bk1, %s2 transpose_a : i64 -> vector<8xf32>
    %s3 = ptx.wgmma f16 %am0, %bm0 transpose_a transpose_b : i64 -> vector<8xf32>
    %t3 = ptx.wgmma f16 %am1, %bm1, %s3 transpose_a transpose_b : i64 -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %d0, %d1, %d2, %d3 = ptx.wgmma_wait 0 %t0, %t1, %t2, %t3 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
    %place = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xi16>
    %w0 = arith.fptosi %d0 : vector<8xf32> to vector<8xi16>
    %p0 = llvm.getelementptr %place[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xi16>
    llvm.store %w0, %p0 {alignment = 4 : i64} : vector<8xi16>, !llvm.ptr<1>
    %w1 = arith.fptosi %d1 : vector<8xf32> to vector<8xi16>
    %p1 = llvm.getelementptr %place[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xi16>
    llvm.store %w1, %p1 {alignment = 4 : i64} : vector<8xi16>, !llvm.ptr<1>
    %w2 = arith.fptosi %d2 : vector<8xf32> to vector<8xi16>
    %p2 = llvm.getelementptr %place[256] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xi16>
    llvm.store %w2, %p2 {alignment = 4 : i64} : vector<8xi16>, !llvm.ptr<1>
    %w3 = arith.fptosi %d3 : vector<8xf32> to vector<8xi16>
    %p3 = llvm.getelementptr %place[384] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xi16>
    llvm.store %w3, %p3 {alignment = 4 : i64} : vector<8xi16>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @wide(%data: !llvm.ptr<1>, %ak: i64, %ak_step: i64, %bm: i64, %bm_step: i64, %out: !llvm.ptr<1>) kernel
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
    %ak0 = arith.addi %ak, %origin : i64
    %ak1 = arith.addi %ak0, %ak_step : i64
    %bm0 = arith.addi %bm, %origin : i64
    %bm1 = arith.addi %bm0, %bm_step : i64
    nvvm.wgmma.fence.aligned
    %s0 = ptx.wgmma f16 %ak0, %bm0 transpose_b : i64 -> vector<64xf32>
    %t0 = ptx.wgmma f16 %ak1, %bm1, %s0 transpose_b : i64 -> vector<64xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %d0 = ptx.wgmma_wait 0 %t0 : vector<64xf32>
    %place = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<64xi16>
    %w0 = arith.fptosi %d0 : vector<64xf32> to vector<64xi16>
    %p0 = llvm.getelementptr %place[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<64xi16>
    llvm.store %w0, %p0 {alignment = 4 : i64} : vector<64xi16>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @narrow(%data: !llvm.ptr<1>, %ak: i64, %ak_step: i64, %bk: i64, %bk_step: i64, %out: !llvm.ptr<1>) kernel
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
    %ak0 = arith.addi %ak, %origin : i64
    %ak1 = arith.addi %ak0, %ak_step : i64
    %bk0 = arith.addi %bk, %origin : i64
    %bk1 = arith.addi %bk0, %bk_step : i64
    nvvm.wgmma.fence.aligned
    %s0 = ptx.wgmma bf16 %ak0, %bk0 : i64 -> vector<4xf32>
    %t0 = ptx.wgmma bf16 %ak1, %bk1, %s0 negate_b : i64 -> vector<4xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %d0 = ptx.wgmma_wait 0 %t0 : vector<4xf32>
    %place = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %p0 = llvm.getelementptr %place[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xf32>
    llvm.store %d0, %p0 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @brain(%data: !llvm.ptr<1>, %ak: i64, %ak_step: i64, %am: i64, %am_step: i64, %bk: i64, %bk_step: i64, %bm: i64,
      %bm_step: i64, %out: !llvm.ptr<1>) kernel
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
    %ak0 = arith.addi %ak, %origin : i64
    %ak1 = arith.addi %ak0, %ak_step : i64
    %am0 = arith.addi %am, %origin : i64
    %am1 = arith.addi %am0, %am_step : i64
    %bk0 = arith.addi %bk, %origin : i64
    %bk1 = arith.addi %bk0, %bk_step : i64
    %bm0 = arith.addi %bm, %origin : i64
    %bm1 = arith.addi %bm0, %bm_step : i64
    nvvm.wgmma.fence.aligned
    %s0 = ptx.wgmma bf16 %ak0, %bk0 : i64 -> vector<8xf32>
    %t0 = ptx.wgmma bf16 %ak1, %bk1, %s0 negate_a : i64 -> vector<8xf32>
    %s1 = ptx.wgmma bf16 %am0, %bm0 transpose_a transpose_b : i64 -> vector<8xf32>
    %t1 = ptx.wgmma bf16 %am1, %bm1, %s1 transpose_a transpose_b negate_a : i64 -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %d0, %d1 = ptx.wgmma_wait 0 %t0, %t1 : vector<8xf32>, vector<8xf32>
    %place = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xi16>
    %w0 = arith.fptosi %d0 : vector<8xf32> to vector<8xi16>
    %p0 = llvm.getelementptr %place[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xi16>
    llvm.store %w0, %p0 {alignment = 4 : i64} : vector<8xi16>, !llvm.ptr<1>
    %w1 = arith.fptosi %d1 : vector<8xf32> to vector<8xi16>
    %p1 = llvm.getelementptr %place[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xi16>
    llvm.store %w1, %p1 {alignment = 4 : i64} : vector<8xi16>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @real(%data: !llvm.ptr<1>, %ak: i64, %ak_step: i64, %am: i64, %am_step: i64, %bk: i64, %bk_step: i64, %bm: i64,
      %bm_step: i64, %out: !llvm.ptr<1>) kernel
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
    %ak0 = arith.addi %ak, %origin : i64
    %ak1 = arith.addi %ak0, %ak_step : i64
    %am0 = arith.addi %am, %origin : i64
    %am1 = arith.addi %am0, %am_step : i64
    %bk0 = arith.addi %bk, %origin : i64
    %bk1 = arith.addi %bk0, %bk_step : i64
    %bm0 = arith.addi %bm, %origin : i64
    %bm1 = arith.addi %bm0, %bm_step : i64
    nvvm.wgmma.fence.aligned
    %s0 = ptx.wgmma f16 %ak0, %bk0 : i64 -> vector<8xf32>
    %t0 = ptx.wgmma f16 %ak1, %bk1, %s0 : i64 -> vector<8xf32>
    %s1 = ptx.wgmma f16 %am0, %bm0 transpose_a transpose_b : i64 -> vector<8xf32>
    %t1 = ptx.wgmma f16 %am1, %bm1, %s1 transpose_a transpose_b : i64 -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %d0, %d1 = ptx.wgmma_wait 0 %t0, %t1 : vector<8xf32>, vector<8xf32>
    %place = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf32>
    %p0 = llvm.getelementptr %place[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xf32>
    llvm.store %d0, %p0 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr<1>
    %p1 = llvm.getelementptr %place[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<8xf32>
    llvm.store %d1, %p1 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }
}
