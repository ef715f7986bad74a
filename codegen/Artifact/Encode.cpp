// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Artifact/Encode.h"
#include "runtime/artifact/manifest.h"
#include "runtime/artifact/writer.h"

#include <exception>

std::vector<uint8_t> tilefold::encodeArtifact(std::string_view manifest, const std::vector<CubinBytes> &cubins,
                                              std::string &error) {
  try {
    nlohmann::json body = nlohmann::json::parse(manifest);
    for (const CubinBytes &cubin : cubins)
      body.at("modules").at(0).at("cubins").push_back({{"arch", cubin.arch}, {"data", nlohmann::json::binary(cubin.data)}});
    std::vector<uint8_t> bytes = runtime::write_artifact(body);
    auto checked = runtime::Manifest::parse(bytes.data(), bytes.size());
    if (checked)
      return bytes;
    error = checked.status().message();
  } catch (const std::exception &e) {
    error = e.what();
  }
  return {};
}
