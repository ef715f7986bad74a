// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What simulated code calls. `retarget-base-to-host` turns every machine operation of the base level into a call of one of
// these functions; everything else (arithmetic, control flow) stays ordinary host code. Each call is made by one CUDA thread,
// on that thread's fiber; operations of a warp or a warpgroup come together inside the machine.
//
// Conventions:
//  - `site` is an index into KernelCode::places: which operation of the kernel this is. Always the last parameter.
//  - A global address is a host pointer as an integer. A shared address is a 32-bit offset: plain for the thread's own block,
//    with (rank + 1) << 24 added for block `rank` of the cluster (what `mapa` gives).
//  - f16 and bf16 values travel in 16 bits; pairs in the order of PTX's b32 registers: the first in the low half.
//  - Enumerations travel as uint32_t.
#pragma once
#include <cstdint>

namespace tilefold::sim {

enum class Space : uint32_t { Global = 1, Shared = 3, Constant = 4, SharedCluster = 7 };
enum class Register : uint32_t { // special registers
  TidX, TidY, TidZ, NtidX, NtidY, NtidZ, CtaidX, CtaidY, CtaidZ, NctaidX, NctaidY, NctaidZ,
  LaneId, WarpId, NwarpId, SmId, NsmId, ClusterIdX, NclusterIdX, ClusterCtaidX, ClusterNctaidX, ClusterCtaRank, ClusterNctaRank,
  LanemaskEq, LanemaskLt, LanemaskLe, LanemaskGt, LanemaskGe, Clock
};
enum class Shuffle : uint32_t { Up, Down, Bfly, Idx };
enum class Vote : uint32_t { All, Any, Uni, Ballot };
enum class Reduction : uint32_t { Add, Min, Max, UMin, UMax, And, Or, Xor }; // redux and barrier reductions
enum class Number : uint32_t { F16, BF16 };
enum class Order : uint32_t { Relaxed, Acquire, Release, AcquireRelease };
enum class Scope : uint32_t { Block, Cluster, Device, System };
enum class Atomic : uint32_t { Add, FAdd, And, Or, Xor, Exchange, Min, Max, UMin, UMax };
enum class Fence : uint32_t { // what is ordered; the first two are fence.acq_rel, fence.sc, membar
  Block, Device, ProxyAsync, ProxyAsyncShared, ProxyAsyncGlobal, MbarrierInit
};
enum class Approximate : uint32_t { Ex2, Ex2Ftz, Lg2, Lg2Ftz, RcpFtz, RsqrtFtz, Tanh, SqrtFtz };
enum class Cluster : uint32_t { Arrive, ArriveRelaxed, Wait };
enum class TrapCause : uint32_t { Instruction, Division };

} // namespace tilefold::sim

extern "C" {

// Every access of memory by the thread itself: the address is checked, and the host pointer to use is returned. The access
// itself follows as an ordinary load or store. `align` in bytes.
void *tilefold_sim_read(uint32_t space, uint64_t address, uint32_t bytes, uint32_t align, uint32_t site);
void *tilefold_sim_write(uint32_t space, uint64_t address, uint32_t bytes, uint32_t align, uint32_t site);

// Atomics: operand and result in the low bits; `bytes` is 2, 4 or 8. FAdd is f32 (4 bytes) or f64.
uint64_t tilefold_sim_atomic(uint32_t kind, uint32_t space, uint64_t address, uint64_t operand, uint32_t bytes, uint32_t order,
                             uint32_t scope, uint32_t site);
uint64_t tilefold_sim_compare_exchange(uint32_t space, uint64_t address, uint64_t expected, uint64_t desired, uint32_t bytes,
                                       uint32_t order, uint32_t scope, uint32_t site);
uint64_t tilefold_sim_atomic_load(uint32_t space, uint64_t address, uint32_t bytes, uint32_t order, uint32_t scope, uint32_t site);
void tilefold_sim_atomic_store(uint32_t space, uint64_t address, uint64_t value, uint32_t bytes, uint32_t order, uint32_t scope,
                               uint32_t site);

uint32_t tilefold_sim_register(uint32_t name, uint32_t site);
uint64_t tilefold_sim_clock(uint32_t site);
uint32_t tilefold_sim_dynamic_shared(uint32_t site); // a shared address
uint32_t tilefold_sim_static_shared(uint32_t index, uint32_t site); // of KernelCode::staticShared
float tilefold_sim_approximate(uint32_t kind, float operand, uint32_t site);
void tilefold_sim_trap(uint32_t cause, uint32_t site);
void tilefold_sim_round(uint32_t site); // one more round of a loop that may have no end

// Warp.
uint32_t tilefold_sim_shuffle(uint32_t kind, uint32_t mask, uint32_t value, uint32_t b, uint32_t c, uint32_t *inRange, uint32_t site);
uint32_t tilefold_sim_vote(uint32_t kind, uint32_t mask, uint32_t predicate, uint32_t site);
uint32_t tilefold_sim_redux(uint32_t kind, uint32_t mask, uint32_t value, uint32_t site);
uint32_t tilefold_sim_elect(uint32_t mask, uint32_t site); // 1 in the elected lane
void tilefold_sim_warp_sync(uint32_t mask, uint32_t site);
// 8 x 8 matrices of 16-bit elements, `count` of them (1, 2 or 4); registers: `count` words.
void tilefold_sim_ldmatrix(uint32_t address, uint32_t count, uint32_t transposed, uint32_t *registers, uint32_t site);
void tilefold_sim_stmatrix(uint32_t address, uint32_t count, uint32_t transposed, const uint32_t *registers, uint32_t site);
// mma.sync.m16n8kK, A row, B column, C and D f32. `operands` is F16 or BF16; k is 8 or 16. a: k/4 words, b: k/8, c and d: 4.
void tilefold_sim_mma(uint32_t k, uint32_t operands, const uint32_t *a, const uint32_t *b, const float *c, float *d, uint32_t site);

// Barriers of a block. `threads` = 0: all. The reduction returns in every thread (And, Or: 0 or 1; Add: popc).
void tilefold_sim_barrier(uint32_t id, uint32_t threads, uint32_t site);
void tilefold_sim_barrier_arrive(uint32_t id, uint32_t threads, uint32_t site);
uint32_t tilefold_sim_barrier_reduce(uint32_t kind, uint32_t id, uint32_t threads, uint32_t predicate, uint32_t site);
void tilefold_sim_fence(uint32_t kind, uint32_t site);
void tilefold_sim_cluster_barrier(uint32_t kind, uint32_t site);
uint64_t tilefold_sim_mapa(uint64_t address, uint32_t rank, uint32_t site);
void tilefold_sim_set_max_registers(uint32_t count, uint32_t increase, uint32_t site);

// cp.async. `source` bytes are read, the rest of the `bytes` are zeros.
void tilefold_sim_cp_async(uint32_t target, uint64_t source, uint32_t bytes, uint32_t sourceBytes, uint32_t site);
void tilefold_sim_cp_async_commit(uint32_t site);
void tilefold_sim_cp_async_wait(uint32_t pending, uint32_t site);
void tilefold_sim_cp_async_mbarrier_arrive(uint32_t barrier, uint32_t noinc, uint32_t site);

// mbarrier. Addresses are shared ones; a remote one (of mapa) may be arrived at. States are what arrive returns.
void tilefold_sim_mbarrier_init(uint32_t barrier, uint32_t count, uint32_t site);
void tilefold_sim_mbarrier_inval(uint32_t barrier, uint32_t site);
uint64_t tilefold_sim_mbarrier_arrive(uint32_t barrier, uint32_t count, uint32_t drop, uint32_t site);
uint64_t tilefold_sim_mbarrier_arrive_expect_tx(uint32_t barrier, uint32_t bytes, uint32_t drop, uint32_t site);
void tilefold_sim_mbarrier_expect_tx(uint32_t barrier, uint32_t bytes, uint32_t site);
void tilefold_sim_mbarrier_complete_tx(uint32_t barrier, uint32_t bytes, uint32_t site);
uint32_t tilefold_sim_mbarrier_test(uint32_t barrier, uint64_t state, uint32_t site);         // does not block
uint32_t tilefold_sim_mbarrier_test_parity(uint32_t barrier, uint32_t parity, uint32_t site); // does not block
uint32_t tilefold_sim_mbarrier_try(uint32_t barrier, uint64_t state, uint32_t site);          // may block a while
uint32_t tilefold_sim_mbarrier_try_parity(uint32_t barrier, uint32_t parity, uint32_t site);  // may block a while
void tilefold_sim_mbarrier_wait_parity(uint32_t barrier, uint32_t parity, uint32_t site);     // the loop around try_wait

// TMA. `map` is the address of a TensorMap (TensorMap.h); coordinates innermost first. A mask of 0 means no multicast.
void tilefold_sim_tma_load(uint32_t target, uint64_t map, uint32_t rank, const int32_t *coordinates, uint32_t barrier,
                           uint32_t multicastMask, uint32_t site);
void tilefold_sim_tma_store(uint64_t map, uint32_t source, uint32_t rank, const int32_t *coordinates, uint32_t site);
void tilefold_sim_bulk_load(uint32_t target, uint64_t source, uint32_t bytes, uint32_t barrier, uint32_t multicastMask, uint32_t site);
void tilefold_sim_bulk_store(uint64_t target, uint32_t source, uint32_t bytes, uint32_t site);
void tilefold_sim_bulk_commit(uint32_t site);
void tilefold_sim_bulk_wait(uint32_t pending, uint32_t readOnly, uint32_t site);

// wgmma.mma_async m64nNk16, f32 accumulators. `accumulators` holds n / 2 values of the thread, in and out: what comes out are
// tokens (NaNs that name the accumulator) until the wait that covers them exchanges them for the values.
// transposedA/B: 0 for K-major (the operand's k is contiguous), 1 for MN-major.
void tilefold_sim_wgmma_fence(uint32_t site);
void tilefold_sim_wgmma_unfence(uint32_t site); // the thread has computed registers of the next product since its last fence
void tilefold_sim_wgmma_ss(uint32_t n, uint32_t operands, uint64_t a, uint64_t b, float *accumulators, uint32_t scaleD, int32_t scaleA,
                           int32_t scaleB, uint32_t transposedA, uint32_t transposedB, uint32_t site);
void tilefold_sim_wgmma_rs(uint32_t n, uint32_t operands, const uint32_t *a, uint64_t b, float *accumulators, uint32_t scaleD,
                           int32_t scaleA, int32_t scaleB, uint32_t transposedB, uint32_t site);
void tilefold_sim_wgmma_commit(uint32_t site);
void tilefold_sim_wgmma_wait(uint32_t pending, uint32_t site);
// After a wait: tokens among `values` whose product is complete become its results; others stay.
void tilefold_sim_wgmma_result(float *values, uint32_t count, uint32_t site);
// Before any other use of a value that may be an accumulator in flight: reports a token.
void tilefold_sim_wgmma_use(const float *values, uint32_t count, uint32_t site);
}
