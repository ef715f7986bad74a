// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tilefold {
#define GEN_PASS_DEF_ATTACHLINEINFO
#include "codegen/Conversion/BaseToLLVM/Passes.h.inc"
} // namespace tilefold

FileLineColLoc tilefold::innermostPosition(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file;
  if (auto name = dyn_cast<NameLoc>(loc))
    return innermostPosition(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return innermostPosition(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc found = innermostPosition(part))
        return found;
  return nullptr;
}

static LLVM::DIFileAttr fileOf(FileLineColLoc loc) {
  StringRef path = loc.getFilename();
  return LLVM::DIFileAttr::get(loc.getContext(), llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
}

namespace {
struct AttachLineInfo : tilefold::impl::AttachLineInfoBase<AttachLineInfo> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        attach(function);
  }

  void attach(LLVM::LLVMFuncOp function) {
    FileLineColLoc start = tilefold::innermostPosition(function.getLoc());
    if (!start)
      return;
    MLIRContext *context = &getContext();
    LLVM::DIFileAttr file = fileOf(start);
    auto unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C_plus_plus_14, file,
        StringAttr::get(context, "tilefold"), /*isOptimized=*/true, LLVM::DIEmissionKind::DebugDirectivesOnly);
    StringAttr name = function.getNameAttr();
    auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
    auto scope = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, file, name, name, file, start.getLine(),
        start.getLine(), LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type,
        /*retainedNodes=*/{}, /*annotations=*/{});
    function->setLoc(FusedLoc::get(context, {start}, scope));
    function.getBody().walk([&](Operation *op) {
      FileLineColLoc at = tilefold::innermostPosition(op->getLoc());
      if (!at)
        return op->setLoc(UnknownLoc::get(context));
      if (at.getFilename() == start.getFilename())
        return op->setLoc(at);
      auto block = LLVM::DILexicalBlockFileAttr::get(context, scope, fileOf(at), /*discriminator=*/0);
      op->setLoc(FusedLoc::get(context, {at}, block));
    });
  }
};
} // namespace
