// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From arguments to launches, as pure functions: no driver, no global state. `prepare` uses the same ones.
#pragma once

#include "runtime/artifact/manifest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilefold::runtime {

struct PlannedLaunch {
  std::string kernel, entry;
  int64_t grid[3] = {0, 0, 0}; ///< as the program states it
  uint32_t blocks = 0;         ///< the product, launched along x; 0: no work, nothing is sent
  uint32_t block = 0, cluster = 1, shared = 0;
  std::vector<DType> parameter_types;
  std::vector<uint64_t> parameters; ///< one slot each; the value lies in the low bytes
};

struct PlannedWorkspace {
  std::string name;
  uint64_t offset = 0, bytes = 0; ///< within the caller's workspace
  bool zero_once = false;
};

struct Plan {
  int alternative = 0; ///< of the manifest
  int module = 0;
  int cubin = -1; ///< of the module; -1: its PTX is compiled by the driver
  std::vector<PlannedLaunch> launches;
  std::vector<PlannedWorkspace> workspaces;
  uint64_t workspace_bytes = 0;
};

/// The launches that these arguments lead to, after every check that needs no driver. `workspace` is the address of the
/// caller's workspace; with 0 the pointers into it are offsets. The first alternative is taken whose guards hold and
/// whose kernels run on the device. Errors: ARGUMENT with the argument's name; UNSUPPORTED with what kept each
/// alternative from being used.
Result<Plan> make_plan(const Manifest &manifest, const tilefold_arguments &arguments,
                       const tilefold_device_properties &device, uint64_t workspace = 0);

/// Bytes of workspace; depends on shapes, scalars and the device, never on addresses. Outputs may be left out if no
/// formula needs them.
Result<uint64_t> workspace_bytes(const Manifest &manifest, const tilefold_arguments &arguments,
                                 const tilefold_device_properties &device);

/// The shape that tensor argument `name` must have, from the other arguments; it need not be among `arguments` itself.
/// Errors: unknown name, no declared shape, a formula that needs a tensor that is not there.
Result<std::vector<int64_t>> expected_shape(const Manifest &manifest, const tilefold_arguments &arguments,
                                            const tilefold_device_properties &device, std::string_view name);

/// The module that an alternative uses on a device, or -1.
int select_module(const Manifest &manifest, const Alternative &alternative, const tilefold_device_properties &device);

/// OK if the artifact has code for this device whatever the arguments: every alternative fits it, or one without guards
/// does. Else UNSUPPORTED, with a list of the holes.
Status verify(const Manifest &manifest, const tilefold_device_properties &device);

std::string plan_to_json_text(const Manifest &manifest, const Plan &plan);

} // namespace tilefold::runtime
