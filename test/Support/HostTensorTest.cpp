// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/host_tensor.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilefold::support;

namespace {

HostTensor counting(DType dtype, Shape shape) {
  return make_tensor(dtype, std::move(shape), [](std::int64_t n) { return double(n); });
}

TEST(HostTensor, DenseLayout) {
  const HostTensor tensor = counting(DType::f16, {2, 3, 4});
  EXPECT_EQ(tensor.strides(), (Shape{12, 4, 1}));
  EXPECT_TRUE(tensor.dense());
  EXPECT_EQ(tensor.count(), 24);
  EXPECT_EQ(tensor.storage().size(), 48u);
  EXPECT_EQ(tensor.get(tensor.at({1, 2, 3})), 23);
}

TEST(HostTensor, ScalarAndEmpty) {
  HostTensor scalar(DType::f32, {});
  EXPECT_EQ(scalar.count(), 1);
  scalar.set(scalar.at({}), 2.5);
  EXPECT_EQ(scalar.to_f64(), std::vector<double>{2.5});
  const HostTensor empty(DType::f32, {3, 0, 5});
  EXPECT_EQ(empty.count(), 0);
  EXPECT_TRUE(empty.to_f64().empty());
  EXPECT_TRUE(same_bits(empty, empty.to_dense()));
}

TEST(HostTensor, StridesKeepValues) {
  const HostTensor tensor = counting(DType::i32, {2, 3, 4});
  auto strided = tensor.with_strides({1, 2, 7}, 5);
  ASSERT_TRUE(strided.ok()) << strided.message();
  EXPECT_FALSE(strided->dense());
  EXPECT_EQ(strided->storage().size(), 4u * (5 + 1 + 2 * 2 + 3 * 7 + 1));
  EXPECT_TRUE(same_bits(tensor, *strided));
  for (std::int64_t n = 0; n < 24; ++n)
    EXPECT_EQ(strided->get_int(strided->at_linear(n)), n);
}

TEST(HostTensor, BroadcastReadsOneElement) {
  auto tensor = HostTensor::create(DType::f32, {4, 3}, {0, 1});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->storage().size(), 12u);
  tensor->set(tensor->at({3, 1}), 7);
  EXPECT_EQ(tensor->to_f32(), (std::vector<float>{0, 7, 0, 0, 7, 0, 0, 7, 0, 0, 7, 0}));
  EXPECT_FALSE(counting(DType::f32, {4, 3}).with_strides({0, 1}).ok());
}

TEST(HostTensor, Permuted) {
  const HostTensor tensor = counting(DType::i64, {2, 3, 4});
  const HostTensor view = tensor.permuted({2, 0, 1});
  EXPECT_EQ(view.shape(), (Shape{4, 2, 3}));
  for (std::int64_t a = 0; a < 2; ++a)
    for (std::int64_t b = 0; b < 3; ++b)
      for (std::int64_t c = 0; c < 4; ++c)
        EXPECT_EQ(view.get_int(view.at({c, a, b})), tensor.get_int(tensor.at({a, b, c})));
  EXPECT_FALSE(view.dense());
  EXPECT_TRUE(view.to_dense().dense());
}

TEST(HostTensor, PoisonFillsGaps) {
  auto tensor = HostTensor::create(DType::bf16, {2, 2}, {4, 1}, 3);
  ASSERT_TRUE(tensor.ok());
  tensor->poison();
  for (std::byte byte : tensor->storage())
    EXPECT_EQ(byte, std::byte{0xff});
  for (DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    HostTensor floats(dtype, {3});
    floats.poison();
    EXPECT_TRUE(std::isnan(floats.get(1)));
  }
}

TEST(HostTensor, IntegersAreExact) {
  HostTensor tensor(DType::i64, {1});
  tensor.set_int(0, (std::int64_t(1) << 62) + 1);
  EXPECT_EQ(tensor.get_int(0), (std::int64_t(1) << 62) + 1);
  HostTensor bits(DType::i1, {1});
  bits.set(0, -3);
  EXPECT_EQ(bits.get_int(0), 1);
}

TEST(HostTensor, SameBitsTellsZerosAndTypesApart) {
  HostTensor plus(DType::f32, {1}), minus(DType::f32, {1});
  minus.set(0, -0.0);
  EXPECT_FALSE(same_bits(plus, minus));
  EXPECT_FALSE(same_bits(plus, HostTensor(DType::i32, {1})));
  EXPECT_FALSE(same_bits(plus, HostTensor(DType::f32, {1, 1})));
}

struct Misuse {
  const char *what;
  Shape shape, strides;
  std::int64_t offset;
  const char *message;
};
class CreateError : public testing::TestWithParam<Misuse> {};
TEST_P(CreateError, IsReported) {
  auto tensor = HostTensor::create(DType::f32, GetParam().shape, GetParam().strides, GetParam().offset);
  ASSERT_FALSE(tensor.ok());
  EXPECT_NE(tensor.message().find(GetParam().message), std::string::npos) << tensor.message();
}
constexpr std::int64_t big = std::int64_t(1) << 40;
INSTANTIATE_TEST_SUITE_P(
    HostTensor, CreateError,
    testing::Values(Misuse{"NegativeExtent", {2, -1}, {}, 0, "extents must not be negative"},
                    Misuse{"Overflow", {big, big}, {}, 0, "exceeds 64 bits"},
                    Misuse{"OverflowBesideZero", {big, big, 0}, {}, 0, "exceeds 64 bits"},
                    Misuse{"NegativeStride", {2, 2}, {2, -1}, 0, "tensor of shape [2, 2] has the strides [2, -1], that of dimension 1 is -1, expected 0 or more"},
                    Misuse{"StrideRank", {2, 2}, {1}, 0, "one stride for each extent"},
                    Misuse{"NegativeOffset", {2}, {}, -1, "offsets must not be negative"},
                    Misuse{"Reach", {3}, {std::int64_t(1) << 62}, 0, "more bytes than 64 bits"},
                    Misuse{"NoMemory", {big, 1 << 20}, {}, 0, "no memory"}),
    [](const auto &info) { return info.param.what; });

} // namespace
