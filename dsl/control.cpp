// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tracer.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "support/limits.h"

/// The loops and branches of kernels.
namespace tilefold::detail {

using namespace mlir;

//===-- loops ---------------------------------------------------------------------------------------------------===//

Handle begin_loop(const Input &lo, const Input &hi, const Input &step, std::vector<Handle> &carried, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  if (!t->need_kernel("a loop", l)) {
    carried.assign(carried.size(), t->poison());
    return t->poison();
  }
  if (step.literal.integer < 1) {
    t->error(l) << "expected a loop step of at least 1, got " << step.literal.integer;
    return begin_loop(lo, hi, Input{{}, 1, true, l}, carried, l);
  }
  Value from = t->index(lo), to = t->index(hi), by = t->index(step);
  APInt first, end;
  if (matchPattern(from, m_ConstantInt(&first)) && matchPattern(to, m_ConstantInt(&end)) &&
      !support::is_loop_of_i32(first.getSExtValue(), end.getSExtValue(), step.literal.integer))
    t->error(l) << "expected " << support::loop_range << ", got " << first.getSExtValue() << " to "
                << end.getSExtValue() << " by " << step.literal.integer;
  // Poisoned state stays poisoned inside; only good values are carried.
  SmallVector<Value> init;
  std::vector<size_t> good;
  for (size_t i = 0; i < carried.size(); ++i)
    if (Value v = t->use(carried[i], l)) {
      init.push_back(v);
      good.push_back(i);
    }
  KernelScope &kernel = t->kernel();
  auto loop = scf::ForOp::create(kernel.builder, t->at(l), from, to, by, init);
  carried.assign(carried.size(), t->poison());
  for (auto [i, argument] : llvm::zip(good, loop.getRegionIterArgs()))
    carried[i] = t->give(argument);
  kernel.loops.push_back({loop, good, l});
  if (init.empty()) // a terminator is there already
    loop.getBody()->getTerminator()->erase();
  kernel.builder.setInsertionPointToEnd(loop.getBody());
  return t->give(loop.getInductionVar());
}

std::vector<Handle> end_loop(const std::vector<Handle> &next) {
  Tracer *t = Tracer::active();
  std::vector<Handle> results(next.size(), t ? t->poison() : Handle());
  if (!t || !t->in_kernel() || t->kernel().loops.empty())
    return results;
  KernelScope &kernel = t->kernel();
  LoopScope scope = std::move(kernel.loops.back());
  kernel.loops.pop_back();
  auto loop = cast<scf::ForOp>(scope.op);
  SmallVector<Value> yielded(loop.getRegionIterArgs());
  for (auto [n, i] : llvm::enumerate(scope.carried)) {
    Value v = t->use(next[i], scope.loc);
    if (!v)
      continue;
    if (v.getType() != yielded[n].getType()) {
      auto diag = t->error(scope.loc) << "tile " << i << " of the loop's state enters as " << yielded[n].getType()
                                      << " but leaves the body as " << v.getType();
      diag.attachNote(v.getLoc()) << "the one that leaves comes from here";
      continue;
    }
    yielded[n] = v;
    results[i] = t->give(loop.getResult(n));
  }
  scf::YieldOp::create(kernel.builder, loop.getLoc(), yielded);
  kernel.builder.setInsertionPointAfter(loop);
  return results;
}

//===-- branches ------------------------------------------------------------------------------------------------===//

void begin_branch(const Input &condition, Location l) {
  Tracer *t = Tracer::active();
  if (!t || !t->need_kernel("a branch", l))
    return;
  Value taken = t->use(condition, Element::i1);
  KernelScope &kernel = t->kernel();
  if (!taken)
    taken = t->constant(Literal(1), t->type(Element::i1), l);
  // What it results in is known when both arms are; the operation is made again then.
  auto branch = scf::IfOp::create(kernel.builder, t->at(l), TypeRange(), taken, /*addThenBlock=*/true, /*addElseBlock=*/true);
  kernel.branches.push_back({branch, {}, l});
  kernel.builder.setInsertionPointToEnd(branch.thenBlock());
}

/// What an arm gives, where it ends; null for what is poisoned.
static std::vector<Value> use_all(Tracer &t, const std::vector<Handle> &state, const Location &l) {
  std::vector<Value> values;
  for (const Handle &h : state)
    values.push_back(t.use(h, l));
  return values;
}

void begin_other_arm(const std::vector<Handle> &result) {
  Tracer *t = Tracer::active();
  if (!t || !t->in_kernel() || t->kernel().branches.empty())
    return;
  BranchScope &scope = t->kernel().branches.back();
  scope.result = use_all(*t, result, scope.loc);
  t->kernel().builder.setInsertionPointToEnd(cast<scf::IfOp>(scope.op).elseBlock());
}

std::vector<Handle> end_branch(const std::vector<Handle> &result) {
  Tracer *t = Tracer::active();
  std::vector<Handle> results(result.size(), t ? t->poison() : Handle());
  if (!t || !t->in_kernel() || t->kernel().branches.empty())
    return results;
  KernelScope &kernel = t->kernel();
  BranchScope scope = std::move(kernel.branches.back());
  kernel.branches.pop_back();
  std::vector<Value> other = use_all(*t, result, scope.loc);
  SmallVector<Value> yes, no;
  std::vector<size_t> good;
  for (auto [i, a, b] : llvm::enumerate(scope.result, other)) {
    if (!a || !b)
      continue;
    if (a.getType() != b.getType()) {
      auto diag = t->error(scope.loc) << "tile " << i << " of a branch's result is " << a.getType() << " in the one arm and "
                                      << b.getType() << " in the other";
      diag.attachNote(a.getLoc()) << "the one comes from here";
      diag.attachNote(b.getLoc()) << "the other comes from here";
      continue;
    }
    yes.push_back(a);
    no.push_back(b);
    good.push_back(i);
  }
  auto open = cast<scf::IfOp>(scope.op);
  kernel.builder.setInsertionPoint(open);
  auto branch = scf::IfOp::create(kernel.builder, open.getLoc(), ValueRange(yes).getTypes(), open.getCondition(),
                                  /*addThenBlock=*/false, /*addElseBlock=*/false);
  auto close = [&](Region &from, Region &to, ValueRange values) {
    to.takeBody(from);
    kernel.builder.setInsertionPointToEnd(&to.front());
    scf::YieldOp::create(kernel.builder, open.getLoc(), values);
  };
  close(open.getThenRegion(), branch.getThenRegion(), yes);
  close(open.getElseRegion(), branch.getElseRegion(), no);
  open.erase();
  kernel.builder.setInsertionPointAfter(branch);
  for (auto [i, value] : llvm::zip(good, branch.getResults()))
    results[i] = t->give(value);
  return results;
}

} // namespace tilefold::detail
