// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/Report.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilefold::sim {

const char *name(FindingKind kind) {
  switch (kind) {
  case FindingKind::Race: return "race";
  case FindingKind::InFlight: return "in-flight";
  case FindingKind::MissingProxyFence: return "missing-proxy-fence";
  case FindingKind::Accumulator: return "accumulator";
  case FindingKind::Deadlock: return "deadlock";
  case FindingKind::OutOfBounds: return "out-of-bounds";
  case FindingKind::Misaligned: return "misaligned";
  case FindingKind::Uninitialised: return "uninitialised";
  case FindingKind::Divergence: return "divergence";
  case FindingKind::IllegalOperand: return "illegal-operand";
  case FindingKind::IllegalWrite: return "illegal-write";
  case FindingKind::Leak: return "leak";
  case FindingKind::Trap: return "trap";
  }
  return "?";
}

std::string Place::text() const {
  return file.empty() ? operation : fmt::format("{} ({}:{}:{})", operation, file, line, column);
}

void Statistics::add(const Statistics &other) {
  for (const auto &[operation, count] : other.instructions)
    instructions[operation] += count;
  globalBytesRead += other.globalBytesRead;
  globalBytesWritten += other.globalBytesWritten;
  sharedBytesRead += other.sharedBytesRead;
  sharedBytesWritten += other.sharedBytesWritten;
  sharedAccesses += other.sharedAccesses;
  bankConflicts += other.bankConflicts;
  blocks += other.blocks;
  barriers += other.barriers;
}

void Report::add(Finding finding) {
  std::lock_guard lock(mutex);
  for (Finding &known : list)
    if (known.kind == finding.kind && known.kernel == finding.kernel && known.place == finding.place &&
        known.hasOther == finding.hasOther && known.otherPlace == finding.otherPlace) {
      known.count += finding.count;
      return;
    }
  list.push_back(std::move(finding));
}

void Report::add(const Statistics &statistics) {
  std::lock_guard lock(mutex);
  counts.add(statistics);
}

static std::string threadText(const ThreadName &thread) {
  return fmt::format("thread {} of block {}", thread.thread, thread.block);
}

std::string Report::text() const {
  std::string text;
  for (const Finding &finding : list) {
    text += fmt::format("========= {}: {}\n", name(finding.kind), finding.text);
    text += fmt::format("=========     by {} at {} in {}\n", threadText(finding.thread), finding.place.text(), finding.kernel);
    if (finding.hasOther)
      text += fmt::format("=========     {} {} at {}\n", finding.otherIsElsewhere ? "another block" : threadText(finding.otherThread),
                          finding.otherText, finding.otherPlace.text());
    for (const std::string &note : finding.notes)
      text += fmt::format("=========     {}\n", note);
    if (finding.count > 1)
      text += fmt::format("=========     and {} more like it between the same places\n", finding.count - 1);
  }
  text += fmt::format("========= {} finding{}\n", list.size(), list.size() == 1 ? "" : "s");
  return text;
}

static nlohmann::ordered_json toJson(const Place &place, const ThreadName *thread) {
  nlohmann::ordered_json json;
  json["operation"] = place.operation;
  if (!place.file.empty()) {
    json["file"] = place.file;
    json["line"] = place.line;
    json["column"] = place.column;
  }
  if (thread) {
    json["block"] = thread->block;
    json["thread"] = thread->thread;
  }
  return json;
}

std::string Report::json() const {
  nlohmann::ordered_json json;
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding &finding : list) {
    nlohmann::ordered_json one;
    one["kind"] = name(finding.kind);
    one["kernel"] = finding.kernel;
    one["text"] = finding.text;
    one["at"] = toJson(finding.place, &finding.thread);
    if (finding.hasOther) {
      one["other"] = toJson(finding.otherPlace, finding.otherIsElsewhere ? nullptr : &finding.otherThread);
      one["other"]["text"] = finding.otherText;
    }
    if (!finding.notes.empty())
      one["notes"] = finding.notes;
    one["count"] = finding.count;
    json["findings"].push_back(std::move(one));
  }
  json["statistics"] = {{"instructions", counts.instructions},
                        {"global_bytes_read", counts.globalBytesRead},
                        {"global_bytes_written", counts.globalBytesWritten},
                        {"shared_bytes_read", counts.sharedBytesRead},
                        {"shared_bytes_written", counts.sharedBytesWritten},
                        {"shared_wavefronts", counts.sharedAccesses},
                        {"bank_conflicts", counts.bankConflicts},
                        {"blocks", counts.blocks},
                        {"barriers", counts.barriers}};
  return json.dump(2);
}

} // namespace tilefold::sim
