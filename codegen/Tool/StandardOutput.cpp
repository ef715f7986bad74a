// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/StandardOutput.h"

#include <cstdio>
#include <unistd.h>

namespace tilefold::cli {

StandardOutput::StandardOutput() : kept(::dup(STDOUT_FILENO)) {
  std::fflush(stdout);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

StandardOutput::~StandardOutput() {
  std::fflush(stdout);
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
}

} // namespace tilefold::cli
