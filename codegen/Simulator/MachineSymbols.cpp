// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/MachineSymbols.h"
#include "codegen/Simulator/Machine/Abi.h"
#include "support/dtype.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"
#include <cmath>
#include <cstring>

using namespace llvm::orc;

namespace {
struct Symbol {
  const char *name;
  void *address;
};
} // namespace

template <class F> static void *addressOf(F *function) { return reinterpret_cast<void *>(function); }

namespace support = tilefold::support;
static std::uint16_t roundF32ToF16(float x) { return support::f32_to_f16(x); }
static std::uint16_t roundF32ToBF16(float x) { return support::f32_to_bf16(x); }
static std::uint16_t roundF64ToF16(double x) { return support::f64_to_f16(x); }
static std::uint16_t roundF64ToBF16(double x) { return support::f64_to_bf16(x); }
static float widenF16(std::uint16_t x) { return support::f16_to_f32(x); }

#define MACHINE(function)                                                                                                   \
  { "tilefold_sim_" #function, addressOf(tilefold_sim_##function) }

static const Symbol kSymbols[] = {
    MACHINE(read),
    MACHINE(write),
    MACHINE(atomic),
    MACHINE(compare_exchange),
    MACHINE(atomic_load),
    MACHINE(atomic_store),
    MACHINE(register),
    MACHINE(clock),
    MACHINE(dynamic_shared),
    MACHINE(static_shared),
    MACHINE(approximate),
    MACHINE(trap),
    MACHINE(round),
    MACHINE(shuffle),
    MACHINE(vote),
    MACHINE(redux),
    MACHINE(elect),
    MACHINE(warp_sync),
    MACHINE(ldmatrix),
    MACHINE(stmatrix),
    MACHINE(mma),
    MACHINE(barrier),
    MACHINE(barrier_arrive),
    MACHINE(barrier_reduce),
    MACHINE(fence),
    MACHINE(cluster_barrier),
    MACHINE(mapa),
    MACHINE(set_max_registers),
    MACHINE(cp_async),
    MACHINE(cp_async_commit),
    MACHINE(cp_async_wait),
    MACHINE(cp_async_mbarrier_arrive),
    MACHINE(mbarrier_init),
    MACHINE(mbarrier_inval),
    MACHINE(mbarrier_arrive),
    MACHINE(mbarrier_arrive_expect_tx),
    MACHINE(mbarrier_expect_tx),
    MACHINE(mbarrier_complete_tx),
    MACHINE(mbarrier_test),
    MACHINE(mbarrier_test_parity),
    MACHINE(mbarrier_try),
    MACHINE(mbarrier_try_parity),
    MACHINE(mbarrier_wait_parity),
    MACHINE(tma_load),
    MACHINE(tma_store),
    MACHINE(bulk_load),
    MACHINE(bulk_store),
    MACHINE(bulk_commit),
    MACHINE(bulk_wait),
    MACHINE(wgmma_fence),
    MACHINE(wgmma_unfence),
    MACHINE(wgmma_ss),
    MACHINE(wgmma_rs),
    MACHINE(wgmma_commit),
    MACHINE(wgmma_wait),
    MACHINE(wgmma_result),
    MACHINE(wgmma_use),
    {"tilefold_round_f32_to_f16", addressOf(roundF32ToF16)},
    {"tilefold_round_f32_to_bf16", addressOf(roundF32ToBF16)},
    {"tilefold_round_f64_to_f16", addressOf(roundF64ToF16)},
    {"tilefold_round_f64_to_bf16", addressOf(roundF64ToBF16)},
    {"tilefold_widen_f16", addressOf(widenF16)},
    // Where the host has no instruction for it. All of these are exact, or correctly rounded as IEEE 754 asks.
    {"memcpy", addressOf(static_cast<void *(*)(void *, const void *, size_t)>(std::memcpy))},
    {"memmove", addressOf(static_cast<void *(*)(void *, const void *, size_t)>(std::memmove))},
    {"memset", addressOf(static_cast<void *(*)(void *, int, size_t)>(std::memset))},
    {"fmaf", addressOf(static_cast<float (*)(float, float, float)>(::fmaf))},
    {"fma", addressOf(static_cast<double (*)(double, double, double)>(::fma))},
    {"floorf", addressOf(static_cast<float (*)(float)>(::floorf))},
    {"floor", addressOf(static_cast<double (*)(double)>(::floor))},
    {"ceilf", addressOf(static_cast<float (*)(float)>(::ceilf))},
    {"ceil", addressOf(static_cast<double (*)(double)>(::ceil))},
    {"truncf", addressOf(static_cast<float (*)(float)>(::truncf))},
    {"trunc", addressOf(static_cast<double (*)(double)>(::trunc))},
    {"sqrtf", addressOf(static_cast<float (*)(float)>(::sqrtf))},
    {"sqrt", addressOf(static_cast<double (*)(double)>(::sqrt))},
    {"fmaxf", addressOf(static_cast<float (*)(float, float)>(::fmaxf))},
    {"fminf", addressOf(static_cast<float (*)(float, float)>(::fminf))},
    {"roundevenf", addressOf(static_cast<float (*)(float)>(::roundevenf))},
    {"roundeven", addressOf(static_cast<double (*)(double)>(::roundeven))},
};

SymbolMap tilefold::sim::machineSymbols(ExecutionSession &session, const llvm::DataLayout &layout) {
  MangleAndInterner mangle(session, layout);
  SymbolMap map;
  for (const Symbol &symbol : kSymbols)
    map[mangle(symbol.name)] = {ExecutorAddr::fromPtr(symbol.address),
                                llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return map;
}
