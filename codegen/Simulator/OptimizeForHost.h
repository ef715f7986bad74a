// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilefold::sim {

/// The few passes whose time comes back in code generation and running: a kernel is compiled to run a few times.
void optimizeForHost(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tilefold::sim
