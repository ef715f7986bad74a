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

/// Runs a textual pipeline of kernel passes over a traced program, then interprets it. The error's text, empty on success.
std::string transform_and_run(tilefold::Traced &traced, const std::string &pipeline, Arguments &arguments);
