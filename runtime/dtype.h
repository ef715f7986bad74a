// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/tilefold.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilefold::runtime {

using DType = tilefold_dtype;

/// The name used in manifests and messages ("f16"), or "?" for a value that is no element type.
std::string_view dtype_name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);
/// Bytes of one element in memory; 0 for a value that is no element type.
int64_t dtype_size(DType dtype);

} // namespace tilefold::runtime
