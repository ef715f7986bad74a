// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine operations become calls with a site; parameters come from a list; the rest stays.
// RUN: tilefold-base-opt --pass-pipeline='builtin.module(gpu.module(check-base,retarget-base-to-host))' %s | FileCheck %s

gpu.module @kernels {
  llvm.mlir.global internal @array() {addr_space = 3 : i32} : !llvm.array<12 x f32>

  // CHECK-LABEL: llvm.func @memory(
  // CHECK-SAME: %[[PARAMETERS:.*]]: !llvm.ptr)
  // CHECK-SAME: tilefold.places = {{\[}}["llvm.load", "{{.*}}retarget-base-to-host.mlir", [[# @LINE + 13]], 10], ["llvm.mlir.addressof",
  // CHECK-SAME: tilefold.static_shared = array<i64: 48>
  gpu.func @memory(%in: !llvm.ptr<1>, %n: i32) kernel {
    // CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[PARAMETERS]][0] : {{.*}}, !llvm.ptr
    // CHECK: %[[SLOT:.*]] = llvm.load %[[FIRST]] : !llvm.ptr -> !llvm.ptr
    // CHECK: %[[IN:.*]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.ptr<1>
    // CHECK-DAG: %[[SPACE:.*]] = llvm.mlir.constant(1 : i32)
    // CHECK-DAG: %[[ADDRESS:.*]] = llvm.ptrtoint %[[IN]]
    // CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(8 : i32)
    // CHECK-DAG: %[[ALIGN:.*]] = llvm.mlir.constant(4 : i32)
    // CHECK: %[[SITE:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK: %[[CHECKED:.*]] = llvm.call @tilefold_sim_read(%[[SPACE]], %[[ADDRESS]], %[[BYTES]], %[[ALIGN]], %[[SITE]])
    // CHECK: %[[X:.*]] = llvm.load %[[CHECKED]] {alignment = 1 : i64} : !llvm.ptr -> vector<4xf16>
    %x = llvm.load %in {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf16>
    // CHECK: %[[ARRAY:.*]] = llvm.call @tilefold_sim_static_shared(
    // CHECK: llvm.inttoptr %[[ARRAY]] : i32 to !llvm.ptr<3>
    %array = llvm.mlir.addressof @array : !llvm.ptr<3>
    // A wrong address is the machine's to find.
    // CHECK: llvm.getelementptr %{{.*}}[1]
    // CHECK-NOT: inbounds
    %second = llvm.getelementptr inbounds %array[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, vector<4xf16>
    // CHECK: %[[TO:.*]] = llvm.call @tilefold_sim_write(
    // CHECK: llvm.store %[[X]], %[[TO]] {alignment = 1 : i64}
    llvm.store %x, %second : vector<4xf16>, !llvm.ptr<3>
    // CHECK: llvm.call @tilefold_sim_atomic(
    // CHECK: llvm.trunc
    %old = llvm.atomicrmw add %in, %n syncscope("device") monotonic : !llvm.ptr<1>, i32
    // CHECK: llvm.return
    gpu.return
  }

  // CHECK-LABEL: llvm.func @matrices(
  gpu.func @matrices(%s: !llvm.ptr<3>, %out: !llvm.ptr<1>) kernel {
    // CHECK: llvm.alloca %{{.*}} x i32
    // CHECK: llvm.call @tilefold_sim_ldmatrix(
    %m = nvvm.ldmatrix %s {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
        eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %a0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
    %zero = arith.constant 0.0 : f32
    // CHECK: llvm.call @tilefold_sim_mma(
    %d = nvvm.mma.sync A[%a0, %a0, %a0, %a0] B[%a0, %a0] C[%zero, %zero, %zero, %zero]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>,
         multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %pair = vector.from_elements %d0, %d0 : vector<2xf32>
    // CHECK-COUNT-2: llvm.call @tilefold_sim_approximate(
    %e = ptx.ex2 %pair : vector<2xf32>
    llvm.store %e, %out : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }

  // A predicate of an instruction is a branch.
  // CHECK-LABEL: llvm.func @copies(
  gpu.func @copies(%map: !llvm.ptr {ptx.tensor_map}, %s: !llvm.ptr<3>, %x: i32, %elected: i1) kernel {
    // CHECK: scf.if
    // CHECK: llvm.call @tilefold_sim_mbarrier_arrive_expect_tx(
    nvvm.mbarrier.arrive.expect_tx %s, %x, predicate = %elected : !llvm.ptr<3>, i32, i1
    // CHECK: scf.if
    // CHECK: llvm.call @tilefold_sim_tma_load(
    nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %map, %s, box[%x, %x] predicate = %elected : !llvm.ptr<3>, !llvm.ptr
    // CHECK: }
    // CHECK: llvm.call @tilefold_sim_mbarrier_wait_parity(
    ptx.mbarrier_wait %s, %x : !llvm.ptr<3>
    gpu.return
  }
}
