// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a few lines that call the machine's operations themselves, as code that was made from IR would.
#pragma once
#include "codegen/Simulator/Machine/Abi.h"
#include "codegen/Simulator/Machine/Kernel.h"
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <numeric>

namespace tilefold::sim {

/// Operations of the thread that runs. The site of each is the line it is called from, so that reports can be checked.
namespace op {
constexpr uint32_t kShared = uint32_t(Space::Shared), kGlobal = uint32_t(Space::Global);

inline uint32_t tid(uint32_t site = __builtin_LINE()) { return tilefold_sim_register(uint32_t(Register::TidX), site); }
inline uint32_t ctaid(uint32_t site = __builtin_LINE()) { return tilefold_sim_register(uint32_t(Register::CtaidX), site); }
inline uint32_t ctaRank(uint32_t site = __builtin_LINE()) { return tilefold_sim_register(uint32_t(Register::ClusterCtaRank), site); }
inline uint32_t shared(uint32_t offset = 0) { return tilefold_sim_dynamic_shared(0) + offset; }
template <class T = uint32_t> T load(uint32_t address, uint32_t site = __builtin_LINE()) {
  return *static_cast<T *>(tilefold_sim_read(kShared, address, sizeof(T), alignof(T), site));
}
template <class T> void store(uint32_t address, T value, uint32_t site = __builtin_LINE()) {
  *static_cast<T *>(tilefold_sim_write(kShared, address, sizeof(T), alignof(T), site)) = value;
}
template <class T> T load(const T *address, uint32_t site = __builtin_LINE()) {
  return *static_cast<T *>(tilefold_sim_read(kGlobal, reinterpret_cast<uint64_t>(address), sizeof(T), alignof(T), site));
}
template <class T> void store(T *address, T value, uint32_t site = __builtin_LINE()) {
  *static_cast<T *>(tilefold_sim_write(kGlobal, reinterpret_cast<uint64_t>(address), sizeof(T), alignof(T), site)) = value;
}
inline void sync(uint32_t id = 0, uint32_t threads = 0, uint32_t site = __builtin_LINE()) { tilefold_sim_barrier(id, threads, site); }
} // namespace op

/// A launch of one block.
inline LaunchOptions block(uint32_t threads, uint32_t sharedBytes = 4096) {
  LaunchOptions options;
  options.threads = threads;
  options.sharedBytes = sharedBytes;
  return options;
}

/// Runs a kernel and keeps what it found.
class KernelTest : public testing::Test {
protected:
  void run(void (*kernel)(void **), LaunchOptions options = {}, std::vector<void *> parameters = {}) {
    static constexpr size_t kLines = 2000;
    KernelCode code;
    code.name = "kernel";
    code.entry = kernel;
    for (size_t line = 0; line < kLines; ++line)
      code.places.push_back({"line", "test", unsigned(line), 0});
    options.hostThreads = 1;
    std::vector<void *> pointers;
    for (void *&parameter : parameters)
      pointers.push_back(&parameter);
    launch(code, pointers.data(), regions, options, report);
  }
  template <class T> void region(const char *name, std::vector<T> &data, bool writable = true, bool initialised = false) {
    regions.push_back({name, data.data(), data.size() * sizeof(T), writable, initialised, nullptr});
  }
  /// Kinds of all findings, in order.
  std::vector<FindingKind> kinds() const {
    std::vector<FindingKind> result;
    for (const Finding &finding : report.findings())
      result.push_back(finding.kind);
    return result;
  }
  bool found(FindingKind kind) const {
    auto all = kinds();
    return std::find(all.begin(), all.end(), kind) != all.end();
  }
  std::vector<GlobalRegion> regions;
  Report report;
};

#define EXPECT_CLEAN() EXPECT_TRUE(report.findings().empty()) << report.text()
#define EXPECT_FINDING(kind) EXPECT_EQ(kinds(), std::vector{FindingKind::kind}) << report.text()

} // namespace tilefold::sim
