// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/TensorMap.h"
#include <algorithm>

namespace tilefold::sim {

/// Every tensor copy needs it of its shared address, whatever the swizzle.
constexpr uint32_t sharedAlignment = 128;
constexpr uint32_t chunkBytes = 16;
constexpr uint32_t largestBox = 228 * 1024; // bytes: an SM's shared memory

template <typename Was> static std::string wrong(const std::string &argument, Was was, const std::string &expected) {
  return "tensor map: " + argument + " is " + std::to_string(was) + ", expected " + expected;
}

static std::string at(const char *array, unsigned index) { return std::string(array) + "[" + std::to_string(index) + "]"; }

std::string encodeTensorMap(const TensorMapArguments &arguments, TensorMap &map) {
  const auto base = reinterpret_cast<uintptr_t>(arguments.base);
  if (arguments.rank < 1 || arguments.rank > 5)
    return wrong("rank", arguments.rank, "1 to 5");
  if (base % 16)
    return wrong("base", base, "an address that is a multiple of 16");
  for (unsigned i = 0; i < arguments.rank; ++i) {
    if (arguments.sizes[i] < 1 || arguments.sizes[i] > uint64_t(1) << 32)
      return wrong(at("sizes", i), arguments.sizes[i], "1 to 2^32");
    if (arguments.box[i] < 1 || arguments.box[i] > 256)
      return wrong(at("box", i), arguments.box[i], "1 to 256");
    if (arguments.elementStrides[i] < 1 || arguments.elementStrides[i] > 8)
      return wrong(at("elementStrides", i), arguments.elementStrides[i], "1 to 8");
  }
  for (unsigned i = 0; i + 1 < arguments.rank; ++i) {
    if (arguments.strides[i] % 16)
      return wrong(at("strides", i), arguments.strides[i], "a multiple of 16 bytes");
    if (arguments.strides[i] >= uint64_t(1) << 40)
      return wrong(at("strides", i), arguments.strides[i], "less than 2^40 bytes");
  }
  const uint32_t rowBytes = arguments.box[0] * elementBytes(arguments.type);
  if (rowBytes % 16)
    return wrong("box[0]", rowBytes, "a multiple of 16") + " (in bytes)";
  if (arguments.swizzle != Swizzle::None && rowBytes > spanBytes(arguments.swizzle))
    return wrong("box[0]", rowBytes, "at most the swizzle's span of " + std::to_string(spanBytes(arguments.swizzle))) +
           " (in bytes)";
  uint64_t bytes = elementBytes(arguments.type);
  for (unsigned i = 0; i < arguments.rank; ++i)
    bytes *= arguments.box[i];
  if (bytes > largestBox)
    return wrong("box", bytes, "at most " + std::to_string(largestBox)) + " (all of it, in bytes)";

  map = {};
  map.mark = TensorMap::expectedMark;
  map.type = arguments.type;
  map.rank = uint8_t(arguments.rank);
  map.swizzle = arguments.swizzle;
  map.base = base;
  for (unsigned i = 0; i < arguments.rank; ++i) {
    map.sizes[i] = arguments.sizes[i];
    map.box[i] = uint16_t(arguments.box[i]);
    map.elementStrides[i] = i == 0 ? 1 : uint8_t(arguments.elementStrides[i]);
    if (i > 0)
      map.strides[i - 1] = arguments.strides[i - 1];
  }
  return "";
}

std::string checkBox(const TensorMap &map, unsigned rank, const int32_t *coordinates, uint32_t sharedAddress, bool store) {
  if (map.mark != TensorMap::expectedMark)
    return "tensor copy: its map operand does not point at a tensor map";
  if (map.rank != rank)
    return "tensor copy: the instruction has " + std::to_string(rank) + " coordinates, expected " +
           std::to_string(map.rank) + ", the rank of its tensor map";
  if (sharedAddress % sharedAlignment)
    return "tensor copy: the shared address is " + std::to_string(sharedAddress) + ", expected a multiple of " +
           std::to_string(sharedAlignment);
  if (int64_t corner = int64_t(coordinates[0]) * elementBytes(map.type); corner % int64_t(chunkBytes))
    return "tensor copy: coordinate 0 is " + std::to_string(coordinates[0]) + ", byte " + std::to_string(corner) +
           " of its row, expected a multiple of 16 bytes";
  for (unsigned i = 0; store && i < rank; ++i)
    if (coordinates[i] < 0)
      return "tensor copy: coordinate " + std::to_string(i) + " of a store is " + std::to_string(coordinates[i]) +
             ", expected 0 or more";
  return "";
}

/// Elements of the box along a dimension.
static uint32_t taken(const TensorMap &map, unsigned dimension) {
  return (map.box[dimension] + map.elementStrides[dimension] - 1u) / map.elementStrides[dimension];
}

uint32_t boxBytes(const TensorMap &map) {
  uint32_t bytes = elementBytes(map.type);
  for (unsigned i = 0; i < map.rank; ++i)
    bytes *= taken(map, i);
  return bytes;
}

void enumerateBox(const TensorMap &map, const int32_t *coordinates, uint32_t sharedAddress, std::vector<BoxPiece> &pieces) {
  const int64_t bytes = elementBytes(map.type), corner = coordinates[0] * bytes, end = int64_t(map.sizes[0]) * bytes;
  const uint32_t rowBytes = uint32_t(map.box[0] * bytes), rows = boxBytes(map) / rowBytes;
  const uint32_t pitch = map.swizzle == Swizzle::None ? rowBytes : spanBytes(map.swizzle);
  pieces.reserve(pieces.size() + rowBytes / chunkBytes * rows);
  for (uint32_t row = 0; row < rows; ++row) {
    bool inside = true;
    uint64_t global = map.base;
    for (uint32_t dimension = 1, rest = row; dimension < map.rank; ++dimension) {
      const int64_t index = coordinates[dimension] + int64_t(rest % taken(map, dimension)) * map.elementStrides[dimension];
      rest /= taken(map, dimension);
      inside &= index >= 0 && uint64_t(index) < map.sizes[dimension];
      global += uint64_t(index) * map.strides[dimension - 1];
    }
    for (uint32_t byte = 0; byte < rowBytes; byte += chunkBytes) {
      const int64_t at = corner + byte; // in the tensor's row; a multiple of 16, so no chunk is partly before it
      const auto valid = inside && at >= 0 ? uint32_t(std::clamp<int64_t>(end - at, 0, chunkBytes)) : 0;
      const uint32_t shared = swizzled(map.swizzle, sharedAddress + row * pitch + byte);
      pieces.push_back({shared, chunkBytes, valid ? global + uint64_t(at) : 0, valid});
    }
  }
}

} // namespace tilefold::sim
