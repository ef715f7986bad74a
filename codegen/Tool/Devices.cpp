// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/Devices.h"

namespace tilefold::cli {

const std::vector<Device> &devices() {
  constexpr int KiB = 1024;
  static const std::vector<Device> table = {
      // name      capability SMs  GHz  GB  GB/s  L2   TFLOP/s mma.sync  shared per SM  threads blocks
      {"a100-40", 8, 0, 108, 1.410, 40, 1555, 40, 312, 1.0, 164 * KiB, 2048, 32},
      {"a100", 8, 0, 108, 1.410, 80, 2039, 40, 312, 1.0, 164 * KiB, 2048, 32},
      {"a10", 8, 6, 72, 1.695, 24, 600, 6, 125, 1.0, 100 * KiB, 1536, 16},
      {"rtx3090", 8, 6, 82, 1.695, 24, 936, 6, 71, 1.0, 100 * KiB, 1536, 16},
      {"l4", 8, 9, 58, 2.040, 24, 300, 48, 121, 1.0, 100 * KiB, 1536, 24},
      {"l40s", 8, 9, 142, 2.520, 48, 864, 96, 362, 1.0, 100 * KiB, 1536, 24},
      {"rtx4090", 8, 9, 128, 2.520, 24, 1008, 72, 165, 1.0, 100 * KiB, 1536, 24},
      {"h100-pcie", 9, 0, 114, 1.755, 80, 2039, 50, 756, 0.62, 228 * KiB, 2048, 32},
      {"h100", 9, 0, 132, 1.830, 80, 3350, 50, 989, 0.62, 228 * KiB, 2048, 32},
      {"h200", 9, 0, 132, 1.830, 141, 4800, 50, 989, 0.62, 228 * KiB, 2048, 32},
  };
  return table;
}

const Device *findDevice(const std::string &name) {
  for (const Device &device : devices())
    if (device.name == name)
      return &device;
  return nullptr;
}

} // namespace tilefold::cli
