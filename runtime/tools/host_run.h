// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/tilefold.hpp"
#include "support/host_tensor.h"

#include <map>
#include <string>

namespace tilefold::runtime {

struct HostRunOptions {
  int device = 0;
  int repeat = 0; ///< further launches, timed
};

struct HostRunTimes {
  double device_microseconds = 0; ///< of one call: `repeat` calls between two events, divided
  double host_microseconds = 0;   ///< that one `launch` kept the calling thread
};

struct HostRunResult {
  std::map<std::string, support::HostTensor> outputs; ///< outputs and inouts
  HostRunTimes times;                                 ///< zeros without `repeat`
};

/// Runs an artifact on tensors in host memory: allocates on the device, copies there, launches once, copies back. Inputs keep
/// their strides and misalignment. Outputs have the shapes that the program states, unless `tensors` holds one of that name,
/// whose shape and strides are then used. Outputs and the `any` parts of workspaces are filled with NaN bytes first, so that
/// what a kernel does not write shows. `scalars` are converted to the declared types; tensors and scalars that the program
/// does not declare are errors. Errors: those of prepare and launch, CUDA when memory runs out.
Result<HostRunResult> run_on_host_tensors(const Artifact &artifact,
                                          const std::map<std::string, const support::HostTensor *> &tensors,
                                          const std::map<std::string, double> &scalars, const HostRunOptions &options = {});

/// What can be made of host tensors and scalars before any of them has a place that a kernel can read.
struct HostArguments {
  Arguments scalars; ///< converted to the declared types
  /// Outputs and inouts: the given ones, or of the shapes that the program states.
  std::map<std::string, support::HostTensor> outputs;
};
Result<HostArguments> make_host_arguments(const Artifact &artifact,
                                          const std::map<std::string, const support::HostTensor *> &tensors,
                                          const std::map<std::string, double> &scalars, const DeviceProperties &properties);

/// Adds the scalars, converted to the declared types. Errors: a name that the program does not declare, an integer that is none.
Status add_scalars(const Manifest &manifest, const std::map<std::string, double> &scalars, Arguments &arguments);

/// The runtime's name for a host element type.
DType dtype_of(support::DType dtype);

} // namespace tilefold::runtime
