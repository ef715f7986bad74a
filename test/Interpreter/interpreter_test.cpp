// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What IR alone cannot check: the vector forms of the 16-bit conversions against the exact ones of support/dtype.h, progress,
// names of arguments.
#include "lib/Dialect/Tile/TileDialect.h"
#include "lib/Interpreter/Interpreter.h"
#include "lib/Interpreter/Kernel.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <gtest/gtest.h>

#include <vector>

using namespace tilefold;
using support::DType;
using support::HostTensor;

namespace {

/// Every 16-bit pattern as the upper half of an fp32 number, with lower halves that lie on, beside and between the ties.
std::vector<float> numbers() {
  std::vector<float> all;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper)
    for (std::uint32_t lower : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x5555u, 0x7fffu, 0x8000u, 0x8001u, 0xefffu, 0xf000u, 0xf001u, 0xffffu})
      all.push_back(support::bit_copy<float>(upper << 16 | lower));
  return all;
}

void compare(interpreter::Rounding rounding, DType dtype) {
  std::vector<float> values = numbers(), rounded = values;
  interpreter::roundAll(rounded.data(), rounded.size(), rounding);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(support::bit_copy<std::uint32_t>(rounded[i]), support::bit_copy<std::uint32_t>(support::round_to(dtype, values[i])))
        << values[i];
}

TEST(Rounding, F16) { compare(interpreter::Rounding::F16, DType::f16); }
TEST(Rounding, BF16) { compare(interpreter::Rounding::BF16, DType::bf16); }

/// Copies a tensor of every bit pattern through a kernel, by rows of `extent`.
void copyAll(DType dtype, const std::string &type) {
  mlir::DialectRegistry registry;
  registry.insert<tile::TileDialect, mlir::arith::ArithDialect>();
  mlir::MLIRContext context(registry);
  std::string text = R"(
    tile.program @copy(%x: !tile.view<1xT> {tile.name = "x", tile.role = "input"}, %y: !tile.view<1xf32> {tile.name = "y", tile.role = "output"}) {
      %n = tile.size %x, 0 : !tile.view<1xT> -> i64
      tile.shape %y [%n] : !tile.view<1xf32>
      %c = arith.constant 256 : i64
      %one = arith.constant 1 : i64
      tile.launch @k grid(%c, %one, %one) (%x, %y) : !tile.view<1xT>, !tile.view<1xf32>
      tile.return
    }
    tile.kernel @k(%x: !tile.view<1xT>, %y: !tile.view<1xf32>) {
      %i = tile.program_id 0
      %c = arith.constant 256 : i32
      %first = arith.muli %i, %c : i32
      %t = tile.load %x [%first] : !tile.view<1xT> -> tensor<256xT>
      %w = arith.extf %t : tensor<256xT> to tensor<256xf32>
      tile.store %w, %y [%first] : tensor<256xf32>, !tile.view<1xf32>
      tile.return
    })";
  for (std::size_t at; (at = text.find("xT")) != std::string::npos;)
    text.replace(at, 2, "x" + type);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  for (std::int64_t stride : {1, 2}) {
    auto x = HostTensor::create(dtype, {65536}, {stride});
    ASSERT_TRUE(x.ok());
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      const auto half = std::uint16_t(bits);
      std::memcpy(x->data() + 2 * bits * stride, &half, 2);
    }
    ProgramArguments arguments;
    arguments.tensors = {{"x", *x}};
    const support::Status status = interpret(*module, arguments);
    ASSERT_TRUE(status.ok()) << status.message();
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      float actual;
      std::memcpy(&actual, arguments.tensors["y"].data() + 4 * bits, 4);
      const float expected = dtype == DType::f16 ? support::f16_to_f32(std::uint16_t(bits)) : support::bf16_to_f32(std::uint16_t(bits));
      ASSERT_EQ(support::bit_copy<std::uint32_t>(actual), support::bit_copy<std::uint32_t>(expected)) << bits << " stride " << stride;
    }
  }
}

TEST(Loads, EveryF16) { copyAll(DType::f16, "f16"); }
TEST(Loads, EveryBF16) { copyAll(DType::bf16, "bf16"); }

TEST(Progress, CountsInstances) {
  mlir::DialectRegistry registry;
  registry.insert<tile::TileDialect, mlir::arith::ArithDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    tile.program @twice() {
      %n = arith.constant 10 : i64
      %one = arith.constant 1 : i64
      tile.launch @k grid(%n, %one, %one) ()
      tile.launch @k grid(%one, %n, %one) ()
      tile.return
    }
    tile.kernel @k() {
      tile.return
    })", &context);
  ASSERT_TRUE(module);
  std::int64_t calls = 0, last = 0;
  InterpreterOptions options;
  options.progress = [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, 20);
    EXPECT_EQ(done, last + 1);
    last = done;
    ++calls;
  };
  ProgramArguments none;
  ASSERT_TRUE(interpret(*module, none, options).ok());
  EXPECT_EQ(calls, 20);
}

TEST(Arguments, UnknownNames) {
  mlir::DialectRegistry registry;
  registry.insert<tile::TileDialect, mlir::arith::ArithDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(tile.program @p(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"}, %s: f32 {tile.name = "s", tile.role = "scalar", tile.default = 1.0 : f32}) { tile.return })",
      &context);
  ASSERT_TRUE(module);
  ProgramArguments arguments;
  arguments.tensors["y"] = HostTensor(DType::f32, {1});
  EXPECT_EQ(interpret(*module, arguments).message(), "argument 'y' is unknown; program 'p' takes x, s");
  arguments.tensors.clear();
  arguments.scalars["z"] = 1;
  EXPECT_EQ(interpret(*module, arguments).message(), "argument 'z' is unknown; program 'p' takes x, s");
}

TEST(Arguments, Modules) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect>();
  ProgramArguments none;
  auto empty = mlir::parseSourceString<mlir::ModuleOp>("module {}", &context);
  EXPECT_EQ(interpret(*empty, none).message(), "the module has no tile.program, expected one");
  auto two = mlir::parseSourceString<mlir::ModuleOp>("tile.program @a() { tile.return } tile.program @b() { tile.return }", &context);
  ASSERT_TRUE(two);
  EXPECT_EQ(interpret(*two, none).message(), "the module has programs 'a' and 'b', expected one");
}

} // namespace
