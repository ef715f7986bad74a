// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/Banks.h"
#include <algorithm>

namespace tilefold::sim {

static constexpr uint32_t kBanks = 32, kBankBytes = 4;

Wavefronts countWavefronts(const std::vector<uint32_t> &addresses, uint32_t bytes) {
  Wavefronts total;
  const size_t together = std::max<size_t>(1, kBanks * kBankBytes / std::max(bytes, kBankBytes));
  for (size_t first = 0; first < addresses.size(); first += together) {
    std::vector<uint32_t> words;
    for (size_t i = first; i < std::min(first + together, addresses.size()); ++i)
      for (uint32_t at = addresses[i] / kBankBytes; at * kBankBytes < addresses[i] + bytes; ++at)
        words.push_back(at);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    uint32_t load[kBanks] = {};
    for (uint32_t word : words)
      ++load[word % kBanks];
    total.needed += *std::max_element(load, load + kBanks);
    total.least += (words.size() + kBanks - 1) / kBanks;
  }
  return total;
}

void BankCounter::note(uint16_t site, uint32_t lane, uint32_t address, uint32_t bytes) {
  uint32_t occurrence = occurrences[uint32_t(site) << 5 | lane]++;
  Instruction &instruction = open[uint64_t(occurrence) << 16 | site];
  instruction.bytes = bytes;
  instruction.addresses.push_back(address);
}

Wavefronts BankCounter::flush() {
  Wavefronts total;
  for (const auto &[key, instruction] : open) {
    Wavefronts one = countWavefronts(instruction.addresses, instruction.bytes);
    total.needed += one.needed;
    total.least += one.least;
  }
  open.clear();
  occurrences.clear();
  return total;
}

} // namespace tilefold::sim
