// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of the types that arrays of cases have, as little-endian bytes.
#pragma once
#include "codegen/Simulator/Case.h"

namespace tilefold::sim {

std::optional<ElementType> parseElementType(llvm::StringRef name);
llvm::StringRef name(ElementType type);

/// Append one element. False if the number is none of the type: a fraction or out of range for an integer.
bool appendNumber(ElementType type, double value, std::vector<uint8_t> &bytes); ///< rounded to nearest even
bool appendInteger(ElementType type, int64_t value, std::vector<uint8_t> &bytes);
bool appendText(ElementType type, llvm::StringRef text,
                std::vector<uint8_t> &bytes); ///< "nan", "inf", "-inf", "0x7fc0": bits

std::string textOf(ElementType type, const uint8_t *element); ///< the shortest decimal that is this number
std::string hexOf(ElementType type, const uint8_t *element);

/// The same bits; or, of floating-point types, the same NaN-ness and a difference within either tolerance.
bool agree(ElementType type, const uint8_t *actual, const uint8_t *expected, std::optional<double> within,
           std::optional<unsigned> ulp);

/// splitmix64's output function.
uint64_t mix(uint64_t x);

} // namespace tilefold::sim
