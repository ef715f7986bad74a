// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Conversion/TileToBase/SharedPlan.h"
#include "lib/Analysis/Layout.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tilefold {

/// A view in terms of base values: address space 1 pointer, i32 extents, i64 strides in elements.
struct LoweredView {
  mlir::Value pointer;
  llvm::SmallVector<mlir::Value> extents, strides;
  mlir::Type element;
};

/// What has 16 bits is computed in f32 and rounded where the machine has no operation of that width that is as exact.
bool is16BitFloat(mlir::Type element);
/// f32, in the shape of a scalar or vector.
mlir::Type widen(mlir::Type type);

/// Lowers one kernel whose tiles have layouts to what a single thread does: a tile becomes a vector of the elements that
/// the thread holds, a view its pointer, extents and strides, a buffer an offset into dynamic shared memory.
///
/// One class because everything shares the maps from tile values to base values; its parts are in files of their own.
class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, mlir::gpu::GPUModuleOp module);
  /// Creates the gpu.func; reports an error on what has no lowering.
  mlir::LogicalResult run();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;
  using Location = mlir::Location;

  // KernelLowering.cpp: the function, its control flow, scalars.
  void createFunction();
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult lowerBranch(mlir::Block &from, mlir::Block &to);
  void startPrologue(Value threadIndex, Location loc);
  void deriveAnew(Location loc);
  void isolateWhatFollows(mlir::Operation &nest);
  /// While it lives, what depends on the thread alone may be derived anew, and nobody outside sees it.
  class OwnCoordinates;
  mlir::LogicalResult lowerProgramId(tile::ProgramIdOp op);
  mlir::Type convert(mlir::Type type);

  // LowerElementwise.cpp
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  mlir::LogicalResult lowerConstant(mlir::arith::ConstantOp op);
  Value lowerTanh(Value x, Location loc);

  // LowerRescaling.cpp
  static bool isLeftToProduct(mlir::arith::MulFOp op);
  Value lowerAccumulator(tile::DotOp op);

  // LowerTiles.cpp: operations that move elements between registers, lanes and warps.
  mlir::LogicalResult lowerReduce(tile::ReduceOp op);
  mlir::LogicalResult lowerAny(tile::AnyOp op);
  mlir::LogicalResult lowerIota(tile::IotaOp op);
  mlir::LogicalResult lowerSplat(tile::SplatOp op);
  mlir::LogicalResult lowerRearrangement(mlir::Operation *op,
                                         llvm::function_ref<tile::Layout::Coordinates(tile::Layout::Coordinates)> project);
  mlir::LogicalResult lowerConvertLayout(tile::ConvertLayoutOp op);
  Value combine(tile::ReduceKind kind, Value a, Value b, Location loc);
  Value shuffle(Value value, int64_t laneMask, Location loc);

  // LowerGlobal.cpp
  void lowerSlice(tile::SliceOp op);
  void lowerNarrow(tile::NarrowOp op);
  mlir::LogicalResult lowerLoad(tile::LoadOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  Value inBounds(const LoweredView &view, llvm::ArrayRef<Value> position, Location loc);
  Value address(const LoweredView &view, llvm::ArrayRef<Value> position, Location loc);
  Values position(const tile::Layout &layout, int64_t reg, mlir::ValueRange offsets, Location loc);

  // LowerCopies.cpp
  mlir::LogicalResult lowerCopyAsync(tile::CopyAsyncOp op);
  mlir::LogicalResult lowerCopy(tile::CopyOp op);
  Value loadChunk(const LoweredView &view, Value row, Value column, int64_t width, bool isAligned, Location loc);

  // LowerShared.cpp
  mlir::LogicalResult lowerAlloc(tile::AllocOp op);
  void lowerSlot(tile::SlotOp op);
  mlir::LogicalResult lowerRead(tile::ReadOp op);
  mlir::LogicalResult lowerWrite(tile::WriteOp op);
  Value sharedAddress(Value byteOffset, Location loc);
  /// Byte offset in shared memory of the element that the thread holds in register `reg` of a tile of `layout`.
  Value offsetInBuffer(mlir::Value buffer, const tile::Layout &layout, int64_t reg, Location loc);
  /// Byte offset of element (row, column) of a stored tile, both run-time values; the column starts a chunk-aligned run.
  Value swizzledOffset(tile::BufferType type, Value row, Value column, Location loc);

  // LowerDot.cpp
  mlir::LogicalResult lowerDot(tile::DotOp op);

  // Small builders.
  Value i32(int64_t value, Location loc);
  Value add(Value a, Value b, Location loc);
  Value mul(Value a, Value b, Location loc);
  Value extract(Value vector, int64_t index, Location loc);
  Value fromElements(mlir::ValueRange elements, Location loc);
  Value shuffleVector(Value vector, llvm::ArrayRef<int64_t> indices, Location loc);
  /// An i32 that is the same in every thread, said so that the machine can tell.
  Value uniform(Value value, Location loc);
  /// What lane and warp contribute to each coordinate of a layout; computed once, at the top of the function or branch.
  const Values &threadCoordinates(const tile::Layout &layout);
  Value weighDigits(mlir::OpBuilder &at, llvm::ArrayRef<tile::Digit> digits, Value index, int64_t dim);
  /// Several threads may hold the same element (digits of stride 0). Calls `store` for the first of them only: two threads
  /// that write the same place without an order between them are a race, whatever they write.
  void byFirstHolder(llvm::ArrayRef<tile::Digit> lanes, llvm::ArrayRef<tile::Digit> warps, Location loc,
                     llvm::function_ref<void()> store);
  void byFirstHolder(const tile::Layout &layout, Location loc, llvm::function_ref<void()> store) {
    byFirstHolder(layout.getAttribute().getLanes(), layout.getAttribute().getWarps(), loc, store);
  }

  tile::KernelOp kernel;
  mlir::gpu::GPUModuleOp module;
  mlir::gpu::GPUFuncOp function;
  mlir::OpBuilder builder;  // where the lowering is
  mlir::OpBuilder prologue; // values that every block may use
  int64_t warps;
  SharedPlan sharedPlan; // behind the scratch memory for exchanges between warps, which starts at 0

  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, LoweredView> views;
  llvm::DenseMap<mlir::Attribute, Values> coordinates;
  Value thread, lane, warp, sharedBase;
};

class KernelLowering::OwnCoordinates {
public:
  explicit OwnCoordinates(KernelLowering &lowering)
      : lowering(lowering), prologue(lowering.prologue), thread(lowering.thread), lane(lowering.lane), warp(lowering.warp),
        coordinates(lowering.coordinates) {}
  ~OwnCoordinates() { lowering.coordinates = std::move(coordinates); }

private:
  KernelLowering &lowering;
  mlir::OpBuilder::InsertionGuard prologue;
  llvm::SaveAndRestore<Value> thread, lane, warp;
  llvm::DenseMap<mlir::Attribute, Values> coordinates;
};

} // namespace tilefold
