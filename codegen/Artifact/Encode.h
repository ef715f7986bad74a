// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The border between the compiler, which is built without exceptions, and the artifact writer, whose JSON library throws.
// No MLIR header on this side, no JSON header on the other: inline functions of one library, compiled in both modes, would
// be merged by the linker.
namespace tilefold {

/// A cubin for the module of a manifest.
struct CubinBytes {
  std::string arch; ///< "sm_90"
  std::vector<uint8_t> data;
};

/// The bytes of an artifact file, from a manifest as JSON text; `cubins` go into its first module. The result is read back
/// and checked as a runtime would. Empty on an error, which `error` then says.
std::vector<uint8_t> encodeArtifact(std::string_view manifest, const std::vector<CubinBytes> &cubins, std::string &error);

} // namespace tilefold
