// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run found, and what it counted.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tilefold::sim {

/// Where an operation of a kernel was written: its name, and the kernel's C++ line.
struct Place {
  std::string operation; ///< "nvvm.ldmatrix"
  std::string file;
  unsigned line = 0, column = 0;
  std::string text() const; ///< "nvvm.ldmatrix (fa2.cpp:41:12)"
  bool operator==(const Place &) const = default;
};

enum class FindingKind {
  Race,            ///< two accesses, one of them a write, that nothing orders
  InFlight,        ///< touches memory that an asynchronous operation still reads or writes
  MissingProxyFence, ///< generic writes that the async proxy reads without a fence between
  Accumulator,     ///< an accumulator or operand register of wgmma used before its wait
  Deadlock,
  OutOfBounds,
  Misaligned,
  Uninitialised,
  Divergence,      ///< an operation of a whole warp (or warpgroup, or block) that not all of its threads reach
  IllegalOperand,  ///< a descriptor, barrier count, register count ... that the machine does not allow
  IllegalWrite,    ///< to memory that is only an input
  Leak,            ///< work still in flight, or barriers still waited for, at the end of the kernel
  Trap,
};
const char *name(FindingKind kind);

/// One thread of a launch.
struct ThreadName {
  uint32_t block = 0, thread = 0;
};

struct Finding {
  FindingKind kind;
  std::string kernel;
  std::string text;        ///< one sentence
  Place place;             ///< of the operation that noticed
  ThreadName thread;
  bool hasOther = false;   ///< the other party
  Place otherPlace;
  ThreadName otherThread;
  bool otherIsElsewhere = false; ///< in another block that runs by itself: its thread is not known
  std::string otherText;   ///< "wrote it", "reads it, in flight"
  std::vector<std::string> notes; ///< of a deadlock: what each group of threads waits for
  uint64_t count = 1;      ///< how often the same kind was seen between the same two places
};

/// Counts of one launch or of many.
struct Statistics {
  std::map<std::string, uint64_t> instructions; ///< by operation; a warp's operation counts once a warp
  uint64_t globalBytesRead = 0, globalBytesWritten = 0;
  uint64_t sharedBytesRead = 0, sharedBytesWritten = 0;
  uint64_t sharedAccesses = 0, bankConflicts = 0; ///< wavefronts needed, and those beyond the least possible
  uint64_t blocks = 0, barriers = 0;
  void add(const Statistics &other);
};

/// Findings of one or more launches; the same kind between the same two places is kept once and counted.
class Report {
public:
  void add(Finding finding); ///< from any thread
  void add(const Statistics &statistics);
  const std::vector<Finding> &findings() const { return list; }
  const Statistics &statistics() const { return counts; }

  std::string text() const; ///< in the manner of compute-sanitizer
  std::string json() const;

private:
  std::mutex mutex;
  std::vector<Finding> list;
  Statistics counts;
};

} // namespace tilefold::sim
