// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/writer.h"
#include "runtime/artifact/format.h"

#define XXH_INLINE_ALL // no link dependency, and no clash with another copy of xxHash in the process
#include <xxhash.h>

#include <cstring>

namespace tilefold::runtime {

Hash128 hash_body(const uint8_t *body, size_t size) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(body, size));
  Hash128 hash;
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

static void put_little_endian(std::vector<uint8_t> &bytes, uint64_t value, int width) {
  for (int i = 0; i < width; ++i)
    bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

std::vector<uint8_t> write_artifact(const nlohmann::json &manifest) {
  const std::vector<uint8_t> body = nlohmann::json::to_cbor(manifest);
  std::vector<uint8_t> bytes;
  bytes.reserve(ArtifactHeader::size + body.size());
  bytes.insert(bytes.end(), ArtifactHeader::magic, ArtifactHeader::magic + 8);
  put_little_endian(bytes, ArtifactHeader::version, 4);
  put_little_endian(bytes, 0, 4);
  put_little_endian(bytes, body.size(), 8);
  const Hash128 hash = hash_body(body.data(), body.size());
  bytes.insert(bytes.end(), hash.begin(), hash.end());
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

} // namespace tilefold::runtime
