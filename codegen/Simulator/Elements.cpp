// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Elements.h"
#include "support/dtype.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace tilefold;
using namespace tilefold::sim;

std::optional<ElementType> tilefold::sim::parseElementType(StringRef name) {
  return StringSwitch<std::optional<ElementType>>(name)
      .Case("i8", ElementType::I8)
      .Case("u8", ElementType::U8)
      .Case("i16", ElementType::I16)
      .Case("u16", ElementType::U16)
      .Case("i32", ElementType::I32)
      .Case("u32", ElementType::U32)
      .Case("i64", ElementType::I64)
      .Case("u64", ElementType::U64)
      .Case("f16", ElementType::F16)
      .Case("bf16", ElementType::BF16)
      .Case("f32", ElementType::F32)
      .Case("f64", ElementType::F64)
      .Default(std::nullopt);
}

StringRef tilefold::sim::name(ElementType type) {
  static constexpr StringLiteral names[] = {"i8",  "u8",  "i16", "u16",  "i32", "u32",
                                            "i64", "u64", "f16", "bf16", "f32", "f64"};
  return names[unsigned(type)];
}

unsigned tilefold::sim::byteSize(ElementType type) {
  static constexpr unsigned sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return sizes[unsigned(type)];
}

static bool isFloat(ElementType type) { return type >= ElementType::F16; }

/// Calls `use` with a number of the C++ type of an integer type.
template <class F> static auto withInteger(ElementType type, F use) {
  switch (type) {
  case ElementType::I8:
    return use(int8_t());
  case ElementType::U8:
    return use(uint8_t());
  case ElementType::I16:
    return use(int16_t());
  case ElementType::U16:
    return use(uint16_t());
  case ElementType::I32:
    return use(int32_t());
  case ElementType::U32:
    return use(uint32_t());
  case ElementType::U64:
    return use(uint64_t());
  default:
    return use(int64_t());
  }
}

static void appendBits(uint64_t bits, unsigned size, std::vector<uint8_t> &bytes) {
  for (unsigned i = 0; i < size; ++i)
    bytes.push_back(uint8_t(bits >> 8 * i));
}

static uint64_t bitsOf(ElementType type, const uint8_t *element) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < byteSize(type); ++i)
    bits |= uint64_t(element[i]) << 8 * i;
  return bits;
}

static double floatOf(ElementType type, const uint8_t *element) {
  uint64_t bits = bitsOf(type, element);
  switch (type) {
  case ElementType::F16:
    return support::f16_to_f32(uint16_t(bits));
  case ElementType::BF16:
    return support::bf16_to_f32(uint16_t(bits));
  case ElementType::F32:
    return support::bit_copy<float>(uint32_t(bits));
  default:
    return support::bit_copy<double>(bits);
  }
}

bool tilefold::sim::appendNumber(ElementType type, double value, std::vector<uint8_t> &bytes) {
  switch (type) {
  case ElementType::F16:
    appendBits(support::f64_to_f16(value), 2, bytes);
    return true;
  case ElementType::BF16:
    appendBits(support::f64_to_bf16(value), 2, bytes);
    return true;
  case ElementType::F32:
    appendBits(support::bit_copy<uint32_t>(float(value)), 4, bytes);
    return true;
  case ElementType::F64:
    appendBits(support::bit_copy<uint64_t>(value), 8, bytes);
    return true;
  default:
    return value == std::floor(value) && std::fabs(value) <= 0x1p53 && appendInteger(type, int64_t(value), bytes);
  }
}

bool tilefold::sim::appendInteger(ElementType type, int64_t value, std::vector<uint8_t> &bytes) {
  if (isFloat(type))
    return appendNumber(type, double(value), bytes);
  bool fits = withInteger(type, [&](auto zero) { return std::in_range<decltype(zero)>(value); });
  if (fits)
    appendBits(uint64_t(value), byteSize(type), bytes);
  return fits;
}

bool tilefold::sim::appendText(ElementType type, StringRef text, std::vector<uint8_t> &bytes) {
  uint64_t bits = 0;
  if (text.consume_front("0x")) {
    bool good = !text.getAsInteger(16, bits) && text.size() <= 2 * byteSize(type);
    if (good)
      appendBits(bits, byteSize(type), bytes);
    return good;
  }
  if (!isFloat(type))
    return false;
  if (text == "nan")
    return appendNumber(type, std::numeric_limits<double>::quiet_NaN(), bytes);
  if (text == "inf" || text == "-inf")
    return appendNumber(type, text == "inf" ? HUGE_VAL : -HUGE_VAL, bytes);
  return false;
}

/// A decimal that reads back as this number of this type; the shortest for f32 and f64.
template <class T> static std::string shortest(T value) {
  if (std::isnan(value)) // whose sign says nothing
    return "nan";
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string tilefold::sim::textOf(ElementType type, const uint8_t *element) {
  if (isFloat(type))
    return type == ElementType::F64 ? shortest(floatOf(type, element)) : shortest(float(floatOf(type, element)));
  return withInteger(type, [&](auto zero) { return std::to_string(decltype(zero)(bitsOf(type, element))); });
}

std::string tilefold::sim::hexOf(ElementType type, const uint8_t *element) {
  std::string digits = utohexstr(bitsOf(type, element), /*LowerCase=*/true);
  return "0x" + std::string(2 * byteSize(type) - digits.size(), '0') + digits;
}

/// Floating-point numbers in the order of their values, one apart where they are neighbours.
static int64_t positionOf(ElementType type, const uint8_t *element) {
  uint64_t bits = bitsOf(type, element), sign = uint64_t(1) << (8 * byteSize(type) - 1);
  return bits & sign ? -int64_t(bits & ~sign) : int64_t(bits);
}

bool tilefold::sim::agree(ElementType type, const uint8_t *actual, const uint8_t *expected, std::optional<double> within,
                          std::optional<unsigned> ulp) {
  if (std::memcmp(actual, expected, byteSize(type)) == 0)
    return true;
  if (!isFloat(type) || (!within && !ulp))
    return false;
  double a = floatOf(type, actual), e = floatOf(type, expected);
  if (std::isnan(a) || std::isnan(e))
    return std::isnan(a) && std::isnan(e);
  if (within && std::fabs(a - e) <= *within)
    return true;
  return ulp && std::abs(positionOf(type, actual) - positionOf(type, expected)) <= int64_t(*ulp);
}

uint64_t tilefold::sim::mix(uint64_t x) {
  uint64_t z = x + 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}
