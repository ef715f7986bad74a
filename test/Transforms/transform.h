// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/trace.h"
#include <string>

/// Runs a textual pipeline of kernel passes over a traced program. The error's text, empty on success.
std::string transform(tilefold::Traced &traced, const std::string &pipeline);
