// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Interpreter/HostSide.h"
#include "support/limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <climits>

using namespace mlir;
using tilefold::support::Result;
using tilefold::support::Shape;
using tilefold::support::Status;

namespace tilefold::interpreter {

Result<Shape> evaluateShape(Formulas &formulas, OperandRange extents, const std::string &owner) {
  Shape shape;
  for (Value extent : extents) {
    Result<Number> number = formulas.evaluate(extent, owner);
    if (!number)
      return number.status();
    shape.push_back(number->integer);
  }
  return shape;
}

std::string describeExpected(Formulas &formulas, tile::RequireOp require) {
  std::string expected = require.getExpected().str();
  for (auto [index, value] : llvm::enumerate(require.getValues())) {
    Result<Number> number = formulas.evaluate(value, "requirement on argument '" + require.getArgument().str() + "'");
    const std::string placeholder = "{" + std::to_string(index) + "}", text = number ? std::to_string(number->integer) : "(no value)";
    for (std::size_t at = 0; (at = expected.find(placeholder, at)) != std::string::npos; at += text.size())
      expected.replace(at, placeholder.size(), text);
  }
  return expected;
}

std::string describe(tile::WorkspaceOp workspace) { return "workspace '" + workspace.getName().str() + "'"; }

Result<Shape> evaluateShape(Formulas &formulas, tile::WorkspaceOp workspace) {
  const std::string owner = describe(workspace);
  Result<Shape> shape = evaluateShape(formulas, workspace.getExtents(), owner);
  if (!shape)
    return shape;
  for (std::int64_t extent : *shape)
    if (!support::is_extent(extent))
      return Status::error(owner + " has shape " + support::to_string(*shape) +
                           ", expected extents of " + support::extent_range);
  return shape;
}

std::string describe(tile::LaunchOp launch) { return "launch of '" + launch.getKernel().str() + "'"; }

Result<Grid> evaluateGrid(Formulas &formulas, tile::LaunchOp launch) {
  const std::string owner = describe(launch);
  Grid grid;
  const Value extents[] = {launch.getX(), launch.getY(), launch.getZ()};
  for (auto [d, extent] : llvm::enumerate(extents)) {
    const std::string which = "grid extent " + std::to_string(d);
    Result<Number> number = formulas.evaluate(extent, owner + ", " + which);
    if (!number)
      return number.status();
    if (number->integer < 0)
      return Status::error(owner + ": " + which + " is " + std::to_string(number->integer) + ", expected 0 or more");
    grid.extents[d] = number->integer;
  }
  const auto &[x, y, z] = grid.extents;
  if (!x || !y || !z)
    return grid; // a zero wins over an overflow
  if (llvm::MulOverflow(x, y, grid.instances) || llvm::MulOverflow(grid.instances, z, grid.instances) || grid.instances > INT_MAX)
    return Status::error(owner + ": grid " + support::to_string({x, y, z}) + " has too many blocks, expected at most 2^31 - 1");
  return grid;
}

} // namespace tilefold::interpreter
