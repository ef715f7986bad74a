// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Interpreter/Kernel.h"

#include "mlir/IR/Location.h"

#include <cstring>

using namespace mlir;

namespace tilefold::interpreter {

std::string locationText(Location location) {
  // A fused or call-site location holds file locations; the first is the user's own line.
  std::string text;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" + std::to_string(file.getColumn()) + ": ";
    return WalkResult::interrupt();
  });
  return text;
}

Frame::Frame(const KernelCode &code) : sharedBegin(code.sharedBegin), storage(new std::byte[code.frameBytes + 64]) {
  // The offsets of a frame are multiples of 64; so must its base be.
  auto address = reinterpret_cast<std::uintptr_t>(storage.get());
  base = storage.get() + ((64 - address % 64) % 64);
  for (const Constant &constant : code.constants)
    std::memcpy(base + constant.offset, constant.bytes.data(), constant.bytes.size());
}

bool Frame::fail(Operation *op, const std::string &message) {
  error = locationText(op->getLoc()) + op->getName().getStringRef().str() + " " + message;
  return false;
}

void Frame::beginInstance(const KernelCode &code) {
  copies.clear();
  groups = 0;
  if (code.sharedEnd != code.sharedBegin)
    std::memset(base + code.sharedBegin, 0xff, code.sharedEnd - code.sharedBegin);
}

} // namespace tilefold::interpreter
