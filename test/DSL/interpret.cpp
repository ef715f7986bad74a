// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/DSL/interpret.h"
#include "dsl/trace_mlir.h"
#include "lib/Interpreter/Interpreter.h"

std::string interpret(tilefold::Traced &traced, Arguments &arguments) {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(tilefold::module(traced)->getContext(), [&](mlir::Diagnostic &d) { text += d.str() + "\n"; });
  tilefold::ProgramArguments all{std::move(arguments.tensors), std::move(arguments.scalars)};
  tilefold::support::Status status = tilefold::interpret(tilefold::module(traced), all);
  arguments = {std::move(all.tensors), std::move(all.scalars)};
  return status.ok() ? "" : status.message() + text;
}
