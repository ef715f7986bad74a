// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TILE_TYPES_TD
#define TILEFOLD_TILE_TYPES_TD

include "lib/Dialect/Tile/TileAttrs.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class TileType<string name, string typeMnemonic> : TypeDef<TileDialect, name> {
  let mnemonic = typeMnemonic;
}

def ViewType : TileType<"View", "view"> {
  let summary = "A strided tensor in global memory";
  let description = [{
    `!tile.view<4xf16>` is a rank-4 tensor of f16. Address, extents (i32) and strides (i64, in elements) are known at run
    time. Strides may be zero, unequal or unaligned; the code for the well-formed case is chosen by guards.
  }];
  let parameters = (ins "int64_t":$rank, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def BufferType : TileType<"Buffer", "buffer"> {
  let summary = "A tile, or a ring of tiles, in shared memory";
  let description = [{
    `!tile.buffer<2x64x128xf16, <3, 0>>` holds two tiles of 64 rows and 128 columns; the last dimension is
    contiguous. `transposed` marks a view whose rows are the columns of what is stored. Buffers are mutable and not tensors.
    A swizzle of `bits` needs rows of a multiple of 2^bits chunks of 16 bytes: it permutes the chunks of a row among themselves.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "SwizzleAttr":$swizzle, "bool":$transposed);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// Bytes of the whole ring.
    int64_t getBytes() const;
    /// The type of one slot of a ring.
    BufferType getSlot() const;
    /// The same storage with its last two dimensions exchanged.
    BufferType exchanged() const;
  }];
}

def Tile_Tensor : Type<
    CPred<"::llvm::isa<::mlir::RankedTensorType>($_self) && ::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">,
    "a tile (a tensor of static shape)", "::mlir::RankedTensorType">;
def Tile_Positions : Type<
    And<[Tile_Tensor.predicate, CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 1">,
         CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isInteger(32)">]>,
    "a tile of i32 of rank 1", "::mlir::RankedTensorType">;
def Tile_View : TypeConstraint<CPred<"::llvm::isa<::tilefold::tile::ViewType>($_self)">, "a view of global memory">;
def Tile_Buffer : TypeConstraint<CPred<"::llvm::isa<::tilefold::tile::BufferType>($_self)">, "a shared-memory buffer">;
def Tile_TensorOrBuffer : TypeConstraint<
    Or<[Tile_Tensor.predicate, Tile_Buffer.predicate]>, "a tile or a shared-memory buffer">;

#endif
