// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/cbor_depth.h"

#include <vector>

namespace tilefold::runtime {

bool cbor_nesting_within(const uint8_t *bytes, size_t size, int limit) {
  constexpr uint64_t until_break = UINT64_MAX;
  std::vector<uint64_t> open; // items still to come in each open container
  size_t at = 0;
  do {
    if (at >= size)
      return true;
    const uint8_t major = bytes[at] >> 5, minor = bytes[at] & 31;
    ++at;
    uint64_t length = minor;
    bool closes = false;
    if (minor >= 24 && minor <= 27) {
      const size_t width = size_t(1) << (minor - 24);
      if (size - at < width)
        return true;
      length = 0;
      for (size_t i = 0; i < width; ++i)
        length = length << 8 | bytes[at + i];
      at += width;
    } else if (minor >= 28) {
      if (minor != 31)
        return true;
      closes = major == 7;
      length = until_break;
    }
    uint64_t children = 0;
    switch (major) {
    case 2:
    case 3: // strings; an indefinite one is a container of chunks
      if (length == until_break)
        children = until_break;
      else if (length > size - at)
        return true;
      else
        at += length;
      break;
    case 4:
      children = length;
      break;
    case 5:
      if (length != until_break && length > (until_break - 1) / 2)
        return true;
      children = length == until_break ? length : 2 * length;
      break;
    case 6:
      children = 1;
      break;
    default:
      break;
    }
    if (closes) {
      if (open.empty() || open.back() != until_break)
        return true;
      open.pop_back();
    } else if (children) {
      open.push_back(children);
      if (open.size() > size_t(limit))
        return false;
      continue;
    }
    // An item is complete; so are the definite containers that it fills.
    while (!open.empty() && open.back() != until_break && --open.back() == 0)
      open.pop_back();
  } while (!open.empty());
  return true;
}

} // namespace tilefold::runtime
