// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/safetensors.h"

#include "support/memory.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace tilefold::support {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors data is little endian");

namespace {

using nlohmann::json;

/// What the format's own reader accepts; a longer length is a damaged or different kind of file.
constexpr std::uint64_t max_header_bytes = 100'000'000;
constexpr const char *metadata_key = "__metadata__";

/// Bits of an element of each dtype the format knows; nothing for an unknown word.
std::optional<std::uint64_t> bit_width(std::string_view dtype) {
  static const std::map<std::string_view, std::uint64_t> widths = {
      {"BOOL", 8},    {"U8", 8},      {"I8", 8},       {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8},
      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4},       {"I16", 16},    {"U16", 16},    {"F16", 16},
      {"BF16", 16},   {"I32", 32},    {"U32", 32},     {"F32", 32},    {"I64", 64},    {"U64", 64},
      {"F64", 64},    {"C64", 64}};
  auto it = widths.find(dtype);
  return it == widths.end() ? std::nullopt : std::optional(it->second);
}

constexpr std::pair<std::string_view, DType> loadable[] = {{"F16", DType::f16}, {"BF16", DType::bf16}, {"F32", DType::f32},
                                                           {"I32", DType::i32}, {"I64", DType::i64},   {"BOOL", DType::i1}};

std::string system_error() { return std::strerror(errno); }

/// A name from a file, as it may stand in a sentence: control characters replaced, cut where it is absurdly long.
std::string quote(std::string_view name) {
  std::string text = "'";
  for (char c : name.substr(0, 100))
    text += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
  return text + (name.size() > 100 ? "...'" : "'");
}

/// Reads exactly `size` bytes at `offset`; the error is a phrase.
Status read_exactly(int fd, void *to, std::uint64_t size, std::uint64_t offset) {
  auto *bytes = static_cast<char *>(to);
  while (size > 0) {
    const ssize_t got = ::pread(fd, bytes, std::min<std::uint64_t>(size, 1u << 30), off_t(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return Status::error(system_error());
    if (got == 0)
      return Status::error("the file ends too early");
    bytes += got;
    size -= std::uint64_t(got);
    offset += std::uint64_t(got);
  }
  return {};
}

/// A non-negative JSON integer. 1.0 and -1 are none.
std::optional<std::uint64_t> unsigned_integer(const json &value) {
  return value.is_number_unsigned() ? std::optional(value.get<std::uint64_t>()) : std::nullopt;
}

/// Parses and refuses what nlohmann would let pass silently: a name that stands twice in one object.
Result<json> parse_header(const std::string &text) {
  std::vector<std::set<std::string>> keys;
  std::string complaint;
  auto watch = [&](int depth, json::parse_event_t event, json &parsed) {
    if (!complaint.empty()) // discarded objects do not report their ends, so the stack no longer tells anything
      return false;
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      complaint = "names " + quote(parsed.get<std::string>()) + " twice";
    if (depth > 8)
      complaint = "is nested too deeply";
    return complaint.empty();
  };
  json header = json::parse(text, watch, /*allow_exceptions=*/false);
  if (!complaint.empty())
    return Status::error("its header " + complaint);
  if (header.is_discarded())
    return Status::error("its header is not valid JSON");
  if (!header.is_object())
    return Status::error("its header is not a JSON object");
  return header;
}

/// One entry of the header, checked by itself. The error is a phrase that follows "tensor 'x' ".
Result<SafetensorsEntry> parse_entry(const std::string &name, const json &fields) {
  SafetensorsEntry entry;
  entry.name = name;
  if (!fields.is_object() || fields.size() != 3 || !fields.contains("dtype") || !fields.contains("shape") ||
      !fields.contains("data_offsets"))
    return Status::error("needs exactly the fields dtype, shape and data_offsets");
  if (!fields["dtype"].is_string())
    return Status::error("has a dtype that is not a string");
  entry.dtype = fields["dtype"].get<std::string>();
  const auto bits = bit_width(entry.dtype);
  if (!bits)
    return Status::error("has the dtype " + quote(entry.dtype) + ", which the format does not know");
  if (!fields["shape"].is_array())
    return Status::error("has a shape that is not an array");
  for (const json &extent : fields["shape"]) {
    const auto value = unsigned_integer(extent);
    if (!value || *value > std::uint64_t(std::numeric_limits<std::int64_t>::max()))
      return Status::error("has an extent in its shape that is not an integer >= 0");
    entry.shape.push_back(std::int64_t(*value));
  }
  const auto count = element_count(entry.shape);
  if (!count || std::uint64_t(*count) > std::numeric_limits<std::uint64_t>::max() / 64)
    return Status::error("has the shape " + to_string(entry.shape) + ", whose size exceeds 64 bits");
  const json &offsets = fields["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !unsigned_integer(offsets[0]) || !unsigned_integer(offsets[1]))
    return Status::error("has data_offsets that are not two integers >= 0");
  entry.begin = *unsigned_integer(offsets[0]);
  entry.end = *unsigned_integer(offsets[1]);
  if (entry.end < entry.begin)
    return Status::error("ends (byte " + std::to_string(entry.end) + ") before it begins (byte " +
                         std::to_string(entry.begin) + ")");
  const std::uint64_t needed = std::uint64_t(*count) * *bits;
  if (needed % 8 != 0 || entry.end - entry.begin != needed / 8)
    return Status::error("has " + std::to_string(entry.end - entry.begin) + " bytes of data, but " + entry.dtype + " " +
                         to_string(entry.shape) + " needs " + std::to_string((needed + 7) / 8));
  return entry;
}

} // namespace

struct SafetensorsFile::Descriptor {
  int fd;
  explicit Descriptor(int fd) : fd(fd) {}
  ~Descriptor() { ::close(fd); }
  Descriptor(const Descriptor &) = delete;
};

Result<SafetensorsFile> SafetensorsFile::open(const std::string &path) try {
  const auto fail = [&](const std::string &why) { return Status::error("cannot read '" + path + "': " + why); };
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail(system_error());
  SafetensorsFile file;
  file.path_ = path;
  file.descriptor_ = std::make_shared<Descriptor>(fd);
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return fail(system_error());
  if (!S_ISREG(info.st_mode))
    return fail("it is not a regular file");
  const auto file_size = std::uint64_t(info.st_size);

  std::uint64_t header_size = 0;
  if (file_size < 8)
    return fail("it has " + std::to_string(file_size) + " bytes; a safetensors file starts with an 8-byte header length");
  if (Status status = read_exactly(fd, &header_size, 8, 0); !status)
    return fail(status.message());
  if (header_size > max_header_bytes)
    return fail("its header length is " + std::to_string(header_size) + " bytes, more than the " +
                std::to_string(max_header_bytes) + " that the format allows; it may not be a safetensors file");
  if (header_size > file_size - 8)
    return fail("its header needs " + std::to_string(header_size) + " bytes, but only " + std::to_string(file_size - 8) +
                " follow; the file is truncated or not a safetensors file");
  file.data_start_ = 8 + header_size;
  std::string text(header_size, '\0');
  if (Status status = read_exactly(fd, text.data(), header_size, 8); !status)
    return fail(status.message());
  if (text.empty() || text[0] != '{')
    return fail("its header does not start with '{'");
  auto header = parse_header(text);
  if (!header)
    return fail(header.message());

  for (const auto &[name, fields] : header->items()) {
    if (name == metadata_key) {
      if (!fields.is_object())
        return fail("its __metadata__ is not an object");
      for (const auto &[key, value] : fields.items()) {
        if (!value.is_string())
          return fail("its __metadata__ entry " + quote(key) + " is not a string");
        file.metadata_[key] = value.get<std::string>();
      }
      continue;
    }
    auto entry = parse_entry(name, fields);
    if (!entry)
      return fail("tensor " + quote(name) + " " + entry.message());
    file.entries_.push_back(std::move(*entry));
  }

  std::sort(file.entries_.begin(), file.entries_.end(), [](const SafetensorsEntry &a, const SafetensorsEntry &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  const std::uint64_t data_size = file_size - file.data_start_;
  std::uint64_t covered = 0;
  for (const SafetensorsEntry &entry : file.entries_) {
    if (entry.begin != covered)
      return fail("tensor " + quote(entry.name) + " begins at byte " + std::to_string(entry.begin) + " of the data, but the " +
                  "tensors before it end at byte " + std::to_string(covered) + "; tensors must neither overlap nor leave holes");
    if (entry.end > data_size)
      return fail("tensor " + quote(entry.name) + " ends at byte " + std::to_string(entry.end) + " of the data, but there are " +
                  "only " + std::to_string(data_size) + "; the file is truncated");
    covered = entry.end;
  }
  if (covered != data_size)
    return fail(std::to_string(data_size - covered) + " bytes after its last tensor belong to no tensor");
  return file;
} catch (const std::exception &error) { // no memory
  return Status::error("cannot read '" + path + "': " + error.what());
}

const SafetensorsEntry *SafetensorsFile::find(std::string_view name) const {
  for (const SafetensorsEntry &entry : entries_)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

Result<HostTensor> SafetensorsFile::load(std::string_view name) const try {
  const auto fail = [&](const std::string &why) {
    return Status::error("cannot read tensor " + quote(name) + " of '" + path_ + "': " + why);
  };
  const SafetensorsEntry *entry = find(name);
  if (!entry) {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(entries_.size(), 10); ++i)
      names += (i ? ", " : "") + quote(entries_[i].name);
    if (entries_.size() > 10)
      names += ", ...";
    return fail("there is no such tensor; the file holds " + (names.empty() ? "none" : names));
  }
  const auto type = std::find_if(std::begin(loadable), std::end(loadable), [&](auto &pair) { return pair.first == entry->dtype; });
  if (type == std::end(loadable))
    return fail("its dtype is " + entry->dtype + "; supported are F16, BF16, F32, I32, I64 and BOOL");
  auto tensor = HostTensor::create(type->second, entry->shape);
  if (!tensor)
    return fail(tensor.message());
  if (Status status = read_exactly(descriptor_->fd, tensor->data(), entry->end - entry->begin, data_start_ + entry->begin); !status)
    return fail(status.message());
  if (type->second == DType::i1)
    for (std::byte value : tensor->storage())
      if (value > std::byte{1})
        return fail("a BOOL element has the value " + std::to_string(int(value)) + "; expected 0 or 1");
  return tensor;
} catch (const std::exception &error) {
  return Status::error("cannot read '" + path_ + "': " + error.what());
}

namespace {

/// What a file begins with, and its tensors in their order.
struct Layout {
  NamedTensors order;
  std::string header;
};

Result<Layout> lay_out(const NamedTensors &tensors, const std::map<std::string, std::string> &metadata) {
  Layout layout{tensors, {}};
  // Wide elements first, then by name, as the format's own writer does: every tensor is then aligned to its element.
  for (const auto &[name, tensor] : tensors)
    if (!tensor)
      return Status::error("tensor " + quote(name) + " is missing");
  std::sort(layout.order.begin(), layout.order.end(), [](const auto &a, const auto &b) {
    const auto width_a = byte_size(a.second->dtype()), width_b = byte_size(b.second->dtype());
    return width_a != width_b ? width_a > width_b : a.first < b.first;
  });

  json header = json::object();
  if (!metadata.empty())
    header[metadata_key] = metadata;
  std::uint64_t offset = 0;
  for (const auto &[name, tensor] : layout.order) {
    if (name.empty() || name == metadata_key)
      return Status::error("a tensor cannot have the name " + quote(name));
    if (header.contains(name))
      return Status::error("two tensors have the name " + quote(name));
    const auto word = std::find_if(std::begin(loadable), std::end(loadable),
                                   [type = tensor->dtype()](auto &pair) { return pair.second == type; });
    const std::uint64_t size = std::uint64_t(tensor->count()) * byte_size(tensor->dtype());
    header[name] = {{"dtype", std::string(word->first)}, {"shape", tensor->shape()}, {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  try {
    layout.header = header.dump();
  } catch (const json::exception &) {
    return Status::error("a tensor name or metadata text is not valid UTF-8");
  }
  layout.header.resize((layout.header.size() + 7) / 8 * 8, ' ');
  return layout;
}

Status write_all(int descriptor, const void *from, std::uint64_t size) {
  const auto *bytes = static_cast<const char *>(from);
  while (size > 0) {
    const ssize_t put = ::write(descriptor, bytes, std::min<std::uint64_t>(size, 1u << 30));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return Status::error(system_error());
    bytes += put;
    size -= std::uint64_t(put);
  }
  return {};
}

/// Copied only if its elements do not lie in a row already: outputs may be most of the memory.
Status write_tensor(int descriptor, const std::string &name, const HostTensor &tensor) try {
  const std::uint64_t size = std::uint64_t(tensor.count()) * byte_size(tensor.dtype());
  HostTensor copy;
  if (!tensor.dense()) {
    if (Status status = check_memory(size, "tensor " + quote(name) + ": a dense copy"); !status)
      return status;
    copy = tensor.to_dense();
  }
  const std::byte *data = (tensor.dense() ? tensor : copy).data();
  if (tensor.dtype() == DType::i1 && std::any_of(data, data + size, [](std::byte b) { return b > std::byte{1}; }))
    return Status::error("tensor " + quote(name) + " has an i1 element that is neither 0 nor 1");
  return write_all(descriptor, data, size);
} catch (const std::exception &error) {
  return Status::error("tensor " + quote(name) + ": " + error.what());
}

Status write_layout(int descriptor, const Layout &layout) {
  const std::uint64_t header_size = layout.header.size();
  Status status = write_all(descriptor, &header_size, 8);
  if (status)
    status = write_all(descriptor, layout.header.data(), layout.header.size());
  for (const auto &[name, tensor] : layout.order)
    if (status)
      status = write_tensor(descriptor, name, *tensor);
  return status;
}

} // namespace

Status write_safetensors(const std::string &path, const NamedTensors &tensors, const std::map<std::string, std::string> &metadata) try {
  const auto fail = [&](const std::string &why) { return Status::error("cannot write '" + path + "': " + why); };
  const Result<Layout> layout = lay_out(tensors, metadata);
  if (!layout)
    return fail(layout.message());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return fail(system_error());
  Status status = write_layout(fd, *layout);
  // A full disk may be reported by close alone.
  if (::close(fd) != 0 && status)
    status = Status::error(system_error());
  if (!status) {
    struct stat info;
    if (::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))
      ::unlink(path.c_str());
    return fail(status.message());
  }
  return {};
} catch (const std::exception &error) {
  return Status::error("cannot write '" + path + "': " + error.what());
}

Status write_safetensors(int descriptor, const NamedTensors &tensors, const std::map<std::string, std::string> &metadata) try {
  const Result<Layout> layout = lay_out(tensors, metadata);
  const Status status = layout ? write_layout(descriptor, *layout) : Status::error(layout.message());
  return status ? status : Status::error("cannot write the tensors: " + status.message());
} catch (const std::exception &error) {
  return Status::error(std::string("cannot write the tensors: ") + error.what());
}

} // namespace tilefold::support
