// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/artifact/manifest.h"

namespace tilefold::runtime {

enum class Binding {
  Complete,   ///< every tensor is there, with memory that can hold it
  ShapesOnly, ///< tensors may be missing and addresses are not looked at
};

/// Checks each argument against its declaration and fills defaults; workspaces stay unknown. Order of the checks:
/// names, dtype, rank, extents, strides, address. Errors: ARGUMENT, with the argument's name.
Result<FormulaEnvironment> bind_arguments(const Manifest &manifest, const tilefold_arguments &arguments,
                                          const tilefold_device_properties &device, Binding mode);

/// Refuses an output that shares memory with another argument or with itself (stride 0). Interleaved views of one buffer
/// that never touch the same byte are recognised as such.
Status check_overlap(const Manifest &manifest, const FormulaEnvironment &environment);

/// "[2, 32, 128, 64]".
std::string shape_text(const std::vector<int64_t> &shape);

} // namespace tilefold::runtime
