// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TILE_ATTRS_TD
#define TILEFOLD_TILE_ATTRS_TD

include "lib/Dialect/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class TileAttr<string name, string attrMnemonic> : AttrDef<TileDialect, name> {
  let mnemonic = attrMnemonic;
}

def LayoutAttr : TileAttr<"Layout", "layout"> {
  let summary = "Which register of which thread holds each element of a tile";
  let description = [{
    A mixed-radix map from (register, lane, warp) to coordinates. Each of the three indices is taken apart into digits,
    fastest first; a digit `radix:dim:stride` adds `digit * stride` to coordinate `dim`. Radices need not be powers of
    two, so tiles of 80 or 96 columns have exact layouts. A digit of stride 0 replicates.

    The accumulator of `mma.m16n8k16` over a 32 x 64 tile of one warp:

    ```mlir
    #tile.layout<registers = [2:1:1, 2:0:8, 8:1:8, 2:0:16], lanes = [4:1:2, 8:0:1], warps = []>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"Digit">:$registers,
    ArrayRefParameter<"Digit">:$lanes,
    ArrayRefParameter<"Digit">:$warps);
  let hasCustomAssemblyFormat = 1;
}

def SwizzleAttr : TileAttr<"Swizzle", "swizzle"> {
  let summary = "How the 16-byte chunks of a shared-memory row are permuted";
  let description = [{
    Chunk `c` of row `r` is stored at chunk `c ^ ((r >> shift) & (2^bits - 1))`. For rows of `p` chunks, with `2^k` the
    largest power of two that divides `p` (at most 8), `bits = k` and `shift = 3 - k` put the same chunk of eight
    consecutive rows into eight different bank groups, for every p: `ldmatrix` has no conflict.
  }];
  let parameters = (ins "unsigned":$bits, "unsigned":$shift);
  let assemblyFormat = "`<` $bits `,` $shift `>`";
  let extraClassDeclaration = [{
    /// The conflict-free swizzle for rows of `rowBytes` bytes (a multiple of 16).
    static SwizzleAttr forRows(::mlir::MLIRContext *context, int64_t rowBytes);
    /// The chunk where chunk `chunk` of row `row` is stored.
    int64_t apply(int64_t row, int64_t chunk) const {
      return chunk ^ ((row >> getShift()) & ((int64_t(1) << getBits()) - 1));
    }
  }];
}

def ScheduleAttr : TileAttr<"Schedule", "schedule"> {
  let summary = "How a kernel is to be run: warps of a block and stages of a copy ring";
  let description = [{
    1 to 32 warps, which is what a block of threads has at most, and at least one stage.
  }];
  let parameters = (ins "int64_t":$warps, "int64_t":$stages);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` `warps` `=` $warps `,` `stages` `=` $stages `>`";
}

def ReduceKind : I32EnumAttr<"ReduceKind", "how elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::tilefold::tile";
}

def WorkspaceInit : I32EnumAttr<"WorkspaceInit", "what a workspace holds before a launch", [
    I32EnumAttrCase<"Any", 0, "any">, I32EnumAttrCase<"ZeroOnce", 1, "zero_once">]> {
  let cppNamespace = "::tilefold::tile";
}

#endif
