// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the items in a child process. A kernel that faults leaves a context in which nothing works any more, and one that hangs
// never returns: then the item has failed, and a new child goes on with the next one.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tilefold::gpu_suite {

struct SupervisorOptions {
  std::vector<std::string> command; ///< of a child; "--from N --report FD" is appended
  int items = 0;
  int seconds = 60;     ///< that one item may take
  int max_children = 20; ///< then the rest counts as failed
};

/// The children's report lines in the items' order, each with its "item" number; the lines of items that a child did not
/// survive are made here. Lines without an item ("about", "loaded") come in `others`.
struct Supervised {
  std::vector<nlohmann::json> items, others;
};
Supervised supervise(const SupervisorOptions &options, void (*on_item)(const nlohmann::json &));

/// The child's side of the pipe.
class Reporter {
public:
  explicit Reporter(int descriptor) : descriptor_(descriptor) {}
  void write(const nlohmann::json &line) const;

private:
  int descriptor_;
};

} // namespace tilefold::gpu_suite
