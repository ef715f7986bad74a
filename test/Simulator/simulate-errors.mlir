// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases that cannot be run say which one and why.
// REQUIRES: tilefold-simulate
// RUN: echo '{"arguments": [{"in": "f8", "count": 1}, {"i32": 1}]}' > %t.type
// RUN: not tilefold-simulate %s --case %t.type 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: case '1': argument 0: 'in': expected one of i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64, got 'f8'
// RUN: echo '{"name": "a", "arguments": [{"in": "f32", "values": [1], "size": 3}, {"i32": 1}]}' > %t.key
// RUN: not tilefold-simulate %s --case %t.key 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: case 'a': argument 0: 'size': no such key
// RUN: echo '{"arguments": [{"in": "f32", "values": [1]}]}' > %t.few
// RUN: not tilefold-simulate %s --case %t.few 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: case '1': kernel 'k' has 2 parameters, the case has 1 arguments
// RUN: echo '{"arguments": [{"in": "f32", "values": [1]}, {"f32": 1}]}' > %t.kind
// RUN: not tilefold-simulate %s --case %t.kind 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: case '1': argument 1 ('argument 1') is of another kind than the kernel's parameter
// RUN: echo '{"arguments": [{"in": "i8", "values": [300]}, {"i32": 1}]}' > %t.range
// RUN: not tilefold-simulate %s --case %t.range 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: case '1': argument 0: expected a number of type i8, got 300
// RUN: echo '{"arguments": [{"in": "i32", "integers": [0, -1], "count": 1}, {"i32": 1}]}' > %t.ends
// RUN: not tilefold-simulate %s --case %t.ends 2>&1 | FileCheck %s --check-prefix=ENDS
// ENDS: case '1': argument 0: 'integers': expected the least number and then the largest, got [0,-1]
// RUN: echo '{"shared": 300000, "arguments": [{"in": "f32", "values": [1]}, {"i32": 1}]}' > %t.shared
// RUN: not tilefold-simulate %s --case %t.shared 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: case '1': a block of kernel 'k' has 300000 bytes of shared memory, at most 232448 are there
// RUN: sed 's/i32) kernel/i32) kernel attributes {known_block_size = array<i32: 4, 2, 1>}/' %s > %t.mlir
// RUN: not tilefold-simulate %t.mlir --case %t.shared 2>&1 | FileCheck %s --check-prefix=PLANE
// PLANE: error: a block of 4 x 2 x 1 threads is not modelled, expected one of n x 1 x 1
// RUN: echo '{"arguments": [{"map": "x", "dims": [8], "box": [8]}]}' > %t.map
// RUN: not tilefold-simulate %s --case %t.map 2>&1 | FileCheck %s --check-prefix=MAP
// MAP: case '1': argument 0: 'map': there is no array 'x'
// RUN: echo '{"kernel": "l"}' > %t.kernel
// RUN: not tilefold-simulate %s --case %t.kernel 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: case '1': 'kernel': expected one of the module's 1 kernels, got 'l'
// RUN: not tilefold-simulate %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: there is no case: expected lines of '// CASE: {...}', or --case
gpu.module @m {
  gpu.func @k(%x: !llvm.ptr<1>, %n: i32) kernel {
    gpu.return
  }
}
// RUN: not tilefold-simulate %s --seeds 0 2>&1 | FileCheck %s --check-prefix=SEEDS
// SEEDS: --seeds: expected 1 or more, got 0
