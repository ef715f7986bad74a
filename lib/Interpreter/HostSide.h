// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the formulas of a program's host side come to, within the limits of docs/semantics.md.
#pragma once

#include "lib/Interpreter/Formula.h"
#include "support/host_tensor.h"

namespace tilefold::interpreter {

/// The extents; `owner` begins the error's sentence.
support::Result<support::Shape> evaluateShape(Formulas &formulas, mlir::OperandRange extents, const std::string &owner);

/// What a requirement expects, with its values in their places.
std::string describeExpected(Formulas &formulas, tile::RequireOp require);

/// "workspace 'm'"
std::string describe(tile::WorkspaceOp workspace);
/// Errors: an extent below 0 or too large.
support::Result<support::Shape> evaluateShape(Formulas &formulas, tile::WorkspaceOp workspace);

struct Grid {
  std::int64_t extents[3] = {};
  std::int64_t instances = 0;
};

/// "launch of 'fa2'"
std::string describe(tile::LaunchOp launch);
/// Errors: an extent below 0, more than 2^31 - 1 instances.
support::Result<Grid> evaluateGrid(Formulas &formulas, tile::LaunchOp launch);

} // namespace tilefold::interpreter
