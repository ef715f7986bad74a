// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Target/JoinPtx.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

using llvm::StringRef;

namespace {
/// A text of one kernel.
struct Piece {
  StringRef header;       ///< version, target, address size
  StringRef name;         ///< a comment
  StringRef declarations; ///< what stands outside of the kernel, before it
  StringRef kernel;
  StringRef tail; ///< the source files
};

std::optional<Piece> split(StringRef text) {
  static constexpr StringRef name = "\t// .globl\t", kernel = ".visible .entry ", last = "\n}\n";
  const size_t nameAt = text.find(name), nameEnd = text.find('\n', nameAt), kernelAt = text.find(kernel, nameEnd), end = text.rfind(last);
  if (kernelAt == StringRef::npos || end == StringRef::npos || end < kernelAt || text.find(name, nameEnd) != StringRef::npos)
    return std::nullopt;
  return Piece{text.take_front(nameAt), text.slice(nameAt, nameEnd + 1), text.slice(nameEnd + 1, kernelAt),
               text.slice(kernelAt, end + last.size()), text.drop_front(end + last.size())};
}

/// The numbers that a piece's own ones turn into, behind those of the pieces before it.
class Numbers {
public:
  void beginPiece(StringRef tail) {
    ++function;
    firstTemporary = temporaries;
    fileOf.clear();
    for (StringRef line : llvm::split(tail, '\n')) {
      unsigned own = 0;
      if (!line.consume_front("\t.file\t") || line.consumeInteger(10, own))
        continue;
      auto known = llvm::find(files, line);
      fileOf[own] = unsigned(known - files.begin()) + 1;
      if (known == files.end())
        files.push_back(line);
    }
  }

  unsigned file(unsigned own) { return fileOf[own]; }
  unsigned name(StringRef prefix, unsigned own) {
    if (prefix != kTemporary)
      return function; // what belongs to a kernel starts with the kernel's number
    temporaries = std::max(temporaries, firstTemporary + own + 1);
    return firstTemporary + own;
  }

  static constexpr StringRef kTemporary = "$L__tmp";

  std::string fileLines() const {
    std::string lines;
    for (auto [i, path] : llvm::enumerate(files))
      lines += "\t.file\t" + std::to_string(i + 1) + path.str() + "\n";
    return lines;
  }

private:
  std::vector<StringRef> files; // " \"path\"", in the order of their numbers
  std::map<unsigned, unsigned> fileOf;
  int function = -1;
  unsigned temporaries = 0, firstTemporary = 0;
};

/// Takes a number off `text` and gives it.
unsigned takeNumber(StringRef &text) {
  unsigned number = 0;
  text.consumeInteger(10, number);
  return number;
}

/// Where the first name that LLVM numbers begins, and its prefix.
std::pair<size_t, StringRef> findNumbered(StringRef line) {
  static constexpr StringRef prefixes[] = {"$L__BB", "$L__func_begin", "$L__func_end", Numbers::kTemporary, "__local_depot"};
  std::pair<size_t, StringRef> first(StringRef::npos, "");
  for (StringRef prefix : prefixes)
    for (size_t at = line.find(prefix); at < first.first; at = line.find(prefix, at + 1))
      if (at == 0 || !(llvm::isAlnum(line[at - 1]) || line[at - 1] == '_')) { // not within a name of the user's
        first = {at, prefix};
        break;
      }
  return first;
}

void appendRenumbered(std::string &result, StringRef kernel, Numbers &numbers) {
  static constexpr StringRef position = "\t.loc\t";
  while (!kernel.empty()) {
    StringRef line = kernel.take_front(std::min(kernel.find('\n'), kernel.size() - 1) + 1);
    kernel = kernel.drop_front(line.size());
    if (line.consume_front(position)) {
      result += position;
      result += std::to_string(numbers.file(takeNumber(line)));
    }
    for (auto [at, prefix] = findNumbered(line); !prefix.empty(); std::tie(at, prefix) = findNumbered(line)) {
      result += line.take_front(at + prefix.size());
      line = line.drop_front(at + prefix.size());
      result += std::to_string(numbers.name(prefix, takeNumber(line)));
    }
    result += line;
  }
}

} // namespace

std::optional<std::string> tilefold::joinPtx(llvm::ArrayRef<std::string> texts) {
  std::vector<Piece> pieces;
  for (const std::string &text : texts) {
    std::optional<Piece> piece = split(text);
    if (!piece || (!pieces.empty() && piece->header != pieces.front().header))
      return std::nullopt;
    pieces.push_back(*piece);
  }
  std::string result, declarations;
  llvm::SmallVector<StringRef> declared;
  for (const Piece &piece : pieces)
    for (StringRef line : llvm::split(piece.declarations, '\n'))
      if (!line.empty() && !llvm::is_contained(declared, line)) {
        declared.push_back(line);
        declarations += line.str() + "\n";
      }
  Numbers numbers;
  for (const Piece &piece : pieces) {
    const bool isFirst = &piece == &pieces.front();
    if (isFirst)
      result += piece.header;
    result += piece.name;
    if (isFirst && !declarations.empty())
      result += declarations + "\n";
    numbers.beginPiece(piece.tail);
    appendRenumbered(result, piece.kernel, numbers);
  }
  StringRef tail = pieces.front().tail;
  result += tail.take_front(tail.find("\t.file\t")); // an empty section of debug information
  return result + numbers.fileLines();
}
