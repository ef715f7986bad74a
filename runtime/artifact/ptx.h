// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a PTX text says of itself, and what its version allows. The compiler asks the same questions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tilefold::runtime {

/// (major, minor) of the PTX ISA.
using PtxVersion = std::pair<int, int>;

/// From this version on a kernel can take more parameters. Drivers of CUDA 12.1 and later load it.
inline constexpr PtxVersion ptx_of_many_parameters{8, 1};

/// How many bytes of parameters a kernel can take in PTX of `version` (for sm_70 and later; as ptxas counts them).
constexpr int64_t kernel_parameter_bytes(PtxVersion version) {
  return version >= ptx_of_many_parameters ? 32764 : 4352;
}

/// What `.version` says; (0, 0) if it says nothing.
PtxVersion ptx_version(std::string_view ptx);

/// The names of the kernels that a PTX text defines.
std::set<std::string> ptx_entries(const std::string &ptx);

} // namespace tilefold::runtime
