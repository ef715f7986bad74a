// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/driver/driver.h"

namespace tilefold::runtime {

/// A device whose primary context the runtime holds (until the process ends: contexts of CUDA's own runtime do the same).
struct DeviceContext {
  int ordinal = 0;
  cuda::Context context = nullptr;
  tilefold_device_properties properties{};
  bool reads_pageable_memory = false; ///< kernels may be given plain host memory
};

Result<int> count_devices(const Driver &driver);
Result<tilefold_device_properties> query_device(const Driver &driver, int ordinal);
/// Retains the primary context at the first use of a device. Errors: USAGE for an ordinal that does not exist, CUDA.
Result<const DeviceContext *> get_device(const Driver &driver, int ordinal);

/// What the driver knows about an address.
struct PointerFacts {
  bool known = false; ///< not plain host memory
  bool any_device = false; ///< managed or pinned memory, which every device reaches
  int ordinal = -1;
};
Result<PointerFacts> query_pointer(const Driver &driver, uint64_t address);

} // namespace tilefold::runtime
