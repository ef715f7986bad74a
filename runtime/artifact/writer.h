// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

namespace tilefold::runtime {

/// Wraps a manifest (schema: docs/artifact.md) into the bytes of an artifact file: header, hash and CBOR body.
/// The manifest is not checked here; `Artifact::from_memory` on the result does that.
std::vector<uint8_t> write_artifact(const nlohmann::json &manifest);

} // namespace tilefold::runtime
