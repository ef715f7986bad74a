// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt --pass-pipeline='builtin.module(gpu.module(retarget-base-to-host))' --verify-diagnostics --split-input-file %s

gpu.module @all_of_one_run {
  gpu.func @k(%p: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %n: i32, %mask: i16) kernel {
    // expected-error @+1 {{'nvvm.griddepcontrol' is not modelled by the simulator}}
    nvvm.griddepcontrol wait
    // expected-error @+1 {{'nvvm.match.sync' is not modelled by the simulator}}
    %m = nvvm.match.sync any %n, %n : i32 -> i32
    // expected-error @+1 {{'llvm.load' is not modelled by the simulator: through a generic pointer; use one to global (1) or shared (3) memory}}
    %x = llvm.load %p : !llvm.ptr -> f32
    // expected-error @+1 {{'llvm.load' is not modelled by the simulator: of a vector<4xi1>}}
    %bits = llvm.load %g : !llvm.ptr<1> -> vector<4xi1>
    // expected-error @+1 {{'llvm.atomicrmw' is not modelled by the simulator: 'uinc_wrap'}}
    %old = llvm.atomicrmw uinc_wrap %g, %n monotonic : !llvm.ptr<1>, i32
    // expected-error @+1 {{'llvm.fence' is not modelled by the simulator: in scope 'warp'}}
    llvm.fence syncscope("warp") acq_rel
    // expected-error @+1 {{'nvvm.fence.proxy' is not modelled by the simulator: of kind 'alias'}}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
    // expected-error @+1 {{'nvvm.cp.async.bulk.global.shared.cta' is not modelled by the simulator: with a byte mask}}
    nvvm.cp.async.bulk.global.shared.cta %g, %s, %n byte_mask = %mask : !llvm.ptr<1>, !llvm.ptr<3>
    // expected-error @+1 {{'nvvm.mbarrier.inval' is not modelled by the simulator: at a generic pointer; use one to shared memory (3 or 7)}}
    nvvm.mbarrier.inval %p : !llvm.ptr
    // expected-error @+1 {{'nvvm.mbarrier.arrive' is not modelled by the simulator: relaxed}}
    %state = nvvm.mbarrier.arrive %s {relaxed = true} : !llvm.ptr<3> -> i64
    // expected-error @+1 {{'llvm.intr.memcpy' is not modelled by the simulator}}
    "llvm.intr.memcpy"(%p, %p, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i32) -> ()
    // expected-error @+1 {{'llvm.addrspacecast' is not modelled by the simulator: between spaces 3 and 0}}
    %cast = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr
    // expected-error @+1 {{'llvm.alloca' is not modelled by the simulator: of a size that is no constant}}
    %own = llvm.alloca %n x f32 : (i32) -> !llvm.ptr
    %half = arith.constant 1.0 : f16
    // expected-error @+1 {{'math.fma' is not modelled by the simulator: of 16-bit numbers}}
    %f = math.fma %half, %half, %half : f16
    gpu.return
  }
}

// -----

gpu.module @shapes {
  llvm.mlir.global internal constant @table(1.0 : f32) {addr_space = 4 : i32} : f32
  gpu.func @k(%a: vector<2xf16>, %c: vector<2xf16>, %s: !llvm.ptr<3>) kernel {
    // expected-error @+1 {{'nvvm.mma.sync' is not modelled by the simulator: m16n8k16 of these types, expected m16n8k8 or m16n8k16, row.col, f16 or bf16 with f32 accumulators}}
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%c, %c]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    // expected-error @+1 {{'nvvm.ldmatrix' is not modelled by the simulator: of m16n16 b8}}
    %m = nvvm.ldmatrix %s {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>,
        eltType = #nvvm.ld_st_matrix_elt_type<b8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    // expected-error @+1 {{'llvm.mlir.addressof' is not modelled by the simulator: of 'table', which is not in shared memory (3)}}
    %t = llvm.mlir.addressof @table : !llvm.ptr<4>
    gpu.return
  }
}
