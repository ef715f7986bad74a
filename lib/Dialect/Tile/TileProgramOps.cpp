// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Dialect/Tile/Formulas.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Dialect/Tile/VerifyTiles.h"
#include "lib/Dialect/Tile/ViewRoot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tilefold::tile;

//===-- programs and kernels: what both share -------------------------------------------------------------------===//

template <class Op> static void buildFunction(OpBuilder &builder, OperationState &state, StringRef name, TypeRange inputs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(Op::getFunctionTypeAttrName(state.name), TypeAttr::get(builder.getFunctionType(inputs, {})));
  Block &entry = state.addRegion()->emplaceBlock();
  for (Type type : inputs)
    entry.addArgument(type, state.location);
}

template <class Op> static ParseResult parseFunction(OpAsmParser &parser, OperationState &state) {
  auto type = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results, function_interface_impl::VariadicFlag,
                 std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(parser, state, /*allowVariadic=*/false,
                                                  Op::getFunctionTypeAttrName(state.name), type,
                                                  Op::getArgAttrsAttrName(state.name), Op::getResAttrsAttrName(state.name));
}

template <class Op> static void printFunction(Op op, OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
                                           op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

template <class Op> static StringRef argumentString(Op op, unsigned index, StringRef attribute) {
  auto value = op.template getArgAttrOfType<StringAttr>(index, attribute);
  return value ? value.getValue() : StringRef();
}

template <class Op>
static BlockArgument appendArgument(Op op, Type type, StringRef name, StringRef role, Location loc) {
  Builder builder(op.getContext());
  unsigned index = op.getNumArguments();
  (void)op.insertArgument(index, type,
                          builder.getDictionaryAttr({builder.getNamedAttr(kNameAttr, builder.getStringAttr(name)),
                                                     builder.getNamedAttr(kRoleAttr, builder.getStringAttr(role))}),
                          loc);
  return op.getArgument(index);
}

template <class Op> static LogicalResult verifyArguments(Op op, bool needNames) {
  llvm::StringSet<> seen;
  for (auto [index, type] : llvm::enumerate(op.getArgumentTypes())) {
    if (!isa<ViewType>(type) && !type.isF32() && !type.isInteger(32))
      return op.emitOpError("expected arguments that are views, f32 or i32, but argument ") << index << " is " << type;
    StringRef name = op.getArgumentName(index);
    if (needNames && name.empty())
      return op.emitOpError("expected '") << kNameAttr << "' on argument " << index;
    if (needNames && !seen.insert(name).second)
      return op.emitOpError("has two arguments named '") << name << "'";
  }
  if (op.getBody().empty() || !op.getBody().hasOneBlock())
    return op.emitOpError("expected a body of one block");
  return success();
}

void ProgramOp::build(OpBuilder &b, OperationState &s, StringRef name, TypeRange inputs) { buildFunction<ProgramOp>(b, s, name, inputs); }
void KernelOp::build(OpBuilder &b, OperationState &s, StringRef name, TypeRange inputs) { buildFunction<KernelOp>(b, s, name, inputs); }
ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &state) { return parseFunction<ProgramOp>(parser, state); }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) { return parseFunction<KernelOp>(parser, state); }
void ProgramOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }
void KernelOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }
StringRef ProgramOp::getArgumentName(unsigned index) { return argumentString(*this, index, kNameAttr); }
StringRef KernelOp::getArgumentName(unsigned index) { return argumentString(*this, index, kNameAttr); }
StringRef ProgramOp::getArgumentRole(unsigned index) { return argumentString(*this, index, kRoleAttr); }
StringRef KernelOp::getArgumentRole(unsigned index) { return argumentString(*this, index, kRoleAttr); }
BlockArgument ProgramOp::addArgument(Type type, StringRef name, StringRef role, Location loc) {
  return appendArgument(*this, type, name, role, loc);
}
BlockArgument KernelOp::addArgument(Type type, StringRef name, StringRef role, Location loc) {
  return appendArgument(*this, type, name, role, loc);
}

/// What a caller may do with an argument has to be said, and said so that the manifest can repeat it.
static LogicalResult verifyRoles(ProgramOp program) {
  for (auto [index, type] : llvm::enumerate(program.getArgumentTypes())) {
    bool isView = isa<ViewType>(type);
    StringRef role = program.getArgumentRole(index), roles = isView ? "input, output or inout" : "scalar";
    if (isView ? role == "input" || role == "output" || role == "inout" : role == "scalar")
      continue;
    InFlightDiagnostic diag = program.emitOpError("expected '") << kRoleAttr << "' of argument '" << program.getArgumentName(index)
                                                                << "' to be " << roles << ", got ";
    return role.empty() ? diag << "none" : diag << "'" << role << "'";
  }
  return success();
}

/// Workspaces and arguments share one space of names: formulas and parameters refer to both by name.
static LogicalResult verifyWorkspaceNames(ProgramOp program) {
  llvm::StringMap<Location> taken;
  for (BlockArgument argument : program.getBody().getArguments())
    taken.try_emplace(program.getArgumentName(argument.getArgNumber()), argument.getLoc());
  for (auto workspace : program.getBody().getOps<WorkspaceOp>()) {
    auto [other, isNew] = taken.try_emplace(workspace.getName(), workspace.getLoc());
    if (isNew)
      continue;
    InFlightDiagnostic diag = workspace.emitOpError("expected a name that no argument or workspace has, got '")
                              << workspace.getName() << "'";
    diag.attachNote(other->second) << "the other is here";
    return diag;
  }
  return success();
}

/// The error of a requirement says what a caller passed as the argument.
static LogicalResult verifyRequirements(ProgramOp program) {
  SmallVector<StringRef> names;
  for (unsigned index = 0; index < program.getNumArguments(); ++index)
    names.push_back(program.getArgumentName(index));
  for (auto require : program.getBody().getOps<RequireOp>()) {
    StringAttr name = require.getArgumentAttr(); // null in malformed text, of which the operation's own checks speak
    if (name && !llvm::is_contained(names, name.getValue()))
      return require.emitOpError("is about argument '") << name.getValue() << "', expected one of: " << llvm::join(names, ", ");
  }
  return success();
}

LogicalResult ProgramOp::verify() {
  if (failed(verifyArguments(*this, /*needNames=*/true)) || failed(verifyRoles(*this)))
    return failure();
  for (Operation &op : getBody().front())
    if (!isa<TileDialect, arith::ArithDialect>(op.getDialect()))
      return op.emitOpError("has no host formula; a program holds arith and tile operations");
  if (failed(verifyWorkspaceNames(*this)) || failed(verifyRequirements(*this)) || failed(verifyFormulas(*this)))
    return failure();
  return success();
}

/// Positions are signed. Steps that are known here; the interpreter checks the others.
static LogicalResult verifyLoops(KernelOp kernel) {
  WalkResult result = kernel.walk([](scf::ForOp loop) {
    if (loop.getUnsignedCmp()) {
      loop.emitOpError("expected a loop over signed positions, got an unsigned one");
      return WalkResult::interrupt();
    }
    APInt step;
    if (loop->getNumOperands() < 3 || !matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.isStrictlyPositive())
      return WalkResult::advance();
    loop.emitOpError("has step ") << step.getSExtValue() << ", expected at least 1";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// So that every access can be traced to an argument.
static LogicalResult verifyViews(KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    if (isa<SliceOp, NarrowOp>(op) || llvm::none_of(op->getResultTypes(), llvm::IsaPred<ViewType>))
      return WalkResult::advance();
    op->emitOpError("gives a view, expected views that tile.slice and tile.narrow take from arguments");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelOp::verify() {
  if (failed(verifyArguments(*this, /*needNames=*/false)) || failed(verifyViews(*this)) || failed(verifyTiles(*this)))
    return failure();
  return verifyLoops(*this);
}

//===-- program operations --------------------------------------------------------------------------------------===//

/// Those that are known here; a call checks the others.
static LogicalResult checkNotNegative(Operation *op, OperandRange extents) {
  for (auto [index, extent] : llvm::enumerate(extents))
    if (APInt value; matchPattern(extent, m_ConstantInt(&value)) && value.isNegative())
      return op->emitOpError("expected extents of 0 or more, but extent ") << index << " is " << value.getSExtValue();
  return success();
}

static LogicalResult checkExtents(Operation *op, Type view, OperandRange extents) {
  size_t rank = cast<ViewType>(view).getRank();
  if (rank == extents.size())
    return checkNotNegative(op, extents);
  return op->emitOpError("expected ") << rank << " extents for " << view << ", got " << extents.size();
}

LogicalResult ShapeOp::verify() { return checkExtents(*this, getView().getType(), getExtents()); }
LogicalResult WorkspaceOp::verify() { return checkExtents(*this, getView().getType(), getExtents()); }
LogicalResult LaunchOp::verify() { return checkNotNegative(*this, getOperands().take_front(3)); }

LogicalResult DevicePropertyOp::verify() {
  if (getName() == "multiprocessor_count")
    return success();
  return emitOpError("expected \"multiprocessor_count\", got \"") << getName() << "\"";
}

/// A kernel may store to what a launch passes, unless that is an input of the program.
static LogicalResult verifyStores(LaunchOp launch, KernelOp kernel) {
  auto program = cast<ProgramOp>(launch->getParentOp());
  WalkResult result = kernel.walk([&](StoreOp store) {
    BlockArgument root = findViewRoot(store.getView());
    if (!root || root.getOwner()->getParentOp() != kernel)
      return WalkResult::advance();
    auto passed = dyn_cast<BlockArgument>(launch.getInputs()[root.getArgNumber()]);
    if (!passed || program.getArgumentRole(passed.getArgNumber()) != "input")
      return WalkResult::advance();
    emitStoreToInput(store, program.getArgumentName(passed.getArgNumber())).attachNote(launch.getLoc()) << "passed here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("launches unknown kernel '") << getKernel() << "'";
  if (kernel.getNumArguments() != getInputs().size())
    return emitOpError("passes ") << getInputs().size() << " operands to '" << getKernel() << "', which takes "
                                  << kernel.getNumArguments();
  for (auto [index, operand] : llvm::enumerate(getInputs())) {
    Type given = operand.getType(), taken = kernel.getArgumentTypes()[index];
    bool narrowed = given.isInteger(64) && taken.isInteger(32);
    if (given != taken && !narrowed)
      return emitOpError("passes ") << given << " as operand " << index << " of '" << getKernel() << "', which takes " << taken;
  }
  return verifyStores(*this, kernel);
}
