// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <deque>

namespace tilefold {

/// LLVM's libraries bring options into every tool that links them, --threads among them; a second one of that name would end
/// the process. Theirs becomes --llvm-NAME, so that ours can be called as in `tilefold run`. To be called before ours is made.
inline bool takeOptionName(llvm::StringRef name) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found == options.end())
    return false;
  static std::deque<std::string> renamed; // an option does not own its name
  found->second->setArgStr(renamed.emplace_back(("llvm-" + name).str()));
  return true;
}

/// Reads the command line. What is wrong with it is told by LLVM, and the process ends with exit code 2, as `tilefold` does.
inline void parseOptions(int argc, char **argv, const char *overview) {
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs())) { // which would end with 1 itself without a stream
    llvm::errs() << "see --help for what each option expects\n";
    std::exit(2);
  }
}

} // namespace tilefold
