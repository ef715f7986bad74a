// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/build.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <array>
#include <optional>

/// Internal to dsl/*.cpp: the state of one trace.
namespace tilefold::detail {

/// A loop whose body is being traced.
struct LoopScope {
  mlir::Operation *op;
  std::vector<size_t> carried; // which of the state's tiles are good and carried
  Location loc;
};

/// A branch of which an arm is being traced.
struct BranchScope {
  mlir::Operation *op;
  std::vector<mlir::Value> result; // of the first arm, once that is complete
  Location loc;
};

/// The kernel being traced. Host values that its body uses become arguments on first use.
struct KernelScope {
  tile::KernelOp op;
  mlir::OpBuilder builder;
  mlir::Location loc;
  std::array<mlir::Value, 3> grid;
  llvm::DenseMap<mlir::Value, mlir::Value> imports = llvm::DenseMap<mlir::Value, mlir::Value>(); // host value -> ours
  llvm::SmallVector<mlir::Value> operands = {}; // of the launch, in argument order
  mlir::Operation *last_import = nullptr;       // imported values are computed at the kernel's start, in order
  std::vector<LoopScope> loops = {};
  std::vector<BranchScope> branches = {};
};

class Tracer {
public:
  Tracer(mlir::MLIRContext &context, llvm::StringRef name, Location l);
  ~Tracer();
  Tracer(const Tracer &) = delete;

  /// The trace of this thread. Outside of one there is nothing to emit into.
  static Tracer *active();

  /// Ends an open kernel and the program; null if anything was wrong.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

  mlir::MLIRContext *context() { return module_->getContext(); }
  mlir::Location at(const Location &l);
  mlir::InFlightDiagnostic error(const Location &l) { return error(at(l)); }
  mlir::InFlightDiagnostic error(mlir::Location l);
  /// An error that is told once, however often the code that finds it runs.
  void refuse(llvm::StringRef message, const Location &l);
  bool failed() const { return failed_; }

  bool in_kernel() const { return kernel_.has_value() && !on_host_; }
  KernelScope &kernel() { return *kernel_; }
  /// Where the next operation goes: the kernel's current block or the end of the program.
  mlir::OpBuilder &builder() { return in_kernel() ? kernel_->builder : host_; }
  /// Whether a kernel is open; reports that `what` belongs into one otherwise.
  bool need_kernel(llvm::StringRef what, const Location &l);

  /// The value of a handle where it is used now: host values enter the kernel here. Null if poisoned or misused (reported).
  mlir::Value use(const Handle &h, const Location &l);
  mlir::Value use(const Input &x, Element element);
  /// i64 formula or i32 position; a neutral constant if it is poisoned, so that tracing can go on.
  mlir::Value index(const Input &x, int64_t neutral = 0);
  Handle give(mlir::Value v) const { return {v ? v.getAsOpaquePointer() : nullptr, id_}; }
  Handle poison() const { return {nullptr, id_}; }

  mlir::Type type(Element element);
  mlir::Type type(Element element, llvm::ArrayRef<int64_t> shape);
  /// A constant of a scalar or tile type; null if the number does not fit (reported).
  mlir::Value constant(const Literal &literal, mlir::Type type, const Location &l);
  /// The attribute of a number; null if it does not fit (reported).
  mlir::TypedAttr number(const Literal &literal, mlir::Type type, const Location &l);

  // Declarations and kernels (program.cpp).
  Handle argument(llvm::StringRef name, llvm::StringRef role, mlir::Type type, const Literal *fallback, const Location &l);
  Handle workspace(llvm::StringRef name, mlir::Type type, const Inputs &extents, bool zero_once, const Location &l);
  std::vector<Handle> begin_kernel(std::optional<llvm::StringRef> name, const Inputs &grid, const Location &l);
  void end_kernel();
  tile::ProgramOp program() { return program_; }

  /// Emits on the host side while it lives.
  struct HostScope {
    explicit HostScope(Tracer &t) : tracer(t), before(t.on_host_) { t.on_host_ = true; }
    ~HostScope() { tracer.on_host_ = before; }
    Tracer &tracer;
    bool before;
  };

private:
  struct Declaration {
    mlir::Value value;
    std::string role;
  };
  mlir::Value import(mlir::Value host, const Location &l);
  mlir::Value import_argument(mlir::Value host, mlir::Type type, llvm::StringRef name, llvm::StringRef role, mlir::Location loc);
  void check_default(mlir::Value scalar, const Literal *fallback, const Location &l);
  void close_kernel();
  void check_requirements();
  bool check_name(llvm::StringRef name, llvm::StringRef what, const Location &l);

  unsigned id_;
  Tracer *outer_;
  Location location_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  tile::ProgramOp program_;
  mlir::OpBuilder host_;
  std::optional<KernelScope> kernel_;
  bool on_host_ = false, failed_ = false;
  bool single_ = false;   // the open kernel was started by grid()
  bool launched_ = false; // a kernel was launched
  int skipped_ = 0;       // launches that were refused and whose end is still to come
  llvm::StringMap<Declaration> declarations_;
  llvm::StringSet<> kernel_names_;
  llvm::StringSet<> refused_;
};

/// The extents of a tile; none for a scalar.
llvm::ArrayRef<int64_t> shape_of(mlir::Value v);

} // namespace tilefold::detail
