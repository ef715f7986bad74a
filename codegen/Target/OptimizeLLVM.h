// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilefold {

/// Brings LLVM IR of a kernel into the form that the NVPTX back end turns into good PTX: scalars in place of vectors,
/// nothing computed twice.
void optimizeForPtx(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tilefold
