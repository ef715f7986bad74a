// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds calls of the simulated machine, for one kernel; and the list of who turns which operations into such calls.
#pragma once
#include "codegen/Simulator/Machine/Abi.h"
#include "codegen/Simulator/Retarget/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace tilefold::sim {

/// A function of Abi.h: its name and, from its C++ type, the type of the MLIR declaration.
struct MachineFunction {
  llvm::StringRef name;
  mlir::Type (*type)(mlir::MLIRContext *);
};

template <class T> mlir::Type hostType(mlir::MLIRContext *context) {
  if constexpr (std::is_void_v<T>)
    return mlir::LLVM::LLVMVoidType::get(context);
  else if constexpr (std::is_pointer_v<T>)
    return mlir::LLVM::LLVMPointerType::get(context);
  else if constexpr (std::is_same_v<T, float>)
    return mlir::Float32Type::get(context);
  else
    return mlir::IntegerType::get(context, 8 * sizeof(T));
}
template <class F> struct HostFunction;
template <class R, class... A> struct HostFunction<R(A...)> {
  static mlir::Type type(mlir::MLIRContext *context) {
    return mlir::LLVM::LLVMFunctionType::get(hostType<R>(context), {hostType<A>(context)...});
  }
};

/// `MACHINE(barrier)`: the function tilefold_sim_barrier.
#define MACHINE(function)                                                                                                   \
  ::tilefold::sim::MachineFunction {                                                                                        \
    "tilefold_sim_" #function, &::tilefold::sim::HostFunction<decltype(tilefold_sim_##function)>::type                      \
  }

/// Inserts before one operation at a time.
class MachineCalls : public mlir::ImplicitLocOpBuilder {
public:
  explicit MachineCalls(mlir::LLVM::LLVMFuncOp kernel);

  /// What follows is inserted before `op`, which is its place in reports.
  void begin(mlir::Operation *op);
  /// Puts what was collected on the kernel.
  void finish();

  /// Enumerators, flags and numbers of 32 bits.
  template <class T> mlir::Value word(T value) { return constant(getI32Type(), int64_t(uint32_t(value))); }
  mlir::Value long_(uint64_t value) { return constant(getI64Type(), int64_t(value)); }
  mlir::Value wordOrConstant(mlir::Value value, uint32_t otherwise) { return value ? value : word(otherwise); }

  /// The value of a pointer, as the machine takes it: 64 bits of a global one, 32 of a shared one.
  mlir::Value address(mlir::Value pointer);
  mlir::Value shared(mlir::Value pointer);

  /// The same bits as another type of the same size.
  mlir::Value bits(mlir::Value value, mlir::Type type);
  /// A number of up to 64 bits, in the low bits of an i64; and back.
  mlir::Value widen(mlir::Value value);
  mlir::Value narrow(mlir::Value value, mlir::Type type);
  mlir::Value isNonzero(mlir::Value word);

  /// The site comes last and is added here. Null if the function returns nothing.
  mlir::Value call(MachineFunction function, mlir::ValueRange operands);

  /// Words of memory for operands that travel as arrays, from the kernel's frame; all operations share them.
  mlir::Value slot(unsigned firstWord, unsigned words);
  void store(mlir::ValueRange values, mlir::Value slot);
  llvm::SmallVector<mlir::Value> load(mlir::Type type, unsigned count, mlir::Value slot);
  /// A struct of values; the value itself if `type` is none.
  mlir::Value pack(mlir::Type type, mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> unpack(mlir::Value structure);

  /// What `body` builds happens only where the predicate holds; always, without one.
  void guarded(mlir::Value predicate, llvm::function_ref<void()> body);

  /// The position of a static array among those of the kernel.
  unsigned staticShared(mlir::LLVM::GlobalOp global);

private:
  uint32_t site();
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::FlatSymbolRefAttr declare(MachineFunction function);

  mlir::LLVM::LLVMFuncOp kernel;
  mlir::Operation *module;
  llvm::StringSet<> declared;
  llvm::SmallVector<mlir::Attribute> places;
  llvm::MapVector<mlir::Operation *, int64_t> statics;
  mlir::Operation *current = nullptr, *placed = nullptr; ///< the second: has its place already
  mlir::LLVM::AllocaOp scratch;
  unsigned scratchWords = 0;
};

/// What became of an operation.
enum class Outcome { NotMine, Done, Failed };

/// `'nvvm.xyz' is not modelled by the simulator`, with what about it if that is not the whole operation.
Outcome notModelled(mlir::Operation *op, const llvm::Twine &detail = "");
/// Uses of `op` become uses of `results`; `op` goes.
Outcome replace(mlir::Operation *op, mlir::ValueRange results = {});

// Each knows the operations of one part of the machine.
Outcome retargetArithmetic(mlir::Operation *op, MachineCalls &calls); // what a host computes otherwise
Outcome retargetMemory(mlir::Operation *op, MachineCalls &calls);     // loads, stores, atomics, fences, shared arrays
Outcome retargetRegisters(mlir::Operation *op, MachineCalls &calls);  // special registers, approximate math
Outcome retargetWarp(mlir::Operation *op, MachineCalls &calls);       // shuffles, votes, matrices of a warp
Outcome retargetBarriers(mlir::Operation *op, MachineCalls &calls);   // of blocks and clusters, mbarrier
Outcome retargetCopies(mlir::Operation *op, MachineCalls &calls);     // cp.async, TMA
Outcome retargetWgmma(mlir::Operation *op, MachineCalls &calls);      // products of a warpgroup

/// Before a use of what may be an accumulator in flight.
void checkUse(mlir::Value value, MachineCalls &calls);

} // namespace tilefold::sim
