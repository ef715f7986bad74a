// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace tilefold {

/// What code generation made of one kernel.
struct KernelCode {
  std::string entry;      ///< the name in the PTX
  int64_t block = 0;      ///< threads
  int64_t sharedBytes = 0; ///< dynamic shared memory
};

/// One way to run the whole program; it is taken if all its guards hold.
struct AlternativeCode {
  std::string name;
  llvm::json::Array guards;
  llvm::StringMap<KernelCode> kernels; ///< by the kernel's symbol
};

/// What a manifest tells besides the program itself.
struct ManifestInfo {
  std::string target;          ///< "sm_80"
  std::string ptx;             ///< one module with the kernels of all alternatives
  llvm::json::Object options;  ///< informational: head_dim, dtype, ...
};

/// The manifest of an artifact (schema: docs/artifact.md): the program's arguments, checks, workspaces and launches as
/// data. Kernel parameters follow the base ABI: three i32 grid extents, then for each argument a scalar, or a view's
/// pointer, extents and strides. Errors are diagnostics on what has no formula.
llvm::FailureOr<llvm::json::Object> buildManifest(tile::ProgramOp program, llvm::ArrayRef<AlternativeCode> alternatives,
                                                  const ManifestInfo &info);

} // namespace tilefold
