// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA stores of tiles that threads wrote: each swizzle, boxes that leave the tensor at its end. Coordinates are not
// negative: there the card, unlike for loads, stops with "illegal instruction".
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/tma_store.json
// CASE: {"name": "swizzle 0", "arguments": [{"map": "tensor", "dims": [72, 20], "box": [24, 8], "swizzle": 0}, {"i32": 8},
// CASE:   {"i32": 2}, {"name": "tensor", "inout": "u16", "fill": 0, "count": 1440, "row": 72}]}
// CASE: {"name": "swizzle 0 over the end", "arguments": [{"map": "tensor", "dims": [72, 20], "box": [24, 8], "swizzle": 0},
// CASE:   {"i32": 64}, {"i32": 15}, {"name": "tensor", "inout": "u16", "fill": 0, "count": 1440, "row": 72}]}
// CASE: {"name": "swizzle 32", "arguments": [{"map": "tensor", "dims": [72, 20], "box": [16, 8], "swizzle": 32}, {"i32": 8},
// CASE:   {"i32": 2}, {"name": "tensor", "inout": "u16", "fill": 0, "count": 1440, "row": 72}]}
// CASE: {"name": "swizzle 32 over the end", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [16, 8], "swizzle": 32}, {"i32": 64}, {"i32": 15},
// CASE:   {"name": "tensor", "inout": "u16", "fill": 0, "count": 1440, "row": 72}]}
// CASE: {"name": "swizzle 64", "arguments": [{"map": "tensor", "dims": [72, 20], "box": [32, 8], "swizzle": 64}, {"i32": 8},
// CASE:   {"i32": 2}, {"name": "tensor", "inout": "u16", "fill": 0, "count": 1440, "row": 72}]}
// CASE: {"name": "swizzle 64 over the end", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [32, 8], "swizzle": 64}, {"i32": 56}, {"i32": 15},
// CASE:   {"name": "tensor", "inout": "u16", "fill": 0, "count": 1440, "row": 72}]}
// CASE: {"name": "swizzle 128", "arguments": [{"map": "tensor", "dims": [72, 20], "box": [64, 8], "swizzle": 128},
// CASE:   {"i32": 8}, {"i32": 2}, {"name": "tensor", "inout": "u16", "fill": 0, "count": 1440, "row": 72}]}
// CASE: {"name": "swizzle 128 over the end", "arguments": [
// CASE:   {"map": "tensor", "dims": [72, 20], "box": [64, 8], "swizzle": 128}, {"i32": 40}, {"i32": 15},
// CASE:   {"name": "tensor", "inout": "u16", "fill": 0, "count": 1440, "row": 72}]}
gpu.module @tma_store {
  gpu.func @store_2d(%map: !llvm.ptr {ptx.tensor_map}, %x0: i32, %x1: i32, %tensor: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %dynamic = ptx.dynamic_shared : !llvm.ptr<3>
    %start = llvm.ptrtoint %dynamic : !llvm.ptr<3> to i32
    %c1023 = arith.constant 1023 : i32
    %m1024 = arith.constant -1024 : i32
    %beyond = arith.addi %start, %c1023 : i32
    %base = arith.andi %beyond, %m1024 : i32
    %shared = llvm.inttoptr %base : i32 to !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %ones = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : vector<8xi16>
    // Element n of the tile is n + 1.
    %number = arith.muli %thread, %c8 : i32
    %short = arith.trunci %number : i32 to i16
    %row = vector.broadcast %short : i16 to vector<8xi16>
    %x = arith.addi %row, %ones : vector<8xi16>
    %p = llvm.getelementptr %shared[%number] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
    llvm.store %x, %p : vector<8xi16>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      nvvm.cp.async.bulk.tensor.global.shared.cta %map, %shared, box[%x0, %x1] : !llvm.ptr, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    gpu.return
  }
}
