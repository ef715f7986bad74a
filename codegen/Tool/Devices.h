// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilefold::cli {

/// What `explain` must know of a GPU. Vendor data sheets; a rate is what the chip can do at its boost clock, not what a
/// kernel will see.
struct Device {
  std::string name;
  int capabilityMajor = 0, capabilityMinor = 0;
  int multiprocessors = 0;
  double clockGhz = 0;       ///< boost
  double memoryGB = 0;       ///< DRAM, 10^9 bytes
  double memoryGBs = 0;      ///< its bandwidth
  double cacheMB = 0;        ///< L2
  double productTflops = 0;  ///< f16 or bf16 matrix products with f32 sums, dense
  double mmaSyncShare = 1;   ///< of it that mma.sync reaches; the rest needs Hopper's own instructions
  int sharedPerMultiprocessor = 0; ///< bytes
  int threadsPerMultiprocessor = 0, blocksPerMultiprocessor = 0;
  int registersPerMultiprocessor = 65536;

  /// "sm_90"
  std::string target() const { return "sm_" + std::to_string(10 * capabilityMajor + capabilityMinor); }
};

const std::vector<Device> &devices();
const Device *findDevice(const std::string &name);

} // namespace tilefold::cli
