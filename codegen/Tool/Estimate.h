// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/Devices.h"
#include "codegen/Tool/Inputs.h"

namespace tilefold::cli {

using Shapes = std::map<std::string, support::Shape>;

/// What one launch asks of a device, and how long each of its resources takes for that at least. Seconds.
struct LaunchEstimate {
  LaunchWork work;
  std::int64_t threads = 0, sharedBytes = 0;
  int blocksPerMultiprocessor = 0; ///< by shared memory, threads, and 255 registers a thread
  double waves = 0;                ///< instances over what is resident at once
  double busy = 0;                 ///< share of the SMs' time: 1 when every SM gets the same number of instances
  double askedBytes = 0, memoryBytes = 0;
  double memorySeconds = 0;      ///< DRAM
  double accessSeconds = 0;      ///< the busy SMs' way to L2, 64 bytes a clock
  double productSeconds = 0;     ///< the busy SMs' matrix units
  double exponentialSeconds = 0; ///< 16 a clock and busy SM
  double elementSeconds = 0;     ///< 128 operations a clock and busy SM

  double seconds() const;
  /// What takes that long.
  std::string bound() const;
};

struct ProgramEstimate {
  std::vector<LaunchEstimate> launches;
  double tensorBytes = 0; ///< arguments, each once
  double workspaceBytes = 0;
  double seconds() const;
  double productFlops() const;
  double askedBytes() const;
  /// What breaks a tie: the time of everything that overlaps in the estimate.
  double workSeconds() const;
  /// The launch that takes most of the time.
  const LaunchEstimate &longest() const;
};

/// Time that a launch takes even if it does nothing.
constexpr double kLaunchSeconds = 2e-6;

/// For inputs of these shapes, dense and aligned, of the program compiled for the device. Block sizes and shared memory are those of
/// the compiled kernels; the error says why there are none, or which argument does not fit.
support::Result<ProgramEstimate> estimate(const Module &module, const Shapes &shapes, const Scalars &scalars, const Device &device);

/// The same for several choices of scalars. The error is that of the first choice that has one.
support::Result<std::vector<ProgramEstimate>> estimateEach(const Module &module, const Shapes &shapes, const std::vector<Scalars> &choices,
                                                           const Device &device);

} // namespace tilefold::cli
