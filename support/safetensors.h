// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The safetensors format: u64 header length (little endian), a JSON header, then raw tensor bytes.
// https://huggingface.co/docs/safetensors. No exception leaves these functions; each error names the file and, where there
// is one, the tensor.
#pragma once

#include "support/host_tensor.h"
#include "support/status.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilefold::support {

/// One line of a file's header. `dtype` is the file's own word ("F16", "BF16", "F8_E4M3", ...), so that a file may hold
/// tensors that we cannot load beside those that we can.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  Shape shape;
  std::uint64_t begin = 0, end = 0; ///< bytes, from the end of the header
};

/// An opened file whose header has been checked as the format's own reader does: no duplicate names, every length right for
/// its dtype and shape, data without holes or overlaps up to the last byte of the file. Tensors are read on demand.
class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::string &path);

  const std::string &path() const { return path_; }
  /// In the order of the data.
  const std::vector<SafetensorsEntry> &entries() const { return entries_; }
  const SafetensorsEntry *find(std::string_view name) const;
  /// The header's `__metadata__`.
  const std::map<std::string, std::string> &metadata() const { return metadata_; }

  /// Reads one tensor, dense. Errors: no such tensor (the sentence lists those there are), a dtype other than F16, BF16,
  /// F32, I32, I64 and BOOL, a BOOL byte other than 0 and 1, a read error, no memory.
  Result<HostTensor> load(std::string_view name) const;

 private:
  struct Descriptor;
  std::string path_;
  std::shared_ptr<Descriptor> descriptor_;
  std::uint64_t data_start_ = 0;
  std::vector<SafetensorsEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

using NamedTensors = std::vector<std::pair<std::string, const HostTensor *>>;

/// Writes the tensors (any strides; stored dense) to `path`, replacing what is there. The same tensors give the same bytes.
/// Errors: an empty, repeated or not UTF-8 name, a name that is `__metadata__`, a null tensor, an i1 element that is neither
/// 0 nor 1, any I/O error; a regular file that could not be written whole is removed.
Status write_safetensors(const std::string &path, const NamedTensors &tensors, const std::map<std::string, std::string> &metadata = {});
/// The same to an open file descriptor, such as standard output.
Status write_safetensors(int descriptor, const NamedTensors &tensors, const std::map<std::string, std::string> &metadata = {});

} // namespace tilefold::support
