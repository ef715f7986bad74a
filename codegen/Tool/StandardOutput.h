// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tilefold::cli {

/// While it lives, what the process prints to standard output goes to standard error: for data that stands there alone.
class StandardOutput {
public:
  StandardOutput();
  StandardOutput(const StandardOutput &) = delete;
  ~StandardOutput();

  /// The file descriptor of the true one.
  int descriptor() const { return kept; }

private:
  int kept;
};

} // namespace tilefold::cli
