// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artifact on host tensors, on the simulated machine: what runtime/tools/host_run.h does on a GPU. The launches come from
// the artifact, planned by the runtime as for a GPU; their code comes from the caller.
#pragma once
#include "codegen/Simulator/Machine/Kernel.h"
#include "runtime/tools/host_run.h"
#include "support/status.h"
#include <functional>

namespace tilefold::sim {

/// The code of a kernel by its entry. It must live as long as the run.
using FindKernel = std::function<support::Result<const KernelCode *>(const std::string &entry)>;

struct ArtifactRunOptions {
  runtime::DeviceProperties device{}; ///< for guards and formulas
  uint64_t seed = 0;
  Completion completion = Completion::Late;
  unsigned hostThreads = 0; ///< 0: all
};

/// Returns the outputs; what was found is added to `report`. Each argument and workspace is memory of its own, with nothing
/// that a kernel may touch beside it. Outputs and workspaces hold 0xff bytes (NaN) and count as not written, but for those
/// parts of workspaces that the runtime would zero. Errors: those of planning a launch, and of `find`.
runtime::Result<std::map<std::string, support::HostTensor>>
run_on_simulator(const runtime::Artifact &artifact, const FindKernel &find,
                 const std::map<std::string, const support::HostTensor *> &tensors,
                 const std::map<std::string, double> &scalars, const ArtifactRunOptions &options, Report &report);

} // namespace tilefold::sim
