// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order, meetings and findings of the simulated machine.
#include "test/Simulator/KernelFixture.h"

namespace tilefold::sim {
namespace {

using namespace op;

TEST_F(KernelTest, ABarrierOrdersAccesses) {
  std::vector<uint32_t> out(64);
  region("out", out);
  run([](void **parameters) {
    auto *out = *static_cast<uint32_t **>(parameters[0]);
    store(shared(4 * tid()), tid());
    sync();
    store(out + tid(), load(shared(4 * (63 - tid()))));
  }, block(64), {out.data()});
  EXPECT_CLEAN();
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], 63 - i);
}

TEST_F(KernelTest, WithoutABarrierReadsRaceWithWrites) {
  run([](void **) {
    store(shared(4 * tid()), tid());
    if (tid() == 40)
      load(shared(4 * 3));
  }, block(64));
  ASSERT_FALSE(report.findings().empty());
  const Finding &finding = report.findings()[0];
  // Thread 40 may come first; then it reads what nobody has written yet.
  EXPECT_TRUE(finding.kind == FindingKind::Race || finding.kind == FindingKind::Uninitialised) << report.text();
}

TEST_F(KernelTest, AWriteUnderAReaderIsARace) {
  run([](void **) {
    store(shared(4 * tid()), tid());
    sync();
    load(shared(4 * (63 - tid())));
    store(shared(4 * tid()), 7u); // no barrier after the reads
  }, block(64));
  ASSERT_FALSE(report.findings().empty());
  for (FindingKind kind : kinds())
    EXPECT_EQ(kind, FindingKind::Race);
  EXPECT_EQ(report.findings()[0].otherPlace.file, "test");
}

TEST_F(KernelTest, LanesOfAWarpAreNotOrderedByThemselves) {
  auto kernel = [](void **) {
    store(shared(4 * tid()), tid());
    tilefold_sim_shuffle(uint32_t(Shuffle::Idx), ~0u, 0, 0, 31, nullptr, __LINE__);
    load(shared(4 * (31 - tid())));
  };
  run(kernel, block(32));
  EXPECT_EQ(kinds().front(), FindingKind::Race);
}

TEST_F(KernelTest, BarWarpSyncOrdersAWarp) {
  run([](void **) {
    store(shared(4 * tid()), tid());
    tilefold_sim_warp_sync(~0u, __LINE__);
    load(shared(4 * (31 - tid())));
  }, block(32));
  EXPECT_CLEAN();
}

TEST_F(KernelTest, BytesBesideEachOtherDoNotRace) {
  run([](void **) { store(shared(tid()), uint8_t(tid())); }, block(64));
  EXPECT_CLEAN();
}

TEST_F(KernelTest, ReadingWhatNobodyHasWrittenIsFound) {
  run([](void **) { load(shared(16)); }, block(1));
  EXPECT_FINDING(Uninitialised);
}

TEST_F(KernelTest, AByteBesideOneThatWasWrittenIsNot) {
  run([](void **) {
    store(shared(16), uint8_t(1));
    load<uint16_t>(shared(16));
  }, block(1));
  EXPECT_FINDING(Uninitialised);
}

TEST_F(KernelTest, AccessesOutOfBoundsAreFound) {
  std::vector<uint32_t> in(4);
  region("in", in, false, true);
  run([](void **parameters) {
    auto *in = *static_cast<uint32_t **>(parameters[0]);
    load(in + 4);
  }, block(1), {in.data()});
  EXPECT_FINDING(OutOfBounds);
  EXPECT_NE(report.text().find("reads 4 bytes at byte 16 of 'in', which has 16"), std::string::npos) << report.text();
}

TEST_F(KernelTest, SharedMemoryHasBoundsAndAlignmentToo) {
  run([](void **) { store(shared(4094), 1u); }, block(1));
  EXPECT_EQ(kinds(), (std::vector{FindingKind::Misaligned, FindingKind::OutOfBounds})) << report.text();
  EXPECT_NE(report.text().find("writes 4 bytes at shared address 5118 of block 0, an address that is 2 beyond a multiple of 4"), std::string::npos)
      << report.text();
}

TEST_F(KernelTest, MisalignedAccessesNameTheArray) {
  std::vector<uint32_t> in(4), other(4);
  region("other", other, false, true);
  region("in", in, false, true);
  run([](void **parameters) {
    tilefold_sim_read(kGlobal, *static_cast<uint64_t *>(parameters[0]) + 6, 4, 4, __LINE__);
  }, block(1), {in.data()});
  EXPECT_FINDING(Misaligned);
  EXPECT_NE(report.text().find("reads 4 bytes at byte 6 of 'in', an address that is 2 beyond a multiple of 4"), std::string::npos) << report.text();
}

TEST_F(KernelTest, InputsAreNotWritten) {
  std::vector<uint32_t> in(4, 5);
  region("in", in, false, true);
  run([](void **parameters) { store(*static_cast<uint32_t **>(parameters[0]), 1u); }, block(1), {in.data()});
  EXPECT_FINDING(IllegalWrite);
  EXPECT_EQ(in[0], 5u);
}

TEST_F(KernelTest, ABarrierThatNotAllReachIsADeadlock) {
  run([](void **) {
    if (tid() < 32)
      sync();
  }, block(64));
  EXPECT_FINDING(Deadlock);
  EXPECT_NE(report.text().find("threads 0-31 of block 0 wait at"), std::string::npos) << report.text();
  EXPECT_NE(report.text().find("barrier 0, 32 of 64 threads have arrived"), std::string::npos) << report.text();
  EXPECT_NE(report.text().find("32 threads have ended"), std::string::npos) << report.text();
}

TEST_F(KernelTest, ANamedBarrierPassesATurn) {
  std::vector<uint32_t> order(2);
  region("order", order);
  run([](void **parameters) {
    auto *order = *static_cast<uint32_t **>(parameters[0]);
    if (tid() < 32) {
      if (tid() == 0)
        store(order, 1u);
      tilefold_sim_barrier_arrive(1, 64, __LINE__);
    } else {
      sync(1, 64);
      if (tid() == 32)
        store(order + 1, load(order) + 1);
    }
  }, block(64), {order.data()});
  EXPECT_CLEAN();
  EXPECT_EQ(order, (std::vector<uint32_t>{1, 2}));
}

TEST_F(KernelTest, AnOperationThatPartOfAWarpReachesIsDivergence) {
  run([](void **) {
    if (tid() < 16)
      tilefold_sim_vote(uint32_t(Vote::Any), ~0u, 1, __LINE__);
    else
      tilefold_sim_vote(uint32_t(Vote::Any), ~0u, 1, __LINE__);
  }, block(32));
  EXPECT_FINDING(Divergence);
}

TEST_F(KernelTest, LanesThatHaveEndedAreNotWaitedFor) {
  std::vector<uint32_t> out(3 * 16);
  region("out", out);
  run([](void **parameters) {
    auto *out = *static_cast<uint32_t **>(parameters[0]);
    if (tid() >= 16)
      return;
    store(out + tid(), tilefold_sim_vote(uint32_t(Vote::Ballot), ~0u, 1, __LINE__));
    store(out + 16 + tid(), tilefold_sim_elect(~0u, __LINE__));
    store(out + 32 + tid(), tilefold_sim_shuffle(uint32_t(Shuffle::Bfly), ~0u, tid(), 1, 31, nullptr, __LINE__));
  }, block(32), {out.data()});
  EXPECT_CLEAN();
  for (uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(out[i], 0xffffu);
    EXPECT_EQ(out[16 + i], uint32_t(i == 0));
    EXPECT_EQ(out[32 + i], i ^ 1);
  }
}

TEST_F(KernelTest, AValueOfALaneThatHasEndedIsNone) {
  run([](void **) {
    if (tid() < 16)
      tilefold_sim_shuffle(uint32_t(Shuffle::Bfly), ~0u, tid(), 16, 31, nullptr, __LINE__);
  }, block(32));
  EXPECT_FINDING(IllegalOperand);
}

TEST_F(KernelTest, BarrierReductions) {
  std::vector<uint32_t> out(3 * 64);
  region("out", out);
  run([](void **parameters) {
    auto *out = *static_cast<uint32_t **>(parameters[0]);
    store(out + tid(), tilefold_sim_barrier_reduce(uint32_t(Reduction::Or), 0, 0, tid() == 3, __LINE__));
    store(out + 64 + tid(), tilefold_sim_barrier_reduce(uint32_t(Reduction::And), 0, 0, tid() != 3, __LINE__));
    store(out + 128 + tid(), tilefold_sim_barrier_reduce(uint32_t(Reduction::Add), 0, 0, tid() % 2, __LINE__));
  }, block(64), {out.data()});
  EXPECT_CLEAN();
  EXPECT_EQ(std::count(out.begin(), out.begin() + 64, 1u), 64);
  EXPECT_EQ(std::count(out.begin() + 64, out.begin() + 128, 0u), 64);
  EXPECT_EQ(std::count(out.begin() + 128, out.end(), 32u), 64);
}

// ---------------------------------------------------------------------------------------------------- cp.async

void copyKernel(void **parameters, bool commits, bool waits, bool synchronises) {
  auto *in = *static_cast<uint32_t **>(parameters[0]);
  auto *out = *static_cast<uint32_t **>(parameters[1]);
  tilefold_sim_cp_async(shared(16 * tid()), reinterpret_cast<uint64_t>(in + 4 * tid()), 16, tid() == 63 ? 8 : 16, 100);
  if (commits)
    tilefold_sim_cp_async_commit(101);
  if (waits)
    tilefold_sim_cp_async_wait(0, 102);
  if (synchronises)
    sync();
  store(out + tid(), load(shared(16 * (63 - tid()) + 12)));
}

class CopyTest : public KernelTest, public testing::WithParamInterface<Completion> {
protected:
  void copy(void (*kernel)(void **)) {
    in.resize(256);
    std::iota(in.begin(), in.end(), 0);
    out.resize(64);
    region("in", in, false, true);
    region("out", out);
    LaunchOptions options = block(64);
    options.completion = GetParam();
    run(kernel, options, {in.data(), out.data()});
  }
  std::vector<uint32_t> in, out;
};
INSTANTIATE_TEST_SUITE_P(Completions, CopyTest, testing::Values(Completion::Late, Completion::Random));

TEST_P(CopyTest, ArrivesAndFillsWithZeros) {
  copy([](void **parameters) { copyKernel(parameters, true, true, true); });
  EXPECT_CLEAN();
  EXPECT_EQ(out[0], 0u); // of the last chunk, half of which is filled
  for (uint32_t i = 1; i < 64; ++i)
    EXPECT_EQ(out[i], 4 * (63 - i) + 3);
}

TEST_P(CopyTest, WithoutACommitTheWaitCoversNothing) {
  copy([](void **parameters) { copyKernel(parameters, false, true, true); });
  EXPECT_TRUE(found(FindingKind::InFlight)) << report.text();
}

TEST_P(CopyTest, WithoutAWaitItIsInFlight) {
  copy([](void **parameters) { copyKernel(parameters, true, false, true); });
  EXPECT_TRUE(found(FindingKind::InFlight)) << report.text();
  EXPECT_TRUE(found(FindingKind::Leak)) << report.text();
}

TEST_P(CopyTest, TheWaitIsTheThreadsOwn) {
  copy([](void **parameters) { copyKernel(parameters, true, true, false); });
  EXPECT_TRUE(found(FindingKind::InFlight)) << report.text();
}

// ---------------------------------------------------------------------------------------------------- atomics

/// Eight blocks write a part each and take a ticket; the one that comes last reads all parts.
void takeTickets(void **parameters, Order order, Scope scope, bool fences) {
  auto *parts = *static_cast<uint32_t **>(parameters[0]);
  auto *ticket = *static_cast<uint32_t **>(parameters[1]);
  auto *sum = *static_cast<uint32_t **>(parameters[2]);
  store(parts + ctaid(), ctaid() + 1);
  if (fences)
    tilefold_sim_fence(uint32_t(Fence::Device), 200);
  uint64_t before = tilefold_sim_atomic(uint32_t(Atomic::Add), kGlobal, reinterpret_cast<uint64_t>(ticket), 1, 4, uint32_t(order),
                                        uint32_t(scope), 201);
  if (fences)
    tilefold_sim_fence(uint32_t(Fence::Device), 202);
  if (before != 7)
    return;
  uint32_t total = 0;
  for (int i = 0; i < 8; ++i)
    total += load(parts + i);
  store(sum, total);
}

class TicketTest : public KernelTest {
protected:
  void take(void (*kernel)(void **)) {
    region("parts", parts);
    region("ticket", ticket, true, true);
    region("sum", sum);
    LaunchOptions options = block(1);
    options.blocks = 8;
    run(kernel, options, {parts.data(), ticket.data(), sum.data()});
  }
  std::vector<uint32_t> parts = std::vector<uint32_t>(8), ticket = {0}, sum = {0};
};

TEST_F(TicketTest, MakesTheLastBlockSeeAll) {
  take([](void **parameters) { takeTickets(parameters, Order::AcquireRelease, Scope::Device, false); });
  EXPECT_CLEAN();
  EXPECT_EQ(sum[0], 36u);
}
TEST_F(TicketTest, OrdersNothingIfRelaxed) {
  take([](void **parameters) { takeTickets(parameters, Order::Relaxed, Scope::Device, false); });
  EXPECT_FINDING(Race);
}
TEST_F(TicketTest, OrdersNothingBetweenBlocksInABlocksScope) {
  take([](void **parameters) { takeTickets(parameters, Order::AcquireRelease, Scope::Block, false); });
  EXPECT_EQ(kinds(), (std::vector{FindingKind::Race, FindingKind::Race})) << report.text(); // of the ticket and of the parts
}
TEST_F(TicketTest, OrdersIfRelaxedBetweenFences) {
  take([](void **parameters) { takeTickets(parameters, Order::Relaxed, Scope::Device, true); });
  EXPECT_CLEAN();
}

TEST_F(KernelTest, ABlockMayWaitForALaterOne) {
  std::vector<uint32_t> flag(1), data(1), out(1);
  region("flag", flag, true, true);
  region("data", data);
  region("out", out);
  LaunchOptions options = block(1);
  options.blocks = 2;
  auto kernel = [](void **parameters) {
    auto *flag = *static_cast<uint32_t **>(parameters[0]);
    auto *data = *static_cast<uint32_t **>(parameters[1]);
    auto *out = *static_cast<uint32_t **>(parameters[2]);
    const uint64_t address = reinterpret_cast<uint64_t>(flag);
    if (ctaid() == 1) {
      store(data, 42u);
      tilefold_sim_atomic_store(kGlobal, address, 1, 4, uint32_t(Order::Release), uint32_t(Scope::Device), __LINE__);
      return;
    }
    while (!tilefold_sim_atomic_load(kGlobal, address, 4, uint32_t(Order::Acquire), uint32_t(Scope::Device), 500)) {
    }
    store(out, load(data));
  };
  run(kernel, options, {flag.data(), data.data(), out.data()});
  EXPECT_CLEAN();
  EXPECT_EQ(out[0], 42u);
}

TEST_F(KernelTest, WaitingForWhatNobodyWritesEnds) {
  std::vector<uint32_t> flag(1);
  region("flag", flag, true, true);
  auto kernel = [](void **parameters) {
    const uint64_t address = reinterpret_cast<uint64_t>(*static_cast<uint32_t **>(parameters[0]));
    while (!tilefold_sim_atomic_load(kGlobal, address, 4, uint32_t(Order::Acquire), uint32_t(Scope::Device), 500)) {
    }
  };
  run(kernel, block(1), {flag.data()});
  EXPECT_FINDING(Deadlock);
}

} // namespace
} // namespace tilefold::sim
