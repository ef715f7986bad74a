// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/Digit.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "lib/Dialect/Tile/TileDialect.h.inc"
#include "lib/Dialect/Tile/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Dialect/Tile/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "lib/Dialect/Tile/TileTypes.h.inc"

namespace tilefold::tile {

/// Argument attributes of programs and kernels.
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";
inline constexpr llvm::StringLiteral kRoleAttr = "tile.role";
inline constexpr llvm::StringLiteral kDefaultAttr = "tile.default";

} // namespace tilefold::tile
