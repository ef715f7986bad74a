// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ex2.approx.ftz, lg2.approx and rcp.approx.ftz on special values (limits of the exponent, subnormals, infinities) and on
// sweeps.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/approximate.json
// CASE: {"name": "ex2 special", "kernel": "ex2", "grid": 1, "arguments": [
// CASE:   {"in": "f32", "values": ["0x00000000", "0x80000000", "0x7f800000", "0xff800000", "0x7fc00000", "0x00000001",
// CASE:    "0x007fffff", "0x80000001", "0x807fffff", "0x00800000", "0x80800000", "0x7f7fffff", "0xff7fffff", "0x3f800000",
// CASE:    "0xbf800000", "0x3f7fffff", "0x3f800001", "0x40000000", "0xc0000000", "0x3f000000", "0xbf000000", "0x7e800000",
// CASE:    "0x7e800001", "0x7effffff", "0xfe800000", "0x7f000000", "0xff000000", "0x42fe0000", "0x42ffffff", "0x43000000",
// CASE:    "0xc2fc0000", "0xc2fc0001", "0xc2fbffff", "0xc3000000", "0xc3150000", "0xc3160000", "0x33800000", "0xb3800000",
// CASE:    "0x3f3504f3", "0x3f3504f4", "0x12345678", "0xb06bd031", "0x4ea349ea", "0xecdac3a3", "0x8b123d5c", "0x2949b715",
// CASE:    "0xc78130ce", "0x65b8aa87", "0x03f02440", "0xa2279df9", "0x405f17b2", "0xde96916b", "0x7cce0b24", "0x1b0584dd",
// CASE:    "0xb93cfe96", "0x5774784f", "0xf5abf208", "0x93e36bc1", "0x321ae57a", "0xd0525f33", "0x6e89d8ec", "0x0cc152a5",
// CASE:    "0xaaf8cc5e", "0x49304617", "0xe767bfd0", "0x859f3989", "0x23d6b342", "0xc20e2cfb", "0x6045a6b4", "0xfe7d206d",
// CASE:    "0x9cb49a26", "0x3aec13df", "0xd9238d98", "0x775b0751", "0x1592810a", "0xb3c9fac3", "0x5201747c", "0xf038ee35",
// CASE:    "0x8e7067ee", "0x2ca7e1a7", "0xcadf5b60", "0x6916d519", "0x074e4ed2", "0xa585c88b", "0x43bd4244", "0xe1f4bbfd",
// CASE:    "0x802c35b6", "0x1e63af6f", "0xbc9b2928", "0x5ad2a2e1", "0xf90a1c9a", "0x97419653", "0x3579100c", "0xd3b089c5",
// CASE:    "0x71e8037e", "0x101f7d37", "0xae56f6f0", "0x4c8e70a9", "0xeac5ea62", "0x88fd641b", "0x2734ddd4", "0xc56c578d",
// CASE:    "0x63a3d146", "0x01db4aff", "0xa012c4b8", "0x3e4a3e71", "0xdc81b82a", "0x7ab931e3", "0x18f0ab9c", "0xb7282555",
// CASE:    "0x555f9f0e", "0xf39718c7", "0x91ce9280", "0x30060c39", "0xce3d85f2", "0x6c74ffab", "0x0aac7964", "0xa8e3f31d",
// CASE:    "0x471b6cd6", "0xe552e68f", "0x838a6048", "0x21c1da01", "0xbff953ba", "0x5e30cd73", "0xfc68472c", "0x9a9fc0e5",
// CASE:    "0x38d73a9e", "0xd70eb457"]}, {"name": "out", "out": "f32", "count": 128, "row": 8, "ulp": 2, "hex": true}]}
// CASE: {"name": "lg2 special", "kernel": "lg2", "grid": 1, "arguments": [
// CASE:   {"in": "f32", "values": ["0x00000000", "0x80000000", "0x7f800000", "0xff800000", "0x7fc00000", "0x00000001",
// CASE:    "0x007fffff", "0x80000001", "0x807fffff", "0x00800000", "0x80800000", "0x7f7fffff", "0xff7fffff", "0x3f800000",
// CASE:    "0xbf800000", "0x3f7fffff", "0x3f800001", "0x40000000", "0xc0000000", "0x3f000000", "0xbf000000", "0x7e800000",
// CASE:    "0x7e800001", "0x7effffff", "0xfe800000", "0x7f000000", "0xff000000", "0x42fe0000", "0x42ffffff", "0x43000000",
// CASE:    "0xc2fc0000", "0xc2fc0001", "0xc2fbffff", "0xc3000000", "0xc3150000", "0xc3160000", "0x33800000", "0xb3800000",
// CASE:    "0x3f3504f3", "0x3f3504f4", "0x12345678", "0xb06bd031", "0x4ea349ea", "0xecdac3a3", "0x8b123d5c", "0x2949b715",
// CASE:    "0xc78130ce", "0x65b8aa87", "0x03f02440", "0xa2279df9", "0x405f17b2", "0xde96916b", "0x7cce0b24", "0x1b0584dd",
// CASE:    "0xb93cfe96", "0x5774784f", "0xf5abf208", "0x93e36bc1", "0x321ae57a", "0xd0525f33", "0x6e89d8ec", "0x0cc152a5",
// CASE:    "0xaaf8cc5e", "0x49304617", "0xe767bfd0", "0x859f3989", "0x23d6b342", "0xc20e2cfb", "0x6045a6b4", "0xfe7d206d",
// CASE:    "0x9cb49a26", "0x3aec13df", "0xd9238d98", "0x775b0751", "0x1592810a", "0xb3c9fac3", "0x5201747c", "0xf038ee35",
// CASE:    "0x8e7067ee", "0x2ca7e1a7", "0xcadf5b60", "0x6916d519", "0x074e4ed2", "0xa585c88b", "0x43bd4244", "0xe1f4bbfd",
// CASE:    "0x802c35b6", "0x1e63af6f", "0xbc9b2928", "0x5ad2a2e1", "0xf90a1c9a", "0x97419653", "0x3579100c", "0xd3b089c5",
// CASE:    "0x71e8037e", "0x101f7d37", "0xae56f6f0", "0x4c8e70a9", "0xeac5ea62", "0x88fd641b", "0x2734ddd4", "0xc56c578d",
// CASE:    "0x63a3d146", "0x01db4aff", "0xa012c4b8", "0x3e4a3e71", "0xdc81b82a", "0x7ab931e3", "0x18f0ab9c", "0xb7282555",
// CASE:    "0x555f9f0e", "0xf39718c7", "0x91ce9280", "0x30060c39", "0xce3d85f2", "0x6c74ffab", "0x0aac7964", "0xa8e3f31d",
// CASE:    "0x471b6cd6", "0xe552e68f", "0x838a6048", "0x21c1da01", "0xbff953ba", "0x5e30cd73", "0xfc68472c", "0x9a9fc0e5",
// CASE:    "0x38d73a9e", "0xd70eb457"]},
// CASE:   {"name": "out", "out": "f32", "count": 128, "row": 8, "ulp": 2, "within": 2.4e-07, "hex": true}]}
// CASE: {"name": "rcp special", "kernel": "rcp", "grid": 1, "arguments": [
// CASE:   {"in": "f32", "values": ["0x00000000", "0x80000000", "0x7f800000", "0xff800000", "0x7fc00000", "0x00000001",
// CASE:    "0x007fffff", "0x80000001", "0x807fffff", "0x00800000", "0x80800000", "0x7f7fffff", "0xff7fffff", "0x3f800000",
// CASE:    "0xbf800000", "0x3f7fffff", "0x3f800001", "0x40000000", "0xc0000000", "0x3f000000", "0xbf000000", "0x7e800000",
// CASE:    "0x7e800001", "0x7effffff", "0xfe800000", "0x7f000000", "0xff000000", "0x42fe0000", "0x42ffffff", "0x43000000",
// CASE:    "0xc2fc0000", "0xc2fc0001", "0xc2fbffff", "0xc3000000", "0xc3150000", "0xc3160000", "0x33800000", "0xb3800000",
// CASE:    "0x3f3504f3", "0x3f3504f4", "0x12345678", "0xb06bd031", "0x4ea349ea", "0xecdac3a3", "0x8b123d5c", "0x2949b715",
// CASE:    "0xc78130ce", "0x65b8aa87", "0x03f02440", "0xa2279df9", "0x405f17b2", "0xde96916b", "0x7cce0b24", "0x1b0584dd",
// CASE:    "0xb93cfe96", "0x5774784f", "0xf5abf208", "0x93e36bc1", "0x321ae57a", "0xd0525f33", "0x6e89d8ec", "0x0cc152a5",
// CASE:    "0xaaf8cc5e", "0x49304617", "0xe767bfd0", "0x859f3989", "0x23d6b342", "0xc20e2cfb", "0x6045a6b4", "0xfe7d206d",
// CASE:    "0x9cb49a26", "0x3aec13df", "0xd9238d98", "0x775b0751", "0x1592810a", "0xb3c9fac3", "0x5201747c", "0xf038ee35",
// CASE:    "0x8e7067ee", "0x2ca7e1a7", "0xcadf5b60", "0x6916d519", "0x074e4ed2", "0xa585c88b", "0x43bd4244", "0xe1f4bbfd",
// CASE:    "0x802c35b6", "0x1e63af6f", "0xbc9b2928", "0x5ad2a2e1", "0xf90a1c9a", "0x97419653", "0x3579100c", "0xd3b089c5",
// CASE:    "0x71e8037e", "0x101f7d37", "0xae56f6f0", "0x4c8e70a9", "0xeac5ea62", "0x88fd641b", "0x2734ddd4", "0xc56c578d",
// CASE:    "0x63a3d146", "0x01db4aff", "0xa012c4b8", "0x3e4a3e71", "0xdc81b82a", "0x7ab931e3", "0x18f0ab9c", "0xb7282555",
// CASE:    "0x555f9f0e", "0xf39718c7", "0x91ce9280", "0x30060c39", "0xce3d85f2", "0x6c74ffab", "0x0aac7964", "0xa8e3f31d",
// CASE:    "0x471b6cd6", "0xe552e68f", "0x838a6048", "0x21c1da01", "0xbff953ba", "0x5e30cd73", "0xfc68472c", "0x9a9fc0e5",
// CASE:    "0x38d73a9e", "0xd70eb457"]}, {"name": "out", "out": "f32", "count": 128, "row": 8, "ulp": 2, "hex": true}]}
// CASE: {"name": "ex2 unit", "kernel": "ex2", "grid": 4, "arguments": [
// CASE:   {"in": "f32", "uniform": [-1, 1], "seed": 11, "count": 512},
// CASE:   {"name": "out", "out": "f32", "count": 512, "row": 8, "ulp": 2}]}
// CASE: {"name": "ex2 wide", "kernel": "ex2", "grid": 4, "arguments": [
// CASE:   {"in": "f32", "uniform": [-150, 130], "seed": 12, "count": 512},
// CASE:   {"name": "out", "out": "f32", "count": 512, "row": 8, "ulp": 2}]}
// CASE: {"name": "lg2 near one", "kernel": "lg2", "grid": 4, "arguments": [
// CASE:   {"in": "f32", "uniform": [0.5, 2], "seed": 13, "count": 512},
// CASE:   {"name": "out", "out": "f32", "count": 512, "row": 8, "within": 2.4e-07}]}
// CASE: {"name": "lg2 wide", "kernel": "lg2", "grid": 4, "arguments": [
// CASE:   {"in": "f32", "uniform": [2, 1000000.0], "seed": 14, "count": 512},
// CASE:   {"name": "out", "out": "f32", "count": 512, "row": 8, "ulp": 2}]}
// CASE: {"name": "rcp", "kernel": "rcp", "grid": 4, "arguments": [
// CASE:   {"in": "f32", "uniform": [-100, 100], "seed": 15, "count": 512},
// CASE:   {"name": "out", "out": "f32", "count": 512, "row": 8, "ulp": 1}]}
gpu.module @approximate {
  gpu.func @ex2(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %c128 = arith.constant 128 : i32
    %first = arith.muli %block, %c128 : i32
    %i = arith.addi %first, %thread : i32
    %p = llvm.getelementptr %in[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = ptx.ex2 %x : f32
    llvm.store %y, %q : f32, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @lg2(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %c128 = arith.constant 128 : i32
    %first = arith.muli %block, %c128 : i32
    %i = arith.addi %first, %thread : i32
    %p = llvm.getelementptr %in[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = ptx.lg2 %x : f32
    llvm.store %y, %q : f32, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @rcp(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %c128 = arith.constant 128 : i32
    %first = arith.muli %block, %c128 : i32
    %i = arith.addi %first, %thread : i32
    %p = llvm.getelementptr %in[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = ptx.rcp %x : f32
    llvm.store %y, %q : f32, !llvm.ptr<1>
    gpu.return
  }
}
