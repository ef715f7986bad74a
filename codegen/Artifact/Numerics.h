// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace tilefold {

/// What the numbers of a program come from, for its manifest: `products`, the matrix instructions; `accumulators`, the types that those
/// add up in; `approximations`, the instructions whose results are not the nearest. It is read from the PTX, so that it is true whatever
/// the passes have done, of all alternatives together.
llvm::json::Object describeNumerics(llvm::StringRef ptx);

} // namespace tilefold
