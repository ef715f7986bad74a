// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilefold::runtime {

/// Layout of an artifact's header; everything is little endian, the CBOR body follows at once.
struct ArtifactHeader {
  static constexpr char magic[9] = "TILEFOLD";
  static constexpr uint32_t version = 1;
  static constexpr size_t version_at = 8;
  static constexpr size_t flags_at = 12;
  static constexpr size_t length_at = 16;
  static constexpr size_t hash_at = 24;
  static constexpr size_t size = 40;
};

/// How deep a formula may be nested: its parser and its evaluator are recursive, and a hostile artifact must not exhaust the stack.
inline constexpr int max_formula_depth = 128;

using Hash128 = std::array<uint8_t, 16>;

/// XXH3-128 in its canonical (big-endian) form, as `xxhsum -H2` prints it.
Hash128 hash_body(const uint8_t *body, size_t size);

} // namespace tilefold::runtime
