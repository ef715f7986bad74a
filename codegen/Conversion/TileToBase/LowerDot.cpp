// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/KernelLowering.h"
#include <functional>

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

namespace {

/// Reads 16 x 16 blocks of a stored tile by ldmatrix.x4.
///
/// The address of a lane is a row (its own, plus a multiple of 8 that is the same for all) and a chunk (its own 0 or 1,
/// plus an even number that is the same for all), the chunk permuted by the row. Since only the low three bits of the row
/// take part in the permutation, chunk `2c + l` lies at `2c ^ (l ^ flip)`, where the bracket belongs to the lane alone.
/// Rows and buffers start at multiples of the permuted bits, so one address a lane is enough: the low bits of 2c are
/// flipped in it (at most four different ways), everything else is an immediate offset. That takes warps whose parts start
/// at multiples of the permuted chunks; where they do not (48 columns each of 96), 2c is added before the permutation.
class FragmentReader {
public:
  /// `position` turns an offset into the buffer into one into shared memory, `address` that into a pointer.
  /// `laneChunk` is a lane's own chunk plus a multiple of `warpChunks`.
  FragmentReader(OpBuilder &builder, Location loc, BufferType buffer, Value laneRow, Value laneChunk, int64_t warpChunks,
                 std::function<Value(Value)> position, std::function<Value(Value)> address)
      : builder(builder), loc(loc), laneChunk(laneChunk), position(std::move(position)), address(std::move(address)) {
    ArrayRef<int64_t> shape = buffer.getShape();
    rowBytes = shape[buffer.getTransposed() ? shape.size() - 2 : shape.size() - 1] * 2;
    SwizzleAttr swizzle = buffer.getSwizzle();
    int64_t mask = (1 << swizzle.getBits()) - 1;
    flip = arith::AndIOp::create(builder, loc, arith::ShRUIOp::create(builder, loc, laneRow, constant(swizzle.getShift())),
                                 constant(mask));
    rowStart = arith::MulIOp::create(builder, loc, laneRow, constant(rowBytes));
    period = std::max<int64_t>(2, mask + 1);
    hasOwnPlace = warpChunks % period == 0;
    if (hasOwnPlace)
      ownPlace = placeOf(laneChunk);
    addresses.resize(period / 2);
  }

  /// How many blocks of 16 columns have addresses of their own; then the same return, further along the row.
  int64_t getPeriod() const { return period / 2; }

  /// The four 8 x 8 matrices of the block whose first stored row is `row` and whose first chunk is `chunk`.
  SmallVector<Value, 4> read(int64_t row, int64_t chunk, bool transpose) {
    int64_t constantPart = row * rowBytes + chunk / period * period * 16;
    Value base = addressOf(chunk % period);
    Value address = LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                                        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(constantPart)});
    Type word = builder.getI32Type();
    auto all = LLVM::LLVMStructType::getLiteral(builder.getContext(), {word, word, word, word});
    MLIRContext *context = builder.getContext();
    Value loaded = NVVM::LdMatrixOp::create(
        builder, loc, all, address, 4, transpose ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8), NVVM::LdStMatrixEltType::B16);
    SmallVector<Value, 4> words;
    for (int64_t i = 0; i < 4; ++i)
      words.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, i));
    return words;
  }

private:
  Value constant(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value)); }

  Value placeOf(Value chunk) {
    Value own = arith::XOrIOp::create(builder, loc, chunk, flip);
    return position(arith::AddIOp::create(builder, loc, rowStart, arith::MulIOp::create(builder, loc, own, constant(16))));
  }

  /// Made where it is first needed, so that a lane holds few at a time.
  Value addressOf(int64_t chunk) {
    Value &known = addresses[chunk / 2];
    if (!known)
      known = address(hasOwnPlace ? Value(arith::XOrIOp::create(builder, loc, ownPlace, constant(chunk * 16)))
                                  : placeOf(builder.createOrFold<arith::AddIOp>(loc, laneChunk, constant(chunk))));
    return known;
  }

  OpBuilder &builder;
  Location loc;
  Value laneChunk, flip, rowStart, ownPlace;
  std::function<Value(Value)> position, address;
  int64_t rowBytes, period;
  bool hasOwnPlace;
  SmallVector<Value> addresses;
};

} // namespace

/// mma.m16n8k16 over the part of the product that this warp owns: for each block of 16 along K, fragments of the left
/// operand for all its rows, then of the right operand for 16 columns at a time.
LogicalResult KernelLowering::lowerDot(DotOp op) {
  Location loc = op.getLoc();
  auto accType = op.getAcc().getType();
  int64_t m = accType.getDimSize(0), n = accType.getDimSize(1);
  auto shapeOf = [](Value v) {
    auto buffer = dyn_cast<BufferType>(v.getType());
    return buffer ? buffer.getShape() : cast<RankedTensorType>(v.getType()).getShape();
  };
  auto elementOf = [](Value v) {
    auto buffer = dyn_cast<BufferType>(v.getType());
    return buffer ? buffer.getElementType() : cast<RankedTensorType>(v.getType()).getElementType();
  };
  int64_t k = shapeOf(op.getA())[1];
  Type element = elementOf(op.getA());
  WarpGrid grid = WarpGrid::forProduct(m, warps);
  int64_t rowTiles = m / grid.rows / 16, columnTiles = n / grid.columns / 8, steps = k / 16;
  if (columnTiles % 2)
    return op.emitError("expected a multiple of 16 columns for each warp, got ") << columnTiles * 8;

  auto bit = [&](int64_t position) -> Value {
    Value shifted = arith::ShRUIOp::create(builder, loc, lane, i32(position, loc));
    return arith::AndIOp::create(builder, loc, shifted, i32(1, loc));
  };
  auto lowRow = [&](Value upper) { // lane % 8, plus 8 where `upper` is set
    return add(arith::AndIOp::create(builder, loc, lane, i32(7, loc)), mul(upper, i32(8, loc), loc), loc);
  };
  Value warpRow = grid.columns == 1 ? warp : Value(arith::RemUIOp::create(builder, loc, warp, i32(grid.rows, loc)));
  Value warpColumn = grid.columns == 1 ? i32(0, loc) : Value(arith::DivUIOp::create(builder, loc, warp, i32(grid.rows, loc)));

  // A warp's part of a stored operand starts at a multiple of 16 rows or columns.
  auto reader = [&](Value operand, Value laneRow, Value laneChunk, Value warpIndex, int64_t extent, bool partIsRows) {
    auto buffer = cast<BufferType>(operand.getType());
    Value base = values.lookup(operand);
    Value start = mul(warpIndex, i32(extent, loc), loc);
    if (partIsRows)
      laneRow = add(laneRow, start, loc);
    else
      laneChunk = add(laneChunk, arith::DivUIOp::create(builder, loc, start, i32(8, loc)), loc);
    return FragmentReader(builder, loc, buffer, laneRow, laneChunk, partIsRows ? 0 : extent / 8,
                          [=, this](Value offset) { return add(base, offset, loc); },
                          [=, this](Value position) { return sharedAddress(position, loc); });
  };
  auto asOperand = [&](Value word) -> Value {
    return element.isF16() ? Value(LLVM::BitcastOp::create(builder, loc, VectorType::get({2}, element), word)) : word;
  };
  // Two neighbouring registers of a tile in operand layout.
  auto pairOf = [&](Value tile, int64_t first) -> Value {
    Value pair = vector::ExtractStridedSliceOp::create(builder, loc, tile, first, 2, 1);
    return element.isF16() ? pair : Value(LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), pair));
  };

  // Matrices of a left block: rows 0-7 and 8-15 of the first eight columns, then of the second eight.
  std::optional<FragmentReader> left, right;
  bool leftTransposed = false, rightTransposed = false;
  if (auto buffer = dyn_cast<BufferType>(op.getA().getType())) {
    leftTransposed = buffer.getTransposed();
    left.emplace(leftTransposed ? reader(op.getA(), lowRow(bit(4)), bit(3), warpRow, m / grid.rows, false)
                          : reader(op.getA(), lowRow(bit(3)), bit(4), warpRow, m / grid.rows, true));
  }
  // Matrices of a right block: the first and second eight along K of eight columns, then of the next eight.
  if (auto buffer = dyn_cast<BufferType>(op.getB().getType())) {
    rightTransposed = buffer.getTransposed();
    right.emplace(rightTransposed ? reader(op.getB(), lowRow(bit(4)), bit(3), warpColumn, n / grid.columns, true)
                            : reader(op.getB(), lowRow(bit(3)), bit(4), warpColumn, n / grid.columns, false));
  }

  // Fragments that are in registers are packed before anything else: see lowerAccumulator.
  SmallVector<SmallVector<Value, 4>> packed;
  if (!left)
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t tile = 0; tile < rowTiles; ++tile) {
        packed.emplace_back();
        for (int64_t i = 0; i < 4; ++i)
          packed.back().push_back(pairOf(values.lookup(op.getA()), 8 * (step + steps * tile) + 2 * i));
      }
  Value accumulator = lowerAccumulator(op);

  // Steps whose columns are read at the same addresses follow each other: a lane then needs one address of each operand.
  auto order = llvm::to_vector(llvm::seq(steps));
  if (left && !leftTransposed && rightTransposed) {
    auto rank = [period = left->getPeriod()](int64_t step) { return std::pair(step % period, step); };
    llvm::sort(order, [&](int64_t a, int64_t b) { return rank(a) < rank(b); });
  }
  SmallVector<Value> acc;
  for (int64_t r = 0; r < 4 * rowTiles * columnTiles; ++r)
    acc.push_back(extract(accumulator, r, loc));
  Type f32 = builder.getF32Type();
  auto resultType = LLVM::LLVMStructType::getLiteral(builder.getContext(), {f32, f32, f32, f32});
  NVVM::MMATypes multiplicand = element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;

  for (int64_t step : order) {
    SmallVector<SmallVector<Value, 4>> leftFragments;
    for (int64_t tile = 0; tile < rowTiles; ++tile) {
      SmallVector<Value, 4> words;
      if (left) {
        words = leftTransposed ? left->read(step * 16, tile * 2, true) : left->read(tile * 16, step * 2, false);
        for (Value &word : words)
          word = asOperand(word);
      } else
        words = packed[step * rowTiles + tile];
      leftFragments.push_back(words);
    }
    for (int64_t column = 0; column < columnTiles; column += 2) {
      SmallVector<Value, 4> words;
      if (right) {
        words = rightTransposed ? right->read(column * 8, step * 2, false) : right->read(step * 16, column, true);
        for (Value &word : words)
          word = asOperand(word);
      } else
        for (int64_t i = 0; i < 4; ++i)
          words.push_back(pairOf(values.lookup(op.getB()), 4 * (step + steps * (column + i / 2)) + 2 * (i % 2)));
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t tile = 0; tile < rowTiles; ++tile) {
          int64_t first = 4 * (column + half + columnTiles * tile);
          Value product = NVVM::MmaOp::create(
              builder, loc, resultType, leftFragments[tile], ArrayRef<Value>(words).slice(2 * half, 2),
              ArrayRef<Value>(acc).slice(first, 4), ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
              std::array<NVVM::MMATypes, 2>{multiplicand, multiplicand},
              std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
          for (int64_t i = 0; i < 4; ++i)
            acc[first + i] = LLVM::ExtractValueOp::create(builder, loc, product, i);
        }
    }
  }
  values[op.getResult()] = fromElements(acc, loc);
  return success();
}
