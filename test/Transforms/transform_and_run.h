// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "test/DSL/interpret.h"

/// Runs a textual pipeline of kernel passes over a traced program, then interprets it. The error's text, empty on success.
std::string transform_and_run(tilefold::Traced &traced, const std::string &pipeline, Arguments &arguments);
