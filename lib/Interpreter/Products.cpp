// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile.dot and tile.weigh: fp32 accumulators, K ascending in blocks of 16, each block summed in fp64.
#include "lib/Interpreter/Clones.h"
#include "lib/Interpreter/Kernel.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

constexpr std::int64_t kBlock = 16;  ///< of K, as `mma.m16n8k16` takes it
constexpr std::int64_t kRows = 4;    ///< accumulators of one inner loop: 4 x 8 doubles fit 8 registers of 4
constexpr std::int64_t kColumns = 8;

/// result[rows x kColumns] += a[rows x depth] * b[depth x kColumns]: one block of K. Two fp32 factors have an exact fp64
/// product, so that a fused multiply-add gives the same bits as two operations.
template <int Rows>
inline __attribute__((always_inline)) void addBlock(const float *__restrict a, std::int64_t aStride,
                                                    const double *__restrict b, std::int64_t bStride,
                                                    std::int64_t depth, float *__restrict result,
                                                    std::int64_t resultStride) {
  double sums[Rows][kColumns] = {};
  for (std::int64_t k = 0; k < depth; ++k)
    for (int r = 0; r < Rows; ++r) {
      const double factor = a[r * aStride + k];
      for (int c = 0; c < kColumns; ++c)
        sums[r][c] += factor * b[k * bStride + c];
    }
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < kColumns; ++c)
      result[r * resultStride + c] = float(double(result[r * resultStride + c]) + sums[r][c]);
}

/// result (m x n) += a (m x k) b (k x n); `n` is padded to a multiple of kColumns in `b` and `result`.
TILEFOLD_CLONES void product(const float *a, const double *b, float *result, std::int64_t m, std::int64_t k, std::int64_t n) {
  for (std::int64_t c = 0; c < n; c += kColumns)
    for (std::int64_t r = 0; r < m; r += kRows)
      for (std::int64_t k0 = 0; k0 < k; k0 += kBlock) {
        const std::int64_t depth = std::min(kBlock, k - k0);
        const float *rows = a + r * k + k0;
        const double *block = b + k0 * n + c;
        float *out = result + r * n + c;
        if (m - r >= kRows)
          addBlock<kRows>(rows, k, block, n, depth, out, n);
        else
          for (std::int64_t rest = 0; rest < m - r; ++rest)
            addBlock<1>(rows + rest * k, k, block, n, depth, out + rest * n, n);
      }
}

std::int64_t padded(std::int64_t n) { return (n + kColumns - 1) / kColumns * kColumns; }

/// out = acc + a b for dense operands.
void multiply(const float *a, const float *b, const float *acc, float *out, std::int64_t m, std::int64_t k, std::int64_t n,
              Frame &frame) {
  const std::int64_t width = padded(n);
  frame.wide.resize(k * width);
  for (std::int64_t row = 0; row < k; ++row) {
    double *to = frame.wide.data() + row * width;
    for (std::int64_t c = 0; c < n; ++c)
      to[c] = b[row * n + c];
    std::fill(to + n, to + width, 0.0);
  }
  if (width == n) {
    std::copy_n(acc, m * n, out);
    product(a, frame.wide.data(), out, m, k, n);
    return;
  }
  frame.spare.assign(m * width, 0);
  for (std::int64_t row = 0; row < m; ++row)
    std::copy_n(acc + row * n, n, frame.spare.data() + row * width);
  product(a, frame.wide.data(), frame.spare.data(), m, k, width);
  for (std::int64_t row = 0; row < m; ++row)
    std::copy_n(frame.spare.data() + row * width, n, out + row * n);
}

/// The operand as a dense tile; a buffer is copied into `space`.
const float *dense(const Slot &slot, Frame &frame, std::vector<float> &space) {
  if (slot.storage != Storage::Buffer)
    return frame.at<float>(slot);
  const Buffer buffer = frame.scalar<Buffer>(slot);
  const std::int64_t rows = slot.shape[0], columns = slot.shape[1];
  const float *data = reinterpret_cast<const float *>(buffer.data);
  space.resize(rows * columns);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      space[r * columns + c] = data[r * buffer.rowStride + c * buffer.columnStride];
  return space.data();
}

bool runDot(const Instruction &i, Frame &frame) {
  const float *a = dense(i.in[0], frame, frame.a), *b = dense(i.in[1], frame, frame.b);
  multiply(a, b, frame.at<float>(i.in[2]), frame.at<float>(i.out[0]), i.in[0].shape[0], i.in[0].shape[1], i.in[1].shape[1],
           frame);
  return true;
}

/// A row of values that a row does not see must not change one of its bits. With finite values, a weight of +0 does that:
/// sums start at +0, to which +-0 adds nothing. Non-finite values are replaced by 0 first, and then poison their column in
/// the rows that see them. A row that sees no value at all keeps its accumulator, -0 included.
bool runWeigh(const Instruction &i, Frame &frame) {
  const std::int64_t m = i.in[0].shape[0], k = i.in[0].shape[1], n = i.in[2].shape[1];
  const float *weights = frame.at<float>(i.in[0]), *values = frame.at<float>(i.in[2]), *acc = frame.at<float>(i.in[3]);
  const std::uint8_t *visible = frame.at<std::uint8_t>(i.in[1]);
  float *out = frame.at<float>(i.out[0]);

  frame.a.resize(m * k);
  for (std::int64_t e = 0; e < m * k; ++e)
    frame.a[e] = visible[e] ? weights[e] : 0.0f;
  bool finite = true;
  for (std::int64_t e = 0; e < k * n; ++e)
    finite &= std::isfinite(values[e]);
  const float *factors = values;
  if (!finite) {
    frame.b.assign(values, values + k * n);
    for (float &value : frame.b)
      value = std::isfinite(value) ? value : 0.0f;
    factors = frame.b.data();
  }
  multiply(frame.a.data(), factors, acc, out, m, k, n, frame);

  for (std::int64_t row = 0; row < m; ++row)
    if (!std::memchr(visible + row * k, 1, k))
      std::copy_n(acc + row * n, n, out + row * n);
  if (finite)
    return true;
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t c = 0; c < n; ++c) {
      const float value = values[j * n + c];
      if (std::isfinite(value))
        continue;
      for (std::int64_t row = 0; row < m; ++row)
        if (visible[row * k + j])
          out[row * n + c] += frame.a[row * k + j] * value;
    }
  return true;
}

} // namespace

Executor dotExecutor(Instruction &i) {
  if (isa<tile::DotOp, tile::WeighOp>(i.op)) {
    for (Value operand : i.op->getOperands()) {
      Type type = operand.getType();
      Type element = isa<tile::BufferType>(type) ? cast<tile::BufferType>(type).getElementType()
                                                 : cast<RankedTensorType>(type).getElementType();
      if (!element.isFloat() && !element.isInteger(1))
        return nullptr;
    }
    return isa<tile::DotOp>(i.op) ? &runDot : &runWeigh;
  }
  return nullptr;
}

} // namespace tilefold::interpreter
