// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarriers, bulk copies, wgmma, register reallocation and clusters: what they order, and what is found when one part is missing.
#include "codegen/Simulator/Machine/TensorMap.h"
#include "support/dtype.h"
#include "test/Simulator/KernelFixture.h"

namespace tilefold::sim {
namespace {

using namespace op;

// ---------------------------------------------------------------------------------------------------- mbarrier and TMA

constexpr uint32_t kBarrier = 0, kTile = 1024, kRows = 8, kColumns = 64;

/// What a correct use of TMA consists of; each part can be left out.
struct Parts {
  bool fenceInit = true, synchronises = true, expects = true, waits = true;
  uint32_t parity = 0, bytes = kRows * kColumns * 2;
};

void loadTile(void **parameters, Parts parts) {
  auto *map = *static_cast<TensorMap **>(parameters[0]);
  auto *out = *static_cast<uint16_t **>(parameters[1]);
  const int32_t origin[] = {0, 0};
  if (tid() == 0) {
    tilefold_sim_mbarrier_init(shared(kBarrier), 1, 201);
    if (parts.fenceInit)
      tilefold_sim_fence(uint32_t(Fence::MbarrierInit), 202);
  }
  if (parts.synchronises)
    sync();
  if (tid() == 0) {
    if (parts.expects)
      tilefold_sim_mbarrier_arrive_expect_tx(shared(kBarrier), parts.bytes, 0, 203);
    else
      tilefold_sim_mbarrier_arrive(shared(kBarrier), 1, 0, 203);
    tilefold_sim_tma_load(shared(kTile), reinterpret_cast<uint64_t>(map), 2, origin, shared(kBarrier), 0, 204);
  }
  if (parts.waits)
    tilefold_sim_mbarrier_wait_parity(shared(kBarrier), parts.parity, 205);
  for (uint32_t i = tid(); i < kRows * kColumns; i += 64)
    store(out + i, load<uint16_t>(shared(kTile + 2 * i), 206), 207);
}

class TmaTest : public KernelTest, public testing::WithParamInterface<Completion> {
protected:
  void load(void (*kernel)(void **)) {
    in.resize(kRows * kColumns);
    std::iota(in.begin(), in.end(), 0);
    out.resize(in.size());
    region("in", in, false, true);
    region("out", out);
    TensorMapArguments arguments;
    arguments.rank = 2;
    arguments.base = in.data();
    arguments.sizes[0] = kColumns, arguments.sizes[1] = kRows;
    arguments.strides[0] = kColumns * 2;
    arguments.box[0] = kColumns, arguments.box[1] = kRows;
    ASSERT_EQ(encodeTensorMap(arguments, map), "");
    LaunchOptions options = block(64);
    options.completion = GetParam();
    run(kernel, options, {&map, out.data()});
  }
  alignas(64) TensorMap map;
  std::vector<uint16_t> out;
  std::vector<uint16_t> in; // operator new aligns to 16 bytes, as TMA needs
};
INSTANTIATE_TEST_SUITE_P(Completions, TmaTest, testing::Values(Completion::Late, Completion::Random));

TEST_P(TmaTest, ALoadArrives) {
  load([](void **parameters) { loadTile(parameters, {}); });
  EXPECT_CLEAN();
  EXPECT_EQ(out, in);
}

TEST_P(TmaTest, WithoutAWaitTheTileIsInFlight) {
  load([](void **parameters) { loadTile(parameters, {.waits = false}); });
  EXPECT_TRUE(found(FindingKind::InFlight)) << report.text();
}

TEST_P(TmaTest, TheWrongParityWaitsForNothing) {
  load([](void **parameters) { loadTile(parameters, {.parity = 1}); });
  EXPECT_TRUE(found(FindingKind::InFlight)) << report.text();
}

TEST_P(TmaTest, WithoutExpectedBytesThePhaseEndsTooSoon) {
  load([](void **parameters) { loadTile(parameters, {.expects = false}); });
  EXPECT_TRUE(found(FindingKind::InFlight)) << report.text();
}

TEST_P(TmaTest, TooManyExpectedBytesNeverCome) {
  load([](void **parameters) { loadTile(parameters, {.bytes = 2048}); });
  EXPECT_TRUE(found(FindingKind::Deadlock)) << report.text();
  EXPECT_NE(report.text().find("lacks 0 of 1 arrivals and 1024 bytes"), std::string::npos) << report.text();
}

TEST_P(TmaTest, TheInitialisationMustBeOrdered) {
  load([](void **parameters) { loadTile(parameters, {.synchronises = false}); });
  EXPECT_TRUE(found(FindingKind::Race) || found(FindingKind::IllegalOperand)) << report.text();
}

TEST_P(TmaTest, TheInitialisationMustBeFenced) {
  load([](void **parameters) { loadTile(parameters, {.fenceInit = false}); });
  EXPECT_TRUE(found(FindingKind::MissingProxyFence)) << report.text();
}

TEST_F(KernelTest, PhasesOfAnMbarrierPassDataBackAndForth) {
  std::vector<uint32_t> out(8);
  region("out", out);
  auto kernel = [](void **parameters) {
    auto *out = *static_cast<uint32_t **>(parameters[0]);
    const uint32_t full = shared(0), free = shared(8), slot = shared(16);
    if (tid() == 0) {
      tilefold_sim_mbarrier_init(full, 1, 301);
      tilefold_sim_mbarrier_init(free, 1, 302);
    }
    sync();
    if (tid() == 0)
      for (uint32_t i = 0; i < 8; ++i) {
        tilefold_sim_mbarrier_wait_parity(free, (i & 1) ^ 1, 303);
        store(slot, i * i);
        tilefold_sim_mbarrier_arrive(full, 1, 0, 304);
      }
    if (tid() == 32)
      for (uint32_t i = 0; i < 8; ++i) {
        tilefold_sim_mbarrier_wait_parity(full, i & 1, 305);
        store(out + i, load(slot));
        tilefold_sim_mbarrier_arrive(free, 1, 0, 306);
      }
  };
  run(kernel, block(64), {out.data()});
  EXPECT_CLEAN();
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(out[i], i * i);
}

TEST_F(KernelTest, ATestThatFailsLetsOthersGoOn) {
  auto kernel = [](void **) {
    if (tid() == 0)
      tilefold_sim_mbarrier_init(shared(0), 1, 301);
    sync();
    if (tid() == 0)
      while (!tilefold_sim_mbarrier_test_parity(shared(0), 0, 302)) {
      }
    if (tid() == 32)
      tilefold_sim_mbarrier_arrive(shared(0), 1, 0, 303);
  };
  run(kernel, block(64));
  EXPECT_CLEAN();
}

void invalidate(bool synchronises) {
  if (tid() == 0)
    tilefold_sim_mbarrier_init(shared(0), 64, 301);
  sync();
  tilefold_sim_mbarrier_arrive(shared(0), 1, 0, 302);
  tilefold_sim_mbarrier_wait_parity(shared(0), 0, 303);
  if (synchronises)
    sync();
  if (tid() == 40)
    tilefold_sim_mbarrier_inval(shared(0), 304);
}

TEST_F(KernelTest, AnMbarrierIsInvalidatedWhenAllHaveUsedIt) {
  run([](void **) { invalidate(true); }, block(64));
  EXPECT_CLEAN();
}

TEST_F(KernelTest, AnMbarrierInUseIsNotInvalidated) {
  run([](void **) { invalidate(false); }, block(64));
  EXPECT_FALSE(report.findings().empty());
}

TEST_F(KernelTest, ArrivingTooOftenIsFound) {
  auto kernel = [](void **) {
    tilefold_sim_mbarrier_init(shared(0), 2, 301);
    tilefold_sim_mbarrier_arrive(shared(0), 3, 0, 302);
  };
  run(kernel, block(1));
  EXPECT_FINDING(IllegalOperand);
}

TEST_F(KernelTest, OrdinaryStoresToAnMbarrierAreFound) {
  auto kernel = [](void **) {
    tilefold_sim_mbarrier_init(shared(0), 1, 301);
    store(shared(4), 0u);
  };
  run(kernel, block(1));
  EXPECT_FINDING(IllegalWrite);
}

// ---------------------------------------------------------------------------------------------------- bulk stores

void storeRun(void **parameters, bool fences, bool waits) {
  auto *out = *static_cast<uint32_t **>(parameters[0]);
  store(shared(4 * tid()), tid(), 400);
  if (fences)
    tilefold_sim_fence(uint32_t(Fence::ProxyAsyncShared), 401);
  sync();
  if (tid() == 0) {
    tilefold_sim_bulk_store(reinterpret_cast<uint64_t>(out), shared(0), 256, 402);
    tilefold_sim_bulk_commit(403);
    if (waits)
      tilefold_sim_bulk_wait(0, 1, 404);
  }
  if (!waits)
    return;
  sync();
  store(shared(4 * tid()), 0u, 405); // the source may be used again
}

TEST_F(KernelTest, ABulkStoreArrives) {
  std::vector<uint32_t> out(64);
  region("out", out);
  run([](void **parameters) { storeRun(parameters, true, true); }, block(64), {out.data()});
  EXPECT_CLEAN();
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i);
}

TEST_F(KernelTest, ABulkStoreNeedsAProxyFence) {
  std::vector<uint32_t> out(64);
  region("out", out);
  run([](void **parameters) { storeRun(parameters, false, true); }, block(64), {out.data()});
  EXPECT_FINDING(MissingProxyFence);
}

TEST_F(KernelTest, AProxyFenceCoversOnlyWhatWasWrittenBefore) {
  std::vector<uint32_t> out(64);
  region("out", out);
  auto kernel = [](void **parameters) {
    tilefold_sim_fence(uint32_t(Fence::ProxyAsyncShared), 401);
    storeRun(parameters, false, true);
  };
  run(kernel, block(64), {out.data()});
  EXPECT_FINDING(MissingProxyFence);
}

TEST_F(KernelTest, ABulkStoreMustBeWaitedFor) {
  std::vector<uint32_t> out(64);
  region("out", out);
  run([](void **parameters) { storeRun(parameters, true, false); }, block(64), {out.data()});
  EXPECT_FINDING(Leak);
}

// ---------------------------------------------------------------------------------------------------- wgmma

constexpr uint32_t kA = 0, kB = 2048, kN = 8;

/// Without swizzle: 8 x 8 core matrices of 128 bytes; along k 128 bytes apart, along rows 256.
uint64_t descriptor(uint32_t address) { return address >> 4 | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32; }
uint32_t elementOffset(uint32_t row, uint32_t k) { return row / 8 * 256 + k / 8 * 128 + row % 8 * 16 + k % 8 * 2; }

struct WgmmaParts {
  bool proxyFence = true, fence = true, commits = true, waits = true, usesEarly = false, overwritesEarly = false;
};

void product(void **parameters, WgmmaParts parts) {
  auto *out = *static_cast<float **>(parameters[0]);
  // A[row][k] = row + k, B[n][k] = n == k.
  for (uint32_t k = 0; k < 16; ++k) {
    if (tid() < 64)
      store(shared(kA + elementOffset(tid(), k)), support::f32_to_f16(float(tid() + k)), 500);
    else if (tid() < 64 + kN)
      store(shared(kB + elementOffset(tid() - 64, k)), support::f32_to_f16(tid() - 64 == k), 501);
  }
  if (parts.proxyFence)
    tilefold_sim_fence(uint32_t(Fence::ProxyAsyncShared), 502);
  sync();
  float d[kN / 2] = {};
  if (parts.fence)
    tilefold_sim_wgmma_fence(503);
  tilefold_sim_wgmma_ss(kN, uint32_t(Number::F16), descriptor(shared(kA)), descriptor(shared(kB)), d, 0, 1, 1, 0, 0, 504);
  if (parts.commits)
    tilefold_sim_wgmma_commit(505);
  if (parts.usesEarly)
    tilefold_sim_wgmma_use(d, kN / 2, 506);
  if (parts.overwritesEarly)
    store(shared(kA + elementOffset(tid() % 64, 0)), uint16_t(0), 507);
  if (parts.waits) {
    tilefold_sim_wgmma_wait(0, 508);
    tilefold_sim_wgmma_result(d, kN / 2, 509);
  }
  tilefold_sim_wgmma_use(d, kN / 2, 510);
  for (uint32_t i = 0; i < kN / 2; ++i) {
    const uint32_t row = tid() / 32 * 16 + tid() % 32 / 4 + 8 * (i / 2), column = 2 * (tid() % 4) + i % 2;
    store(out + row * kN + column, d[i], 511);
  }
}

class WgmmaTest : public KernelTest, public testing::WithParamInterface<Completion> {
protected:
  void multiply(void (*kernel)(void **)) {
    out.resize(64 * kN);
    region("out", out);
    LaunchOptions options = block(128);
    options.completion = GetParam();
    run(kernel, options, {out.data()});
  }
  std::vector<float> out;
};
INSTANTIATE_TEST_SUITE_P(Completions, WgmmaTest, testing::Values(Completion::Late, Completion::Random));

TEST_P(WgmmaTest, TheProductIsRight) {
  multiply([](void **parameters) { product(parameters, {}); });
  EXPECT_CLEAN();
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t column = 0; column < kN; ++column)
      EXPECT_EQ(out[row * kN + column], float(row + column));
}
TEST_P(WgmmaTest, NeedsAProxyFence) {
  multiply([](void **parameters) { product(parameters, {.proxyFence = false}); });
  EXPECT_TRUE(found(FindingKind::MissingProxyFence)) << report.text();
}
TEST_P(WgmmaTest, NeedsAFence) {
  multiply([](void **parameters) { product(parameters, {.fence = false}); });
  EXPECT_TRUE(found(FindingKind::Accumulator)) << report.text();
}
TEST_P(WgmmaTest, AWaitDoesNotCoverWhatWasNotCommitted) {
  multiply([](void **parameters) { product(parameters, {.commits = false}); });
  EXPECT_TRUE(found(FindingKind::Accumulator)) << report.text();
}
TEST_P(WgmmaTest, AccumulatorsMustBeWaitedFor) {
  multiply([](void **parameters) { product(parameters, {.waits = false}); });
  EXPECT_TRUE(found(FindingKind::Accumulator)) << report.text();
  EXPECT_TRUE(found(FindingKind::Leak)) << report.text();
}
TEST_P(WgmmaTest, AnEarlyUseIsFound) {
  multiply([](void **parameters) { product(parameters, {.usesEarly = true}); });
  EXPECT_TRUE(found(FindingKind::Accumulator)) << report.text();
  EXPECT_EQ(report.findings()[0].place.line, 506u);
  EXPECT_EQ(report.findings()[0].otherPlace.line, 504u);
}
TEST_P(WgmmaTest, OperandsAreReadUntilTheWait) {
  multiply([](void **parameters) { product(parameters, {.overwritesEarly = true}); });
  EXPECT_TRUE(found(FindingKind::InFlight)) << report.text();
}

// ---------------------------------------------------------------------------------------------------- registers, clusters

TEST_F(KernelTest, RegistersPassFromOneWarpgroupToAnother) {
  run([](void **) {
    if (tid() < 128)
      tilefold_sim_set_max_registers(24, 0, 600);
    else
      tilefold_sim_set_max_registers(240, 1, 601);
  }, block(384));
  EXPECT_CLEAN();
}

TEST_F(KernelTest, RegistersThatNobodyGivesUpAreWaitedForInVain) {
  run([](void **) {
    if (tid() >= 128)
      tilefold_sim_set_max_registers(240, 1, 601);
  }, block(384));
  EXPECT_FINDING(Deadlock);
}

TEST_F(KernelTest, ACountOfRegistersMustBeLegal) {
  run([](void **) { tilefold_sim_set_max_registers(100, 0, 600); }, block(128));
  EXPECT_FINDING(IllegalOperand);
}

TEST_F(KernelTest, LanesNeedNotArriveInStep) {
  // An arrival after copies adds itself to what the phase waits for. It comes too late where all lanes have arrived before.
  auto kernel = [](void **parameters) {
    const uint32_t barrier = shared(0), to = shared(16 + 4 * tid());
    if (tid() == 0)
      tilefold_sim_mbarrier_init(barrier, 32, 610);
    sync();
    tilefold_sim_cp_async(to, reinterpret_cast<uint64_t>(*static_cast<uint32_t **>(parameters[0]) + tid()), 4, 4, 611);
    tilefold_sim_mbarrier_arrive(barrier, 1, 0, 612);
    tilefold_sim_cp_async_mbarrier_arrive(barrier, 0, 613);
    tilefold_sim_mbarrier_wait_parity(barrier, 0, 614);
    load(shared(16 + 4 * (tid() ^ 1)), 615);
  };
  std::vector<uint32_t> in(32);
  region("in", in, false, true);
  LaunchOptions options = block(32);
  options.completion = Completion::Random;
  for (options.seed = 0; options.seed < 64 && report.findings().empty(); ++options.seed)
    run(kernel, options, {in.data()});
  EXPECT_FALSE(report.findings().empty());
}

void neighbours(void **parameters, bool synchronises) {
  auto *out = *static_cast<uint32_t **>(parameters[0]);
  store(shared(0), 10 + ctaRank());
  if (synchronises) {
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Arrive), 700);
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Wait), 701);
  }
  const uint64_t other = tilefold_sim_mapa(shared(0), ctaRank() ^ 1, 702);
  auto *value = static_cast<uint32_t *>(tilefold_sim_read(uint32_t(Space::SharedCluster), other, 4, 4, 703));
  store(out + ctaid(), *value);
  tilefold_sim_cluster_barrier(uint32_t(Cluster::Arrive), 704);
  tilefold_sim_cluster_barrier(uint32_t(Cluster::Wait), 705);
}

TEST_F(KernelTest, BlocksOfAClusterReadEachOthersMemory) {
  std::vector<uint32_t> out(4);
  region("out", out);
  LaunchOptions options = block(1, 64);
  options.blocks = 4;
  options.cluster = 2;
  run([](void **parameters) { neighbours(parameters, true); }, options, {out.data()});
  EXPECT_CLEAN();
  EXPECT_EQ(out, (std::vector<uint32_t>{11, 10, 11, 10}));
}

TEST_F(KernelTest, WithoutTheClustersBarrierTheyRace) {
  std::vector<uint32_t> out(2);
  region("out", out);
  LaunchOptions options = block(1, 64);
  options.blocks = options.cluster = 2;
  run([](void **parameters) { neighbours(parameters, false); }, options, {out.data()});
  EXPECT_FALSE(report.findings().empty());
}

TEST_F(KernelTest, ABlockMustNotEndBeforeAnotherHasReadItsMemory) {
  std::vector<uint32_t> out(2);
  region("out", out);
  LaunchOptions options = block(1, 64);
  options.blocks = options.cluster = 2;
  auto kernel = [](void **parameters) {
    store(shared(0), 10 + ctaRank());
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Arrive), 710);
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Wait), 711);
    auto *value = static_cast<uint32_t *>(
        tilefold_sim_read(uint32_t(Space::SharedCluster), tilefold_sim_mapa(shared(0), ctaRank() ^ 1, 712), 4, 4, 713));
    store(*static_cast<uint32_t **>(parameters[0]) + ctaid(), *value);
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Arrive), 714); // and no wait
  };
  run(kernel, options, {out.data()});
  EXPECT_TRUE(found(FindingKind::Leak)) << report.text();
}

TEST_F(KernelTest, EachWaitForTheClusterNeedsAnArrival) {
  auto kernel = [](void **) {
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Arrive), 720);
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Wait), 721);
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Wait), 722);
  };
  LaunchOptions options = block(1, 64);
  options.blocks = options.cluster = 2;
  run(kernel, options);
  EXPECT_TRUE(found(FindingKind::IllegalOperand)) << report.text();
}

TEST_F(KernelTest, MulticastFillsEveryBlock) {
  std::vector<uint32_t> in(4, 7), out(2);
  region("in", in, false, true);
  region("out", out);
  LaunchOptions options = block(1, 1024);
  options.blocks = options.cluster = 2;
  auto kernel = [](void **parameters) {
    auto *in = *static_cast<uint32_t **>(parameters[0]);
    auto *out = *static_cast<uint32_t **>(parameters[1]);
    tilefold_sim_mbarrier_init(shared(0), 1, 800);
    tilefold_sim_fence(uint32_t(Fence::MbarrierInit), 801);
    tilefold_sim_mbarrier_arrive_expect_tx(shared(0), 16, 0, 802);
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Arrive), 803);
    tilefold_sim_cluster_barrier(uint32_t(Cluster::Wait), 804);
    if (ctaRank() == 0)
      tilefold_sim_bulk_load(shared(16), reinterpret_cast<uint64_t>(in), 16, shared(0), 0b11, 805);
    tilefold_sim_mbarrier_wait_parity(shared(0), 0, 806);
    store(out + ctaid(), load(shared(20)));
  };
  run(kernel, options, {in.data(), out.data()});
  EXPECT_CLEAN();
  EXPECT_EQ(out, (std::vector<uint32_t>{7, 7}));
}

} // namespace
} // namespace tilefold::sim
