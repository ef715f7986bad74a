// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "llvm/ExecutionEngine/Orc/Core.h"

namespace tilefold::sim {

/// Everything that code of a kernel may call: the machine's functions, and the few of the C library that LLVM's code
/// generator asks for. Nothing else of this process is visible to it.
llvm::orc::SymbolMap machineSymbols(llvm::orc::ExecutionSession &session, const llvm::DataLayout &layout);

} // namespace tilefold::sim
