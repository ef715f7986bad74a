// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA loads of tiles in one to five dimensions: each swizzle, boxes that leave the tensor on both sides, strides. Elements
// are numbered from 1, so that a zero is one from outside. The innermost coordinate is a multiple of 16 bytes: at any other
// the card stops with "illegal instruction".
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/tma_load.json
// CASE: {"name": "swizzle 0", "kernel": "load_2d", "arguments": [{"map": "tensor", "dims": [72, 20], "box": [24, 16]},
// CASE:   {"i32": 8}, {"i32": 2}, {"i32": 768}, {"name": "out", "out": "u16", "count": 384, "row": 24},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 0 before the start", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [24, 8]}, {"i32": -8}, {"i32": -3}, {"i32": 384},
// CASE:   {"name": "out", "out": "u16", "count": 192, "row": 24},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 0 over the end", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [24, 8]}, {"i32": 64}, {"i32": 15}, {"i32": 384},
// CASE:   {"name": "out", "out": "u16", "count": 192, "row": 24},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 32", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [16, 16], "swizzle": 32}, {"i32": 8}, {"i32": 2}, {"i32": 512},
// CASE:   {"name": "out", "out": "u16", "count": 256, "row": 16},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 32 before the start", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [16, 8], "swizzle": 32}, {"i32": -8}, {"i32": -3}, {"i32": 256},
// CASE:   {"name": "out", "out": "u16", "count": 128, "row": 16},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 32 over the end", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [16, 8], "swizzle": 32}, {"i32": 64}, {"i32": 15}, {"i32": 256},
// CASE:   {"name": "out", "out": "u16", "count": 128, "row": 16},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 64", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [32, 16], "swizzle": 64}, {"i32": 8}, {"i32": 2}, {"i32": 1024},
// CASE:   {"name": "out", "out": "u16", "count": 512, "row": 32},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 64 before the start", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [32, 8], "swizzle": 64}, {"i32": -8}, {"i32": -3}, {"i32": 512},
// CASE:   {"name": "out", "out": "u16", "count": 256, "row": 32},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 64 over the end", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [32, 8], "swizzle": 64}, {"i32": 56}, {"i32": 15}, {"i32": 512},
// CASE:   {"name": "out", "out": "u16", "count": 256, "row": 32},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 128", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [64, 16], "swizzle": 128}, {"i32": 8}, {"i32": 2}, {"i32": 2048},
// CASE:   {"name": "out", "out": "u16", "count": 1024, "row": 64},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 128 before the start", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [64, 8], "swizzle": 128}, {"i32": -8}, {"i32": -3}, {"i32": 1024},
// CASE:   {"name": "out", "out": "u16", "count": 512, "row": 64},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "swizzle 128 over the end", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [64, 8], "swizzle": 128}, {"i32": 40}, {"i32": 15}, {"i32": 1024},
// CASE:   {"name": "out", "out": "u16", "count": 512, "row": 64},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "outside", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [32, 4], "swizzle": 64}, {"i32": 104}, {"i32": -4}, {"i32": 256},
// CASE:   {"name": "out", "out": "u16", "count": 128, "row": 32},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1440}]}
// CASE: {"name": "wider than the tensor", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [24, 20], "box": [64, 8], "swizzle": 128}, {"i32": -8}, {"i32": 6}, {"i32": 1024},
// CASE:   {"name": "out", "out": "u16", "count": 512, "row": 64},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 480}]}
// CASE: {"name": "line", "kernel": "load_1d", "arguments": [{"map": "tensor", "dims": [100], "box": [64]}, {"i32": 56},
// CASE:   {"i32": 128}, {"name": "out", "out": "u16", "count": 64, "row": 64},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 100}]}
// CASE: {"name": "strides", "kernel": "load_3d", "arguments": [
// CASE:   {"map": "tensor", "dims": [8, 5, 3], "strides": [32, 256], "box": [8, 4, 2]}, {"i32": 0}, {"i32": 2}, {"i32": -1},
// CASE:   {"i32": 128}, {"name": "out", "out": "u16", "count": 64, "row": 8},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 384}]}
// CASE: {"name": "cube of floats", "kernel": "load_3d", "arguments": [
// CASE:   {"map": "tensor", "dims": [8, 8, 4], "box": [4, 4, 4]}, {"i32": 4}, {"i32": 6}, {"i32": 1}, {"i32": 256},
// CASE:   {"name": "out", "out": "f32", "count": 64, "row": 4},
// CASE:   {"name": "tensor", "in": "f32", "iota": [1, 1], "count": 256}]}
// CASE: {"name": "five dimensions", "kernel": "load_5d", "arguments": [
// CASE:   {"map": "tensor", "dims": [8, 3, 3, 3, 3], "box": [8, 2, 2, 2, 2]}, {"i32": 0}, {"i32": 2}, {"i32": -1},
// CASE:   {"i32": 1}, {"i32": 2}, {"i32": 256}, {"name": "out", "out": "u16", "count": 128, "row": 8},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 648}]}
// CASE: {"name": "offset", "kernel": "load_2d", "arguments": [
// CASE:   {"map": "tensor", "dims": [32, 8], "box": [32, 8], "swizzle": 64, "offset": 64}, {"i32": 0}, {"i32": 1},
// CASE:   {"i32": 512}, {"name": "out", "out": "u16", "count": 256, "row": 32},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 288}]}
gpu.module @tma_load {
  gpu.func @load_1d(%map: !llvm.ptr {ptx.tensor_map}, %x0: i32, %bytes: i32, %out: !llvm.ptr<1>, %tensor: !llvm.ptr<1>)
      kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 4096 : i64} {
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
    %barrier = llvm.getelementptr %shared[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32 -> i64
      %target = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %barrier, box[%x0] : !llvm.ptr<7>, !llvm.ptr
    }
    nvvm.barrier0
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    %at = arith.muli %thread, %c16 : i32
    %inside = arith.cmpi ult, %at, %bytes : i32
    scf.if %inside {
      %p = llvm.getelementptr %shared[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %q = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      %x = llvm.load %p : !llvm.ptr<3> -> vector<4xi32>
      llvm.store %x, %q : vector<4xi32>, !llvm.ptr<1>
    }
    gpu.return
  }
  gpu.func @load_2d(%map: !llvm.ptr {ptx.tensor_map}, %x0: i32, %x1: i32, %bytes: i32, %out: !llvm.ptr<1>, %tensor:
      !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 4096 : i64} {
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
    %barrier = llvm.getelementptr %shared[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32 -> i64
      %target = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %barrier, box[%x0, %x1] : !llvm.ptr<7>, !llvm.ptr
    }
    nvvm.barrier0
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    %at = arith.muli %thread, %c16 : i32
    %inside = arith.cmpi ult, %at, %bytes : i32
    scf.if %inside {
      %p = llvm.getelementptr %shared[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %q = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      %x = llvm.load %p : !llvm.ptr<3> -> vector<4xi32>
      llvm.store %x, %q : vector<4xi32>, !llvm.ptr<1>
    }
    gpu.return
  }
  gpu.func @load_3d(%map: !llvm.ptr {ptx.tensor_map}, %x0: i32, %x1: i32, %x2: i32, %bytes: i32, %out: !llvm.ptr<1>,
      %tensor: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 4096 : i64} {
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
    %barrier = llvm.getelementptr %shared[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32 -> i64
      %target = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %barrier, box[%x0, %x1, %x2] : !llvm.ptr<7>, !llvm.ptr
    }
    nvvm.barrier0
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    %at = arith.muli %thread, %c16 : i32
    %inside = arith.cmpi ult, %at, %bytes : i32
    scf.if %inside {
      %p = llvm.getelementptr %shared[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %q = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      %x = llvm.load %p : !llvm.ptr<3> -> vector<4xi32>
      llvm.store %x, %q : vector<4xi32>, !llvm.ptr<1>
    }
    gpu.return
  }
  gpu.func @load_5d(%map: !llvm.ptr {ptx.tensor_map}, %x0: i32, %x1: i32, %x2: i32, %x3: i32, %x4: i32, %bytes: i32, %out:
      !llvm.ptr<1>, %tensor: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 4096 : i64} {
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
    %barrier = llvm.getelementptr %shared[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32 -> i64
      %target = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %barrier, box[%x0, %x1, %x2, %x3, %x4] : !llvm.ptr<7>,
          !llvm.ptr
    }
    nvvm.barrier0
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    %at = arith.muli %thread, %c16 : i32
    %inside = arith.cmpi ult, %at, %bytes : i32
    scf.if %inside {
      %p = llvm.getelementptr %shared[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %q = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      %x = llvm.load %p : !llvm.ptr<3> -> vector<4xi32>
      llvm.store %x, %q : vector<4xi32>, !llvm.ptr<1>
    }
    gpu.return
  }
}
