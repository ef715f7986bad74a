// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Hopper kernel is made of, down to PTX: our operations, and NVVM's as they stand in base.
// RUN: tilefold-base-opt --emit-ptx --no-lines --chip=sm_90a %s -o %t.ptx && FileCheck %s < %t.ptx

// Registers of a product are the same ones from the fence to the wait, and nothing stands between.
// CHECK-LABEL: .entry products(
// CHECK: .maxntid 384, 1, 1
// CHECK: .minnctapersm 1
// CHECK: wgmma.fence.sync.aligned;
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {[[S:%r[0-9]+,%r[0-9]+,%r[0-9]+,%r[0-9]+,%r[0-9]+,%r[0-9]+,%r[0-9]+,%r[0-9]+]]}, [[A:%rd[0-9]+]], [[B:%rd[0-9]+]], 0, 1, 1, 0, 0;
// CHECK-NOT: mov
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {[[S]]}, [[A]], [[B]], 1, -1, 1, 1, 0;
// CHECK-NEXT: end inline asm
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.fence.sync.aligned;
// CHECK-NEXT: end inline asm
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {[[O:[%r0-9,]+]]}, {[[P:%r[0-9]+,%r[0-9]+,%r[0-9]+,%r[0-9]+]]}, [[B]], 1, 1, -1, 1;
// CHECK-NEXT: end inline asm
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {[[O]]}, {[[P]]}, [[B]], %p{{[0-9]+}}, 1, 1, 0;
// CHECK-NEXT: end inline asm
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-NOT: mov
// CHECK: add.rn.f32
gpu.module @kernels {
  gpu.func @products(%a: i64, %b: i64, %p: vector<4xi32>, %c: vector<8xf32>, %again: i1, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 384, 1, 1>, nvvm.minctasm = 1 : i32} {
    nvvm.wgmma.fence.aligned
    %s0 = ptx.wgmma f16 %a, %b : i64 -> vector<8xf32>
    %s1 = ptx.wgmma f16 %a, %b, %s0 transpose_a negate_a : i64 -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %o0, %f = ptx.wgmma_fence %c, %p : vector<8xf32>, vector<4xi32>
    %o1 = ptx.wgmma bf16 %f, %b, %o0 transpose_b negate_b : vector<4xi32> -> vector<8xf32>
    %o2 = ptx.wgmma bf16 %f, %b, %o1 scale_d %again : vector<4xi32> -> vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %s2 = ptx.wgmma_wait 1 %s1 : vector<8xf32>
    %o3 = ptx.wgmma_wait 0 %o2 in_flight(%f : vector<4xi32>) : vector<8xf32>
    %sum = arith.addf %o3, %s2 : vector<8xf32>
    llvm.store %sum, %out : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: .entry barriers(
  gpu.func @barriers(%out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 384, 1, 1>, nvvm.minctasm = 1 : i32} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    // CHECK: mbarrier.init.shared.b64 [shared_memory], %r{{[0-9]+}};
    nvvm.mbarrier.init %shared, %c1 : !llvm.ptr<3>, i32
    // CHECK: fence.mbarrier_init.release.cluster;
    nvvm.fence.mbarrier.init
    // CHECK: bar.sync 1, 128;
    nvvm.barrier id = %c1 number_of_threads = %c128
    // CHECK: bar.arrive 1, 128;
    nvvm.barrier.arrive id = %c1 number_of_threads = %c128
    // CHECK: setmaxnreg.dec.sync.aligned.u32 24;
    nvvm.setmaxregister decrease 24
    // CHECK: mbarrier.expect_tx.relaxed.cta.shared.b64 [shared_memory], %r{{[0-9]+}};
    nvvm.mbarrier.expect_tx %shared, %c128 : !llvm.ptr<3>, i32
    // CHECK: mbarrier.arrive.expect_tx.shared.b64 %rd{{[0-9]+}}, [shared_memory], %r{{[0-9]+}};
    nvvm.mbarrier.arrive.expect_tx %shared, %c128 : !llvm.ptr<3>, i32
    // CHECK: mbarrier.arrive.shared.b64 [[STATE:%rd[0-9]+]], [shared_memory];
    %state = nvvm.mbarrier.arrive %shared : !llvm.ptr<3> -> i64
    // CHECK: mbarrier.try_wait.parity.shared::cta.b64 done, [%r{{[0-9]+}}], %r{{[0-9]+}};
    // CHECK-NEXT: @!done bra again;
    ptx.mbarrier_wait %shared, %c0 : !llvm.ptr<3>
    // CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%r{{[0-9]+}}], %r{{[0-9]+}};
    ptx.mbarrier_wait %shared, %c0 cluster : !llvm.ptr<3>
    // CHECK: mbarrier.try_wait.parity.shared.b64 %p{{[0-9]+}}, [shared_memory], %r{{[0-9]+}};
    %0 = nvvm.mbarrier.try_wait %shared, %c0 : !llvm.ptr<3>, i32 -> i1
    // CHECK: mbarrier.test_wait.shared.b64 %p{{[0-9]+}}, [shared_memory], [[STATE]];
    %1 = nvvm.mbarrier.test.wait %shared, %state : !llvm.ptr<3>, i64 -> i1
    // CHECK: elect.sync %r{{[0-9]+}}|%p{{[0-9]+}}, -1;
    %2 = nvvm.elect.sync -> i1
    // CHECK: cp.async.mbarrier.arrive.noinc.shared.b64 [shared_memory];
    nvvm.cp.async.mbarrier.arrive %shared {noinc = true} : !llvm.ptr<3>
    // CHECK: mbarrier.inval.shared.b64 [shared_memory];
    nvvm.mbarrier.inval %shared : !llvm.ptr<3>
    %3 = arith.andi %0, %1 : i1
    %4 = arith.andi %3, %2 : i1
    llvm.store %4, %out : i1, !llvm.ptr<1>
    gpu.return
  }

  // A tensor map is a parameter of its own, and its address there is what TMA gets.
  // CHECK-LABEL: .entry copies(
  // CHECK: .param .align 64 .b8 copies_param_0[128]
  // CHECK: mov.b64 [[PARAM:%rd[0-9]+]], copies_param_0;
  // CHECK: cvta.param.u64 [[MAP:%rd[0-9]+]], [[PARAM]];
  // CHECK-NOT: st.local
  gpu.func @copies(%map: !llvm.ptr {ptx.tensor_map}, %x: i32, %hint: i64, %global: !llvm.ptr<1>) kernel {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %target = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
    %mask = arith.constant 3 : i16
    %c128 = arith.constant 128 : i32
    // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r{{[0-9]+}}], {{\[}}[[MAP]], {%r{{[0-9]+}}, %r{{[0-9]+}}}], [shared_memory];
    nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %shared, box[%x, %x] : !llvm.ptr<7>, !llvm.ptr
    // CHECK: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
    nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %shared, box[%x, %x, %x] multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr
    // CHECK: cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint
    nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %shared, box[%x] l2_cache_hint = %hint : !llvm.ptr<7>, !llvm.ptr
    // CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
    nvvm.cp.async.bulk.shared.cluster.global %target, %global, %shared, %c128 : !llvm.ptr<7>, !llvm.ptr<1>
    // CHECK: fence.proxy.async.shared::cta;
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %shared, box[%x, %x] : !llvm.ptr, !llvm.ptr<3>
    // CHECK: cp.async.bulk.commit_group;
    nvvm.cp.async.bulk.commit.group
    // CHECK: cp.async.bulk.wait_group.read 0;
    nvvm.cp.async.bulk.wait_group 0 {read}
    // CHECK: prefetch.tensormap
    nvvm.prefetch tensormap, %map : !llvm.ptr
    gpu.return
  }

  // CHECK-LABEL: .entry clusters(
  // CHECK: .reqnctapercluster 2, 1, 1
  gpu.func @clusters(%out: !llvm.ptr<1>) kernel attributes {nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %c1 = arith.constant 1 : i32
    // CHECK: mov.u32 %r{{[0-9]+}}, %cluster_ctarank;
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    // CHECK: stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [shared_memory], {%r{{[0-9]+}}, %r{{[0-9]+}}};
    nvvm.stmatrix %shared, %rank, %rank {layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32
    // CHECK: barrier.cluster.arrive.aligned;
    nvvm.cluster.arrive {aligned}
    // CHECK: barrier.cluster.wait.aligned;
    nvvm.cluster.wait {aligned}
    // CHECK: mapa.shared::cluster.u32 [[THERE:%r[0-9]+]], %r{{[0-9]+}}, 1;
    %there = nvvm.mapa %shared, %c1 : !llvm.ptr<3> -> !llvm.ptr<7>
    // CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64 _, {{\[}}[[THERE]]], %r{{[0-9]+}};
    nvvm.mbarrier.arrive %there {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    // CHECK: ld.shared::cluster.b32 %r{{[0-9]+}}, {{\[}}[[THERE]]];
    %x = llvm.load %there : !llvm.ptr<7> -> i32
    llvm.store %x, %out : i32, !llvm.ptr<1>
    gpu.return
  }
}
