// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/trace.h"
#include "dsl/trace_mlir.h"
#include "dsl/tracer.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilefold {

/// The one who may make a Program.
struct TraceAccess {
  static void run(const std::function<void(Program &)> &body) {
    Program program;
    body(program);
  }
};

OwningOpRef<ModuleOp> trace_into(MLIRContext &context, std::string_view name, const std::function<void(Program &)> &body,
                                 Location l) {
  detail::Tracer tracer(context, name, l);
  TraceAccess::run(body);
  OwningOpRef<ModuleOp> module = tracer.finish();
  // Misuse was reported in the language's words; what the verifier finds beyond is a formula that grew too large, on the user's line, or
  // a fault of the tracer, which is told as well.
  if (!module || failed(verify(*module)))
    return {};
  // The text of a trace is for reading: say each formula and each constant once, and nothing that no one uses.
  IRRewriter rewriter(&context);
  DominanceInfo dominance(*module);
  eliminateCommonSubExpressions(rewriter, dominance, *module);
  return module;
}

struct Traced::Impl {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::string diagnostics;
};

Traced::~Traced() { delete impl_; }

bool Traced::ok() const { return bool(impl_->module); }

const std::string &Traced::diagnostics() const { return impl_->diagnostics; }

std::string Traced::text(bool with_locations) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (impl_->module) {
    OpPrintingFlags flags;
    if (with_locations)
      flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
    impl_->module->print(stream, flags);
  }
  return text;
}

Traced detail::trace(std::string_view name, const std::function<void(Program &)> &body, Location l) {
  auto impl = std::make_unique<Traced::Impl>();
  llvm::raw_string_ostream stream(impl->diagnostics);
  llvm::SourceMgr sources; // shows the line of the kernel where its file can be read
  SourceMgrDiagnosticHandler handler(sources, &impl->context, stream);
  impl->module = trace_into(impl->context, name, body, l);
  return Traced(impl.release());
}

ModuleOp module(Traced &traced) { return *traced.impl().module; }

} // namespace tilefold
