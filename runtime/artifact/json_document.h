// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>

namespace tilefold::runtime {

/// A body as the JSON library has it. Values of that library allocate in their destructors, from which nothing can be thrown: where
/// memory has run out, the process would end. This one is taken apart from its leaves on, which allocates nothing, also when reading
/// it has failed half-way.
class JsonDocument {
public:
  JsonDocument() = default;
  JsonDocument(JsonDocument &&other) noexcept { root_.swap(other.root_); }
  JsonDocument &operator=(JsonDocument &&other) noexcept {
    root_.swap(other.root_);
    return *this;
  }
  ~JsonDocument();

  /// False if the bytes are no CBOR. They must be sane (cbor_check.h), which bounds the depth.
  bool read_cbor(const uint8_t *bytes, size_t size);
  const nlohmann::json &root() const { return root_; }

private:
  nlohmann::json root_;
};

} // namespace tilefold::runtime
