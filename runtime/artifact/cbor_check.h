// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilefold::runtime {

/// True if `bytes` begins with a well-formed CBOR item that nests no deeper than `max_depth` and whose containers and
/// strings announce no more than there can be. The JSON library recurses without a limit and throws at absurd counts even
/// when exceptions are switched off, so a hostile body must not reach it.
bool cbor_is_sane(const uint8_t *bytes, size_t size, int max_depth);

} // namespace tilefold::runtime
