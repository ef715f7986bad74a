// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold::tile;

#include "lib/Dialect/Tile/TileDialect.cpp.inc"
#include "lib/Dialect/Tile/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Dialect/Tile/TileAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "lib/Dialect/Tile/TileTypes.cpp.inc"

namespace {
/// Layouts are long and few: each gets a name at the top of the printed module.
struct TileAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileDialect::initialize() {
  addInterfaces<TileAsmInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lib/Dialect/Tile/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "lib/Dialect/Tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lib/Dialect/Tile/TileOps.cpp.inc"
      >();
}

//===-- layouts -------------------------------------------------------------------------------------------------===//

static void printDigits(AsmPrinter &printer, StringRef name, ArrayRef<Digit> digits) {
  printer << name << " = [";
  llvm::interleaveComma(digits, printer, [&](const Digit &d) { printer << d.radix << ":" << d.dim << ":" << d.stride; });
  printer << "]";
}

static ParseResult parseDigits(AsmParser &parser, StringRef name, SmallVectorImpl<Digit> &digits) {
  if (parser.parseKeyword(name) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    Digit d;
    llvm::SMLoc where = parser.getCurrentLocation();
    if (parser.parseInteger(d.radix) || parser.parseColon() || parser.parseInteger(d.dim) || parser.parseColon() ||
        parser.parseInteger(d.stride))
      return failure();
    if (d.radix < 1 || d.dim < 0 || d.stride < 0)
      return parser.emitError(where, "expected a digit radix:dim:stride with radix >= 1, dim >= 0 and stride >= 0");
    digits.push_back(d);
    return success();
  });
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printDigits(printer, "registers", getRegisters());
  printer << ", ";
  printDigits(printer, "lanes", getLanes());
  printer << ", ";
  printDigits(printer, "warps", getWarps());
  printer << ">";
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<Digit> registers, lanes, warps;
  if (parser.parseLess() || parseDigits(parser, "registers", registers) || parser.parseComma() ||
      parseDigits(parser, "lanes", lanes) || parser.parseComma() || parseDigits(parser, "warps", warps) ||
      parser.parseGreater())
    return {};
  return LayoutAttr::get(parser.getContext(), registers, lanes, warps);
}

SwizzleAttr SwizzleAttr::forRows(MLIRContext *context, int64_t rowBytes) {
  assert(rowBytes % 16 == 0 && "rows are made of 16-byte chunks");
  int64_t chunks = rowBytes / 16;
  unsigned bits = 0;
  while (bits < 3 && chunks % (int64_t(2) << bits) == 0)
    ++bits;
  return get(context, bits, 3 - bits);
}

//===-- schedules -----------------------------------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t warps, int64_t stages) {
  if (warps < 1 || warps > 32)
    return emitError() << "expected 1 to 32 warps, got " << warps;
  if (stages < 1 || stages > 64)
    return emitError() << "expected 1 to 64 stages, got " << stages;
  return success();
}

//===-- types ---------------------------------------------------------------------------------------------------===//

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  if (getRank())
    printer << getRank() << "x";
  else
    printer << "0x";
  printer << getElementType() << ">";
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> dims;
  Type element;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(dims, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseGreater())
    return {};
  if (dims.size() != 1) {
    parser.emitError(where, "expected a rank and an element type, as in !tile.view<4xf16>");
    return {};
  }
  return parser.getChecked<ViewType>(where, parser.getContext(), dims[0], element);
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rank, Type element) {
  if (rank < 0 || rank > 8)
    return emitError() << "expected a view of rank 0 to 8, got rank " << rank;
  if (!element.isF16() && !element.isBF16() && !element.isF32() && !element.isInteger(32) && !element.isInteger(1))
    return emitError() << "expected a view of f16, bf16, f32, i32 or i1, got " << element;
  return success();
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t d : getShape())
    printer << d << "x";
  printer << getElementType() << ", ";
  printer.printStrippedAttrOrType(getSwizzle());
  if (getTransposed())
    printer << ", transposed";
  printer << ">";
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SwizzleAttr swizzle;
  bool transposed = false;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseComma())
    return {};
  swizzle = llvm::dyn_cast_or_null<SwizzleAttr>(SwizzleAttr::parse(parser, {}));
  if (!swizzle)
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("transposed"))
      return {};
    transposed = true;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(where, parser.getContext(), shape, element, swizzle, transposed);
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type element,
                                 SwizzleAttr swizzle, bool transposed) {
  if (shape.size() != 2 && shape.size() != 3)
    return emitError() << "expected a buffer of rank 2, or a ring of rank 3, got rank " << shape.size();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8)
    return emitError() << "expected a buffer of numbers of whole bytes, got " << element;
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 1; })) {
    InFlightDiagnostic diag = emitError() << "expected a buffer with extents of at least 1, got ";
    llvm::interleave(shape, diag, "x");
    return diag;
  }
  int64_t rowBytes = shape[shape.size() - (transposed ? 2 : 1)] * element.getIntOrFloatBitWidth() / 8;
  if (swizzle.getBits() && (swizzle.getBits() > 8 || rowBytes % (int64_t(16) << swizzle.getBits())))
    return emitError() << "expected rows of a multiple of 2^" << swizzle.getBits()
                       << " chunks of 16 bytes, which the swizzle permutes, got rows of " << rowBytes << " bytes";
  if (swizzle.getShift() > 31)
    return emitError() << "expected a swizzle that shifts rows by at most 31, got " << swizzle.getShift();
  return success();
}

int64_t BufferType::getBytes() const {
  int64_t elements = 1;
  for (int64_t d : getShape())
    elements *= d;
  return elements * getElementType().getIntOrFloatBitWidth() / 8;
}

BufferType BufferType::getSlot() const {
  return get(getContext(), getShape().take_back(2), getElementType(), getSwizzle(), getTransposed());
}

BufferType BufferType::exchanged() const {
  SmallVector<int64_t> shape(getShape());
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return get(getContext(), shape, getElementType(), getSwizzle(), !getTransposed());
}
