// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/trace.h"
#include "support/host_tensor.h"
#include <map>
#include <string>

struct Arguments {
  std::map<std::string, tilefold::support::HostTensor> tensors; // outputs are added
  std::map<std::string, double> scalars;
};

/// Runs a traced program on host tensors; the error's text, empty on success.
std::string interpret(tilefold::Traced &traced, Arguments &arguments);
