// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/artifact/manifest.h"
#include "runtime/driver/device.h"
#include "runtime/plan/plan.h"

namespace tilefold::runtime {

/// The kernel of a planned launch, loaded on the device and ready: no later step waits for the driver. Code is loaded once
/// per device, module and artifact content, and stays loaded while the process lives, so no thread can launch what another
/// unloads. A load that fails leaves no trace and may be tried again. The device's context must be current.
/// Errors: CUDA with the JIT's log, UNSUPPORTED if the kernel cannot run with the planned block, cluster or shared memory.
Result<cuda::Function> load_kernel(const Driver &driver, const DeviceContext &device, const Manifest &manifest,
                                   const Plan &plan, const PlannedLaunch &launch);

/// The JIT's information log of every module of the artifact that is loaded on a device.
std::string jit_log(const Manifest &manifest, int device);

} // namespace tilefold::runtime
