// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace tilefold {

/// Texts that LLVM wrote of one kernel each, for the same chip and PTX version, as the text that it would have written of a module
/// with all of them: what they declare alike is declared once, labels, stacks and source files are numbered on. Nothing if a text is not
/// built as LLVM builds them.
std::optional<std::string> joinPtx(llvm::ArrayRef<std::string> texts);

} // namespace tilefold
