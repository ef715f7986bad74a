// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tilefold::detail {

/// A traced value, opaque so that kernels compile without the compiler's headers.
/// `trace` tells which trace made it: 0 is a handle that nobody initialised. A handle of a trace without a value is
/// poisoned: its error has been reported, and whatever uses it stays silent.
struct Handle {
  const void *value = nullptr;
  unsigned trace = 0;
};

} // namespace tilefold::detail
