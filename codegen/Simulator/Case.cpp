// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Case.h"
#include "codegen/Simulator/Elements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tilefold::sim;

static Error error(const Twine &text) { return createStringError(text.str()); }

std::string tilefold::sim::caseLines(StringRef module) {
  std::string text;
  SmallVector<StringRef> lines;
  module.split(lines, '\n');
  for (StringRef line : lines)
    if (line.consume_front("// CASE:"))
      text += (line + "\n").str();
  return text;
}

/// The JSON values that follow one another in a text, each by itself.
static std::vector<StringRef> splitValues(StringRef text) {
  std::vector<StringRef> values;
  size_t begin = 0;
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
      continue;
    }
    inString = c == '"';
    if (c == '{' || c == '[')
      ++depth;
    if ((c == '}' || c == ']') && --depth == 0) {
      values.push_back(text.slice(begin, i + 1));
      begin = i + 1;
    }
  }
  if (!text.substr(begin).trim().empty())
    values.push_back(text.substr(begin)); // unbalanced: the parser says how
  return values;
}

namespace {
/// Keys of one JSON object, each of which must be asked for.
class Keys {
public:
  explicit Keys(const json::Object &object) : object(object) {}

  const json::Value *find(StringRef key) {
    asked.insert(key);
    return object.get(key);
  }
  bool has(StringRef key) { return find(key); }

  /// Leaves `value` if the key is absent.
  template <class T> Error integer(StringRef key, T &value, int64_t low, int64_t high) {
    const json::Value *found = find(key);
    if (!found)
      return Error::success();
    std::optional<int64_t> number = found->getAsInteger();
    if (!number || *number < low || *number > high)
      return error("'" + key + "': expected a whole number from " + Twine(low) + " to " + Twine(high) + ", got " +
                   text(*found));
    value = *number;
    return Error::success();
  }
  Error string(StringRef key, std::string &value) {
    const json::Value *found = find(key);
    if (!found)
      return Error::success();
    std::optional<StringRef> string = found->getAsString();
    if (!string)
      return error("'" + key + "': expected a string, got " + text(*found));
    value = string->str();
    return Error::success();
  }
  Error boolean(StringRef key, bool &value) {
    const json::Value *found = find(key);
    if (!found)
      return Error::success();
    if (!found->getAsBoolean())
      return error("'" + key + "': expected true or false, got " + text(*found));
    value = *found->getAsBoolean();
    return Error::success();
  }
  template <class T> Error integers(StringRef key, std::vector<T> &values) {
    const json::Value *found = find(key);
    if (!found)
      return Error::success();
    const json::Array *array = found->getAsArray();
    for (size_t i = 0; array && i < array->size(); ++i)
      if (std::optional<int64_t> number = (*array)[i].getAsInteger(); number && *number >= 0)
        values.push_back(*number);
    if (!array || values.size() != array->size())
      return error("'" + key + "': expected a list of whole numbers, got " + text(*found));
    return Error::success();
  }

  /// An error about a key that nobody knows.
  Error rest() const {
    for (const auto &entry : object)
      if (!asked.contains(StringRef(entry.first)))
        return error("'" + StringRef(entry.first) + "': no such key");
    return Error::success();
  }

  static std::string text(const json::Value &value) {
    std::string text;
    raw_string_ostream(text) << value;
    return text;
  }

private:
  const json::Object &object;
  StringSet<> asked;
};

class ArgumentReader {
public:
  ArgumentReader(const json::Object &object, StringRef folder, unsigned position) : keys(object), folder(folder) {
    argument.name = ("argument " + Twine(position)).str();
  }

  Expected<CaseArgument> read() {
    if (Error failed = readKind())
      return failed;
    if (Error failed = keys.rest())
      return failed;
    return std::move(argument);
  }

  StringRef mapped() const { return mapOf; }

private:
  Error readKind() {
    using Kind = CaseArgument::Kind;
    if (Error failed = keys.string("name", argument.name))
      return failed;
    for (auto [key, type] :
         {std::pair("i32", ElementType::I32), std::pair("i64", ElementType::I64), std::pair("f32", ElementType::F32)})
      if (const json::Value *value = keys.find(key)) {
        argument.type = type;
        return append(*value);
      }
    for (auto [key, kind] : {std::pair("in", Kind::In), std::pair("inout", Kind::InOut), std::pair("out", Kind::Out)})
      if (keys.has(key)) {
        argument.kind = kind;
        return readArray(key);
      }
    if (!keys.has("map"))
      return error("expected one of the keys i32, i64, f32, in, inout, out and map");
    argument.kind = Kind::Map;
    return readMap();
  }

  Error readArray(StringRef key) {
    std::string type;
    if (Error failed = keys.string(key, type))
      return failed;
    std::optional<ElementType> parsed = parseElementType(type);
    if (!parsed)
      return error("'" + key + "': expected one of i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64, got '" + type + "'");
    argument.type = *parsed;
    if (argument.isOutput())
      if (Error failed = readOutput())
        return failed;
    if (argument.kind != CaseArgument::Kind::Out)
      return readElements();
    int64_t count = -1;
    if (Error failed = keys.integer("count", count, 0, kMostElements))
      return failed;
    if (count < 0)
      return error("'count': an output needs it");
    argument.bytes.assign(size_t(count) * byteSize(argument.type), 0xff);
    return keys.string("file", argument.file);
  }

  Error readOutput() {
    if (const json::Value *within = keys.find("within")) {
      argument.within = within->getAsNumber();
      if (!argument.within)
        return error("'within': expected a number, got " + Keys::text(*within));
    }
    if (keys.has("ulp")) {
      unsigned ulp = 0;
      if (Error failed = keys.integer("ulp", ulp, 0, INT32_MAX))
        return failed;
      argument.ulp = ulp;
    }
    if (Error failed = keys.integer("row", argument.row, 1, kMostElements))
      return failed;
    if (Error failed = keys.boolean("hex", argument.hex))
      return failed;
    return keys.boolean("show", argument.show);
  }

  Error append(const json::Value &value) {
    bool good = false;
    if (std::optional<int64_t> whole = value.getAsInteger())
      good = appendInteger(argument.type, *whole, argument.bytes);
    else if (std::optional<double> number = value.getAsNumber())
      good = appendNumber(argument.type, *number, argument.bytes);
    else if (std::optional<StringRef> text = value.getAsString())
      good = appendText(argument.type, *text, argument.bytes);
    return good ? Error::success()
                : error("expected a number of type " + name(argument.type) + ", got " + Keys::text(value));
  }

  /// The two numbers of "iota", "integers" and "uniform".
  Expected<std::pair<double, double>> pair(StringRef key) {
    const json::Value *value = keys.find(key);
    const json::Array *array = value->getAsArray();
    if (!array || array->size() != 2 || !(*array)[0].getAsNumber() || !(*array)[1].getAsNumber())
      return error("'" + key + "': expected a list of two numbers, got " + Keys::text(*value));
    return std::pair(*(*array)[0].getAsNumber(), *(*array)[1].getAsNumber());
  }

  Error readElements() {
    if (keys.has("file"))
      return readFile();
    if (const json::Value *values = keys.find("values")) {
      if (!values->getAsArray())
        return error("'values': expected a list, got " + Keys::text(*values));
      for (const json::Value &value : *values->getAsArray())
        if (Error failed = append(value))
          return failed;
      return Error::success();
    }
    int64_t count = -1, seed = 0;
    if (Error failed = keys.integer("count", count, 0, kMostElements))
      return failed;
    if (count < 0)
      return error("'count': expected it, or 'values', or 'file'");
    if (const json::Value *fill = keys.find("fill")) {
      for (int64_t n = 0; n < count; ++n)
        if (Error failed = append(*fill))
          return failed;
      return Error::success();
    }
    StringRef rule = keys.has("iota") ? "iota" : keys.has("integers") ? "integers" : "uniform";
    if (!keys.has(rule))
      return error("expected one of the keys values, fill, iota, integers, uniform and file");
    if (rule != "iota")
      if (Error failed = keys.integer("seed", seed, INT64_MIN, INT64_MAX))
        return failed;
    Expected<std::pair<double, double>> ends = pair(rule);
    if (!ends)
      return ends.takeError();
    auto [first, second] = *ends;
    if (rule == "integers" && !(first <= second && second - first < 0x1p53))
      return error("'integers': expected the least number and then the largest, got " + Keys::text(*keys.find(rule)));
    for (int64_t n = 0; n < count; ++n) {
      double value = rule == "iota"       ? first + double(n) * second
                     : rule == "integers" ? first + double(mix(seed + n) % uint64_t(second - first + 1))
                                          : first + double(mix(seed + n) >> 40) * 0x1p-24 * (second - first);
      if (!appendNumber(argument.type, value, argument.bytes))
        return error("'" + rule + "': element " + Twine(n) + " does not fit " + name(argument.type));
    }
    return Error::success();
  }

  Error readFile() {
    std::string file;
    if (Error failed = keys.string("file", file))
      return failed;
    SmallString<128> path(folder);
    sys::path::append(path, file);
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
    if (!buffer)
      return error("'file': '" + path + "' cannot be read: " + buffer.getError().message());
    StringRef content = (*buffer)->getBuffer();
    if (content.size() % byteSize(argument.type))
      return error("'file': '" + path + "' has " + Twine(content.size()) + " bytes, which is no whole number of " +
                   name(argument.type));
    argument.bytes.assign(content.bytes_begin(), content.bytes_end());
    return Error::success();
  }

  Error readMap() {
    const json::Value *map = keys.find("map");
    if (std::optional<int64_t> position = map->getAsInteger(); position && *position >= 0)
      argument.map.array = *position;
    else if (std::optional<StringRef> named = map->getAsString())
      mapOf = named->str();
    else
      return error("'map': expected an array argument's name or position, got " + Keys::text(*map));
    if (Error failed = keys.integers("dims", argument.map.dims))
      return failed;
    if (Error failed = keys.integers("strides", argument.map.strides))
      return failed;
    if (Error failed = keys.integers("box", argument.map.box))
      return failed;
    if (Error failed = keys.integer("swizzle", argument.map.swizzle, 0, 128))
      return failed;
    if (Error failed = keys.integer("offset", argument.map.offset, 0, INT64_MAX))
      return failed;
    size_t rank = argument.map.dims.size();
    if (rank < 1 || rank > 5)
      return error("'dims': expected 1 to 5 extents, got " + Twine(rank));
    if (argument.map.box.size() != rank)
      return error("'box': expected " + Twine(rank) + " extents as 'dims' has, got " + Twine(argument.map.box.size()));
    if (!argument.map.strides.empty() && argument.map.strides.size() != rank - 1)
      return error("'strides': expected " + Twine(rank - 1) + " numbers, of all dims but the first, got " +
                   Twine(argument.map.strides.size()));
    return Error::success();
  }

  static constexpr int64_t kMostElements = int64_t(1) << 28;
  Keys keys;
  StringRef folder;
  CaseArgument argument;
  std::string mapOf;
};
} // namespace

/// Strides and arrays of maps, once all arguments are known.
static Error resolveMaps(Case &one, ArrayRef<std::string> mapped) {
  for (size_t i = 0; i < one.arguments.size(); ++i) {
    CaseArgument &argument = one.arguments[i];
    if (argument.kind != CaseArgument::Kind::Map)
      continue;
    if (!mapped[i].empty()) {
      auto found =
          find_if(one.arguments, [&](const CaseArgument &other) { return other.isArray() && other.name == mapped[i]; });
      if (found == one.arguments.end())
        return error(argument.name + ": 'map': there is no array '" + mapped[i] + "'");
      argument.map.array = found - one.arguments.begin();
    }
    if (argument.map.array >= one.arguments.size() || !one.arguments[argument.map.array].isArray())
      return error(argument.name + ": 'map': argument " + Twine(argument.map.array) + " is no array");
    if (!argument.map.strides.empty())
      continue;
    uint64_t stride = byteSize(one.arguments[argument.map.array].type);
    for (uint64_t extent : ArrayRef(argument.map.dims).drop_back())
      argument.map.strides.push_back(stride *= extent);
  }
  return Error::success();
}

static Error readCase(const json::Object &object, StringRef folder, Case &one) {
  Keys keys(object);
  if (Error failed = keys.string("name", one.name))
    return failed;
  if (Error failed = keys.string("kernel", one.kernel))
    return failed;
  if (Error failed = keys.string("target", one.target))
    return failed;
  if (Error failed = keys.integer("grid", one.grid, 1, INT32_MAX))
    return failed;
  for (auto [key, value, high] : {std::tuple("block", &one.block, 1024), std::tuple("cluster", &one.cluster, 16),
                                  std::tuple("shared", &one.shared, 1 << 20)})
    if (keys.has(key)) {
      uint32_t number = 0;
      if (Error failed = keys.integer(key, number, StringRef(key) == "shared" ? 0 : 1, high))
        return failed;
      *value = number;
    }
  keys.find("script"); // a recorder's: what writes the module
  std::vector<std::string> mapped;
  if (const json::Value *arguments = keys.find("arguments")) {
    const json::Array *array = arguments->getAsArray();
    if (!array)
      return error("'arguments': expected a list");
    for (const auto &[position, value] : enumerate(*array)) {
      const json::Object *argument = value.getAsObject();
      if (!argument)
        return error("argument " + Twine(position) + ": expected an object, got " + Keys::text(value));
      ArgumentReader reader(*argument, folder, position);
      Expected<CaseArgument> read = reader.read();
      if (!read)
        return error("argument " + Twine(position) + ": " + toString(read.takeError()));
      one.arguments.push_back(std::move(*read));
      mapped.push_back(reader.mapped().str());
    }
  }
  if (Error failed = resolveMaps(one, mapped))
    return failed;
  return keys.rest();
}

Expected<std::vector<Case>> tilefold::sim::parseCases(StringRef text, StringRef folder) {
  std::vector<json::Value> values;
  for (StringRef part : splitValues(text)) {
    Expected<json::Value> value = json::parse(part);
    if (!value)
      return error("case " + Twine(values.size() + 1) + ": " + toString(value.takeError()));
    if (json::Array *array = value->getAsArray())
      std::move(array->begin(), array->end(), std::back_inserter(values));
    else
      values.push_back(std::move(*value));
  }
  std::vector<Case> cases;
  for (const json::Value &value : values) {
    Case one;
    one.name = std::to_string(cases.size() + 1);
    const json::Object *object = value.getAsObject();
    if (!object)
      return error("case " + one.name + ": expected an object, got " + Keys::text(value));
    if (Error failed = readCase(*object, folder, one))
      return error("case '" + one.name + "': " + toString(std::move(failed)));
    cases.push_back(std::move(one));
  }
  return cases;
}

std::string tilefold::sim::printArray(const CaseArgument &argument) {
  unsigned size = byteSize(argument.type);
  size_t count = argument.bytes.size() / size, row = argument.row ? argument.row : std::max<size_t>(count, 1);
  std::string text = argument.name + " = [";
  for (size_t n = 0; n < count; ++n) {
    if (n)
      text += n % row ? ", " : ",\n" + std::string(argument.name.size() + 4, ' ');
    const uint8_t *at = argument.bytes.data() + n * size;
    text += argument.hex ? hexOf(argument.type, at) : textOf(argument.type, at);
  }
  return text + "]\n";
}

std::string tilefold::sim::compareArray(const CaseArgument &argument, ArrayRef<uint8_t> recorded) {
  if (recorded.size() != argument.bytes.size())
    return ("'" + argument.name + "' has " + Twine(argument.bytes.size()) + " bytes, recorded are " + Twine(recorded.size()))
        .str();
  unsigned size = byteSize(argument.type);
  size_t wrong = 0, first = 0;
  for (size_t n = 0; n < recorded.size() / size; ++n) {
    const uint8_t *actual = argument.bytes.data() + n * size, *expected = recorded.data() + n * size;
    if (agree(argument.type, actual, expected, argument.within, argument.ulp))
      continue;
    if (wrong++ == 0)
      first = n;
  }
  if (wrong == 0)
    return {};
  return ("'" + argument.name + "' differs in " + Twine(wrong) + " of " + Twine(recorded.size() / size) + " elements: at " +
          Twine(first) + " it is " + textOf(argument.type, argument.bytes.data() + first * size) + " (" +
          hexOf(argument.type, argument.bytes.data() + first * size) + "), recorded is " +
          textOf(argument.type, recorded.data() + first * size) + " (" +
          hexOf(argument.type, recorded.data() + first * size) + ")")
      .str();
}
