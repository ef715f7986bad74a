// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilefold::runtime {

/// True if the CBOR item at `bytes` nests no deeper than `limit`. The JSON library's reader recurses without a limit, so
/// a hostile body could exhaust the stack; malformed items are not judged here and count as shallow.
bool cbor_nesting_within(const uint8_t *bytes, size_t size, int limit);

} // namespace tilefold::runtime
