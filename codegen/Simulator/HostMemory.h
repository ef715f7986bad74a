// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilefold::sim {

/// Memory as a device gives it: aligned to 256 bytes, far from any other; filled with 0xff (NaN in every
/// floating-point type).
class HostMemory {
public:
  explicit HostMemory(size_t bytes) : storage(bytes + 2 * kApart, 0xff) {}
  uint8_t *data() {
    const auto address = reinterpret_cast<uintptr_t>(storage.data()) + kApart;
    return reinterpret_cast<uint8_t *>(address & ~uintptr_t(kAlignment - 1));
  }

private:
  static constexpr size_t kAlignment = 256, kApart = 4096;
  std::vector<uint8_t> storage;
};

} // namespace tilefold::sim
