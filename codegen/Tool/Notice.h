// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdio>
#include <unistd.h>

namespace tilefold::cli {

/// One line on a terminal while something goes on that cannot say how far it is; erased at the end.
class Notice {
public:
  explicit Notice(const char *text) : active(::isatty(STDERR_FILENO) != 0) {
    if (active)
      std::fprintf(stderr, "%s ...", text);
  }
  Notice(const Notice &) = delete;
  ~Notice() {
    if (active)
      std::fprintf(stderr, "\r\033[K");
  }

private:
  bool active;
};

} // namespace tilefold::cli
