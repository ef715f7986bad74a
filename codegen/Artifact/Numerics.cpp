// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Artifact/Numerics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>
#include <string>

using llvm::StringRef;

using Words = std::set<std::string>;

/// "ex2.approx.ftz.f32" of "@%p1 ex2.approx.ftz.f32 %r1, %r2".
static StringRef opcodeOf(StringRef instruction) {
  StringRef rest = instruction.trim(" \t{}");
  if (rest.starts_with("@"))
    rest = rest.drop_until(llvm::isSpace).ltrim();
  return rest.take_until(llvm::isSpace);
}

static bool isType(StringRef part) {
  return llvm::StringSwitch<bool>(part).Cases({"f16", "bf16", "f32", "f64", "s32"}, true).Default(false);
}

static void note(StringRef opcode, Words &products, Words &accumulators, Words &approximations) {
  llvm::SmallVector<StringRef> parts;
  opcode.split(parts, '.');
  if (llvm::is_contained(parts, "approx") || opcode.starts_with("div.full"))
    approximations.insert(opcode.str());
  if (parts.front() != "mma" && !opcode.starts_with("wgmma.mma_async"))
    return;
  products.insert(opcode.str());
  if (auto result = llvm::find_if(parts, isType); result != parts.end()) // that of D comes first
    accumulators.insert(result->str());
}

llvm::json::Object tilefold::describeNumerics(StringRef ptx) {
  Words products, accumulators, approximations;
  llvm::SmallVector<StringRef> instructions;
  ptx.split(instructions, ';');
  for (StringRef piece : instructions) // an instruction, after labels, directives and remarks on lines of their own
    for (StringRef line : llvm::split(piece, '\n'))
      if (StringRef opcode = opcodeOf(line); !opcode.empty())
        note(opcode, products, accumulators, approximations);
  auto list = [](const Words &words) { return llvm::json::Array(words); };
  return llvm::json::Object{
      {"products", list(products)}, {"accumulators", list(accumulators)}, {"approximations", list(approximations)}};
}
