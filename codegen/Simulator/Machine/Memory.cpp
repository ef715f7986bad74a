// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of memory: where an address leads, whether it may, and what it conflicts with.
#include "codegen/Simulator/Machine/ClusterRun.h"
#include <algorithm>
#include <cstring>

namespace tilefold::sim {

static std::string bytesAt(uint32_t bytes, const std::string &where) { return std::to_string(bytes) + " bytes at " + where; }

std::string ClusterRun::name(const Block &block) const { return "block " + std::to_string(block.index); }

/// Reads of memory that is not there give NaNs; writes to it are lost.
uint8_t *ClusterRun::scratchMemory() {
  std::memset(scratch, 0xff, sizeof(scratch));
  return scratch;
}

ClusterRun::SharedPlace ClusterRun::findShared(const Thread &thread, Space space, uint32_t address, uint16_t site) {
  const uint32_t rank = address >> kRankShift, offset = sharedOffset(address);
  if (!rank)
    return {&blocks[thread.block], offset};
  if (space != Space::SharedCluster || rank > blocks.size()) {
    report(FindingKind::OutOfBounds, site, thread,
           space != Space::SharedCluster
               ? "an address of another block of the cluster, in an operation on the block's own shared memory"
               : "a shared address of block " + std::to_string(rank - 1) + " of a cluster of " + std::to_string(blocks.size()));
    return {};
  }
  Block &block = blocks[rank - 1];
  if (!block.live)
    report(FindingKind::OutOfBounds, site, thread, "shared memory of " + name(block) + ", all of whose threads have ended");
  return {&block, offset};
}

static uint64_t beginOf(const GlobalRegion &region) { return reinterpret_cast<uint64_t>(region.begin); }

/// The region that all of these bytes lie in; null if there is none.
static GlobalRegion *regionAt(std::vector<GlobalRegion> &regions, uint64_t address, uint32_t bytes) {
  auto region = std::find_if(regions.begin(), regions.end(), [&](const GlobalRegion &candidate) {
    return address >= beginOf(candidate) && address + bytes <= beginOf(candidate) + candidate.bytes;
  });
  return region == regions.end() ? nullptr : &*region;
}

/// For an address that lies in no region; null if there is none at all.
static const GlobalRegion *nearestRegion(const std::vector<GlobalRegion> &regions, uint64_t address) {
  auto distance = [&](const GlobalRegion &region) {
    const uint64_t begin = beginOf(region);
    return address < begin ? begin - address : address - begin;
  };
  auto nearest = std::min_element(regions.begin(), regions.end(), [&](const GlobalRegion &a, const GlobalRegion &b) {
    return distance(a) < distance(b);
  });
  return nearest == regions.end() ? nullptr : &*nearest;
}

static std::string globalPlace(const GlobalRegion *region, uint64_t address) {
  return region ? "byte " + std::to_string(int64_t(address - beginOf(*region))) + " of '" + region->name + "'"
                : "an address where there is no argument";
}

static std::string sharedPlace(uint32_t offset, const std::string &block) {
  return "shared address " + std::to_string(offset) + " of " + block;
}

uint8_t *ClusterRun::access(Space space, uint64_t address, uint32_t bytes, uint32_t align, bool isWrite, const Request &request) {
  auto checkAlignment = [&](auto where) {
    if (align && address % align)
      report(FindingKind::Misaligned, request.site, *request.thread,
             (isWrite ? "writes " : "reads ") + bytesAt(bytes, where()) + ", an address that is " +
                 std::to_string(address % align) + " beyond a multiple of " + std::to_string(align));
  };
  if (space == Space::Global || space == Space::Constant) {
    checkAlignment([&] {
      const GlobalRegion *region = regionAt(launch.regions, address, 1);
      return globalPlace(region ? region : nearestRegion(launch.regions, address), address);
    });
    return accessGlobal(address, bytes, isWrite, request);
  }
  SharedPlace place = findShared(*request.thread, space, uint32_t(address), request.site);
  if (!place.block)
    return scratchMemory();
  checkAlignment([&] { return sharedPlace(place.offset, name(*place.block)); });
  noteVisit(*place.block, *request.thread, request.site);
  if (!request.asyncProxy)
    warpOf(*request.thread).banks.note(request.site, request.thread->lane(), place.offset, bytes);
  return accessShared(*place.block, place.offset, bytes, isWrite, request);
}

Access ClusterRun::noted(const Request &request, bool shared) const {
  Access access;
  access.epoch.run = run;
  access.epoch.actor = request.actor;
  access.epoch.site = request.site;
  access.epoch.count = request.count;
  access.known = &request.thread->known;
  access.asyncProxy = request.asyncProxy;
  access.atomic = request.atomic;
  access.scope = request.scope;
  access.rank = uint8_t(request.thread->block);
  access.shared = shared;
  access.firstRun = launch.firstRun;
  return access;
}

uint8_t *ClusterRun::accessShared(Block &block, uint32_t offset, uint32_t bytes, bool isWrite, const Request &request) {
  auto where = [&] { return sharedPlace(offset, name(block)); };
  if (offset < kSharedBase || uint64_t(offset) + bytes > block.bytes.size()) {
    report(FindingKind::OutOfBounds, request.site, *request.thread,
           std::string(isWrite ? "writes " : "reads ") + bytesAt(bytes, where()) + ", which has " +
               std::to_string(block.bytes.size() - kSharedBase) + " from address " + std::to_string(kSharedBase) + " on");
    return scratchMemory();
  }
  (isWrite ? counts.sharedBytesWritten : counts.sharedBytesRead) += bytes;
  const Access access = noted(request, /*shared=*/true);
  Conflict conflict = isWrite ? block.shadow->write(offset, bytes, access) : block.shadow->read(offset, bytes, access);
  if (conflict.kind != Conflict::None)
    reportConflict(conflict, request, isWrite, bytesAt(bytes, where()));
  return block.bytes.data() + offset;
}

uint8_t *ClusterRun::accessGlobal(uint64_t address, uint32_t bytes, bool isWrite, const Request &request) {
  GlobalRegion *region = regionAt(launch.regions, address, bytes);
  if (!region) {
    const GlobalRegion *nearest = nearestRegion(launch.regions, address);
    report(FindingKind::OutOfBounds, request.site, *request.thread,
           (isWrite ? "writes " : "reads ") + bytesAt(bytes, globalPlace(nearest, address)) +
               (nearest ? ", which has " + std::to_string(nearest->bytes) : ""));
    return scratchMemory();
  }
  const uint64_t offset = address - beginOf(*region);
  auto where = [&] { return bytesAt(bytes, globalPlace(region, address)); };
  (isWrite ? counts.globalBytesWritten : counts.globalBytesRead) += bytes;
  if (!region->writable) {
    if (!isWrite)
      return reinterpret_cast<uint8_t *>(address);
    report(FindingKind::IllegalWrite, request.site, *request.thread, "writes " + where() + ", which is only an input");
    return scratchMemory();
  }
  const Access access = noted(request, /*shared=*/false);
  Conflict conflict;
  {
    std::lock_guard lock(region->shadow->mutex);
    Shadow &shadow = region->shadow->shadow;
    conflict = isWrite ? shadow.write(offset, bytes, access) : shadow.read(offset, bytes, access);
  }
  if (conflict.kind != Conflict::None)
    reportConflict(conflict, request, isWrite, where());
  return reinterpret_cast<uint8_t *>(address);
}

ActorId ClusterRun::addEngine(const Thread &owner) {
  static constexpr size_t kMostActors = 1u << 16;
  if (owners.size() == kMostActors) {
    report(FindingKind::IllegalOperand, owner.wait.site, owner,
           "more mbarriers and asynchronous engines in one cluster than the simulator can tell apart, 65,536 with the threads");
    return ActorId(kMostActors - 1);
  }
  owners.push_back(&owner);
  return ActorId(owners.size() - 1);
}

// ---------------------------------------------------------------------------------------------------- findings

void ClusterRun::report(FindingKind kind, uint16_t site, const Thread &thread, std::string text) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = launch.kernel.name;
  finding.text = std::move(text);
  finding.place = launch.kernel.places[site];
  finding.thread = {blockOf(thread).index, thread.index};
  launch.report.add(std::move(finding));
}

void ClusterRun::reportConflict(const Conflict &conflict, const Request &request, bool isWrite, const std::string &where) {
  const std::string access = (isWrite ? "writes " : "reads ") + where;
  if (conflict.kind == Conflict::Uninitialised)
    return report(FindingKind::Uninitialised, request.site, *request.thread, access + ", which nobody has written");
  Finding finding;
  finding.kernel = launch.kernel.name;
  finding.place = launch.kernel.places[request.site];
  finding.thread = {blockOf(*request.thread).index, request.thread->index};
  finding.hasOther = true;
  finding.otherPlace = launch.kernel.places[conflict.other.site];
  const bool isOwnRun = conflict.other.run == run;
  const bool byEngine = isOwnRun && conflict.other.actor >= threads.size();
  if (isOwnRun) {
    const Thread &owner = *owners[conflict.other.actor];
    finding.otherThread = {blockOf(owner).index, owner.index};
  } else {
    finding.otherIsElsewhere = true;
  }
  const char *done = conflict.otherWrites ? "writes" : "reads";
  switch (conflict.kind) {
  case Conflict::MbarrierObject:
    finding.kind = FindingKind::IllegalWrite;
    finding.text = access + ", where an mbarrier is";
    finding.otherText = "made it";
    break;
  case Conflict::ProxyFence:
    finding.kind = FindingKind::MissingProxyFence;
    finding.text = access + " through the async proxy; the other's write through the generic one has no proxy fence after it for this memory";
    finding.otherText = "wrote it";
    break;
  default:
    finding.kind = byEngine ? FindingKind::InFlight : FindingKind::Race;
    finding.text = byEngine ? access + ", which an asynchronous operation " + done + " and no wait orders"
                            : access + ", which another " + done + " without an order between the two";
    finding.otherText = byEngine ? std::string(done) + " it, possibly still" : std::string(done) + " it";
  }
  launch.report.add(std::move(finding));
}

} // namespace tilefold::sim

// ---------------------------------------------------------------------------------------------------- called by kernels

using namespace tilefold::sim;

void *tilefold_sim_read(uint32_t space, uint64_t address, uint32_t bytes, uint32_t align, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  run.countInstruction(uint16_t(site));
  return run.access(Space(space), address, bytes, align, false, run.byThread(ClusterRun::thread(), uint16_t(site)));
}

void *tilefold_sim_write(uint32_t space, uint64_t address, uint32_t bytes, uint32_t align, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  run.countInstruction(uint16_t(site));
  return run.access(Space(space), address, bytes, align, true, run.byThread(ClusterRun::thread(), uint16_t(site)));
}

uint32_t tilefold_sim_dynamic_shared(uint32_t) { return kSharedBase; }

uint32_t tilefold_sim_static_shared(uint32_t index, uint32_t) {
  return ClusterRun::current().blockOf(ClusterRun::thread()).staticOffsets[index];
}
