// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.mma_async. Products are computed when a thread waits for them, or at random before, from what the operands hold then.
// Until a thread has waited, its accumulators are tokens: signalling NaNs that say which product they belong to, so that a use
// before the wait can be told from a value.
#include "codegen/Simulator/Machine/ClusterRun.h"
#include "codegen/Simulator/Machine/Fragments.h"
#include "codegen/Simulator/Machine/Transfers.h"
#include <bit>

namespace tilefold::sim {

// A token: sign 0, exponent all ones, quiet bit 0, then 15 bits for the product and 7 for the register.
static constexpr uint32_t kTokenBase = 0x7f800000, kTokenMask = 0xffc00000, kRegisterBits = 7, kProducts = (1u << 15) - 1;
static constexpr size_t kKeptProducts = 64;
static constexpr uint32_t kAllWarps = 0xf;

static uint32_t productNumber(uint32_t count) { return count % kProducts + 1; }

static float makeToken(uint32_t count, uint32_t index) {
  return std::bit_cast<float>(kTokenBase | productNumber(count) << kRegisterBits | index);
}

/// The product that a value stands for, or null if it is a value.
static const WgmmaEngine::Product *findProduct(const WgmmaEngine &engine, float value, uint32_t &index) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & kTokenMask) != kTokenBase || !(bits & ~kTokenMask))
    return nullptr;
  index = bits & ((1u << kRegisterBits) - 1);
  const uint32_t number = (bits & ~kTokenMask) >> kRegisterBits;
  for (const WgmmaEngine::Product &product : engine.products)
    if (productNumber(product.count) == number && index < product.shape.n / 2)
      return &product;
  return nullptr;
}

static void compute(WgmmaEngine &engine, WgmmaEngine::Product &product) {
  const uint32_t registers = product.shape.n / 2;
  for (size_t i = 0; i < product.values.size(); ++i) {
    uint32_t index = 0;
    if (const WgmmaEngine::Product *before = findProduct(engine, product.values[i], index); before && before->isDone)
      product.values[i] = before->values[i / registers * (before->shape.n / 2) + index];
  }
  std::vector<uint16_t> a(64 * 16), b(product.shape.n * 16);
  if (product.aInRegisters) {
    const uint32_t *fragments[warpgroupSize];
    for (uint32_t i = 0; i < warpgroupSize; ++i)
      fragments[i] = product.fragments.data() + 4 * i;
    gatherOperandA(fragments, a.data());
  } else {
    gatherOperand(product.transposedA, 64, product.chunksA.data(), a.data());
  }
  gatherOperand(product.transposedB, product.shape.n, product.chunksB.data(), b.data());
  float *accumulators[warpgroupSize];
  for (uint32_t i = 0; i < warpgroupSize; ++i)
    accumulators[i] = product.values.data() + size_t(i) * registers;
  multiplyWarpgroup(product.shape, a.data(), b.data(), accumulators);
  product.isDone = true;
}

void completeNextProduct(ClusterRun &run, WgmmaEngine &engine) {
  for (WgmmaEngine::Product &product : engine.products)
    if (!product.isDone) {
      compute(engine, product);
      ++run.progress;
      return;
    }
}

void checkProductsAtExit(ClusterRun &run, Thread &thread) {
  const WgmmaEngine &engine = run.warpgroupOf(thread).wgmma;
  if (engine.actor && thread.known.clock[engine.actor] < engine.issued)
    run.report(FindingKind::Leak, engine.products.back().site, thread, "ends while its wgmma may be under way: no wait covers it");
}

// ---------------------------------------------------------------------------------------------------- issue

namespace {
struct Arguments {
  Thread *thread;
  const uint32_t *fragments; ///< null if A is in shared memory
  uint64_t a, b;
  float *accumulators;
};
} // namespace

/// Notes that the engine reads an operand, as each of the four warps sees memory; the chunks' places.
static std::vector<const void *> readOperand(uint64_t descriptor, bool mnMajor, uint32_t extent, const WgmmaEngine::Product &product,
                                             Arguments *const *all) {
  static constexpr uint32_t kChunkBytes = 16;
  ClusterRun &run = ClusterRun::current();
  Thread &first = *all[0]->thread;
  if (std::string wrong = checkDescriptor(descriptor, mnMajor, extent); !wrong.empty())
    run.report(FindingKind::IllegalOperand, product.site, first, std::move(wrong));
  std::vector<uint32_t> addresses(2 * extent);
  chunkAddresses(decodeDescriptor(descriptor), mnMajor, extent, addresses.data());
  std::vector<const void *> chunks;
  const ActorId engine = run.warpgroupOf(first).wgmma.actor;
  for (uint32_t warp = 0; warp < 4; ++warp) {
    ClusterRun::Request request{all[32 * warp]->thread, product.site, engine, product.count, /*asyncProxy=*/true};
    for (uint32_t address : addresses) {
      const void *chunk = run.accessShared(run.blockOf(first), address, kChunkBytes, false, request);
      if (warp == 0)
        chunks.push_back(chunk);
    }
  }
  return chunks;
}

static void issue(WgmmaEngine::Product product, uint64_t a, uint64_t b, const uint32_t *fragments, float *accumulators) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  Warpgroup &group = run.warpgroupOf(self);
  auto refuse = [&](std::string text) { run.report(FindingKind::IllegalOperand, product.site, self, std::move(text)); };
  if (group.size != warpgroupSize)
    return refuse("wgmma in a warpgroup of " + std::to_string(group.size) + " threads");
  const uint32_t n = product.shape.n, registers = n / 2;
  if (n % 8 || !n || n > 256)
    return refuse("wgmma with n = " + std::to_string(n) + ", expected a multiple of 8 from 8 to 256");
  Arguments own{&self, fragments, a, b, accumulators};
  run.meet(group, Wait::Warpgroup, ~0u, product.site, own, [&](Arguments *const *all) {
    WgmmaEngine &engine = group.wgmma;
    if (!engine.actor)
      engine.actor = run.addEngine(*all[0]->thread);
    if (engine.fencedWarps != kAllWarps)
      run.report(FindingKind::Accumulator, product.site, self,
                 "wgmma without wgmma.fence after the last use of its registers, in some warp");
    product.count = ++engine.issued;
    for (uint32_t i = 0; i < warpgroupSize; ++i) {
      if (all[i]->b != all[0]->b || all[i]->a != all[0]->a)
        refuse("threads of a warpgroup give wgmma different descriptors");
      product.values.insert(product.values.end(), all[i]->accumulators, all[i]->accumulators + registers);
      if (product.aInRegisters)
        product.fragments.insert(product.fragments.end(), all[i]->fragments, all[i]->fragments + 4);
    }
    if (!product.aInRegisters)
      product.chunksA = readOperand(all[0]->a, product.transposedA, 64, product, all);
    product.chunksB = readOperand(all[0]->b, product.transposedB, n, product, all);
    for (uint32_t i = 0; i < warpgroupSize; ++i)
      for (uint32_t j = 0; j < registers; ++j)
        all[i]->accumulators[j] = makeToken(product.count, j);
    engine.products.push_back(std::move(product));
    if (engine.products.size() > kKeptProducts && engine.products.front().isDone)
      engine.products.pop_front();
  });
}

static WgmmaEngine::Product describe(uint32_t n, uint32_t operands, uint32_t scaleD, int32_t scaleA, int32_t scaleB, uint32_t site) {
  WgmmaEngine::Product product;
  product.site = uint16_t(site);
  product.shape = {n, Number(operands), scaleD != 0, scaleA, scaleB};
  return product;
}

} // namespace tilefold::sim

using namespace tilefold::sim;

void tilefold_sim_wgmma_ss(uint32_t n, uint32_t operands, uint64_t a, uint64_t b, float *accumulators, uint32_t scaleD, int32_t scaleA,
                           int32_t scaleB, uint32_t transposedA, uint32_t transposedB, uint32_t site) {
  WgmmaEngine::Product product = describe(n, operands, scaleD, scaleA, scaleB, site);
  product.transposedA = transposedA;
  product.transposedB = transposedB;
  issue(std::move(product), a, b, nullptr, accumulators);
}

void tilefold_sim_wgmma_rs(uint32_t n, uint32_t operands, const uint32_t *a, uint64_t b, float *accumulators, uint32_t scaleD,
                           int32_t scaleA, int32_t scaleB, uint32_t transposedB, uint32_t site) {
  WgmmaEngine::Product product = describe(n, operands, scaleD, scaleA, scaleB, site);
  product.aInRegisters = true;
  product.transposedB = transposedB;
  issue(std::move(product), 0, b, a, accumulators);
}

void tilefold_sim_wgmma_fence(uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  run.countInstruction(uint16_t(site));
  run.warpgroupOf(self).wgmma.fencedWarps |= 1u << self.warp() % 4;
}

void tilefold_sim_wgmma_unfence(uint32_t) {
  Thread &self = ClusterRun::thread();
  ClusterRun::current().warpgroupOf(self).wgmma.fencedWarps &= ~(1u << self.warp() % 4);
}

void tilefold_sim_wgmma_commit(uint32_t site) {
  struct Nothing {
  } own;
  ClusterRun &run = ClusterRun::current();
  Warpgroup &group = run.warpgroupOf(ClusterRun::thread());
  run.meet(group, Wait::Warpgroup, ~0u, uint16_t(site), own,
           [&](Nothing *const *) { group.wgmma.groups.push_back(group.wgmma.issued); });
}

void tilefold_sim_wgmma_wait(uint32_t pending, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  WgmmaEngine &engine = run.warpgroupOf(self).wgmma;
  run.countInstruction(uint16_t(site));
  tilefold_sim_wgmma_unfence(site);
  if (engine.groups.size() <= pending)
    return;
  const uint32_t count = engine.groups[engine.groups.size() - pending - 1];
  for (WgmmaEngine::Product &product : engine.products)
    if (!product.isDone && product.count <= count)
      compute(engine, product);
  self.known.clock.raise(engine.actor, count);
}

/// Calls f(index among values, product, its value) for each token among the thread's values; `f` returns whether to go on.
template <class F> static void forEachToken(const float *values, uint32_t count, F f) {
  const WgmmaEngine &engine = ClusterRun::current().warpgroupOf(ClusterRun::thread()).wgmma;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t index = 0;
    if (const WgmmaEngine::Product *product = findProduct(engine, values[i], index))
      if (!f(i, *product, index))
        return;
  }
}

void tilefold_sim_wgmma_result(float *values, uint32_t count, uint32_t) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  const ActorId engine = run.warpgroupOf(self).wgmma.actor;
  forEachToken(values, count, [&](uint32_t i, const WgmmaEngine::Product &product, uint32_t index) {
    if (product.isDone && product.count <= self.known.clock[engine])
      values[i] = product.values[self.index % warpgroupSize * (product.shape.n / 2) + index];
    return true;
  });
}

void tilefold_sim_wgmma_use(const float *values, uint32_t count, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  forEachToken(values, count, [&](uint32_t, const WgmmaEngine::Product &product, uint32_t) {
    Finding finding;
    finding.kind = FindingKind::Accumulator;
    finding.kernel = run.launch.kernel.name;
    finding.text = "uses an accumulator of wgmma before a wait has made it readable";
    finding.place = run.launch.kernel.places[site];
    finding.thread = finding.otherThread = {run.blockOf(self).index, self.index};
    finding.hasOther = true;
    finding.otherPlace = run.launch.kernel.places[product.site];
    finding.otherText = "writes it, possibly still";
    run.launch.report.add(std::move(finding));
    return false;
  });
}
