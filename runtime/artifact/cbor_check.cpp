// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/cbor_check.h"

#include <vector>

namespace tilefold::runtime {

bool cbor_is_sane(const uint8_t *bytes, size_t size, int max_depth) {
  constexpr uint64_t until_break = UINT64_MAX;
  std::vector<uint64_t> open; // items still to come in each open container
  size_t at = 0;
  do {
    if (at >= size)
      return false;
    const uint8_t major = bytes[at] >> 5, minor = bytes[at] & 31;
    ++at;
    uint64_t length = minor;
    bool is_break = false;
    if (minor >= 24 && minor <= 27) {
      const size_t width = size_t(1) << (minor - 24);
      if (size - at < width)
        return false;
      length = 0;
      for (size_t i = 0; i < width; ++i)
        length = length << 8 | bytes[at + i];
      at += width;
    } else if (minor == 31 && major >= 2 && major != 6) {
      is_break = major == 7;
      length = until_break;
    } else if (minor > 27) {
      return false;
    }

    uint64_t children = 0;
    if (major == 2 || major == 3) { // strings; an indefinite one is a container of chunks
      if (length == until_break)
        children = until_break;
      else if (length > size - at)
        return false;
      else
        at += length;
    } else if (major == 4 || major == 5) { // every item has a byte at least, so a count beyond the rest is a lie
      if (length != until_break && length > (size - at) / (major - 3))
        return false;
      children = length == until_break ? length : length * (major - 3);
    } else if (major == 6) {
      children = 1;
    }

    if (is_break) {
      if (open.empty() || open.back() != until_break)
        return false;
      open.pop_back();
    } else if (children) {
      open.push_back(children);
      if (open.size() > size_t(max_depth))
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
