// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often a warp's accesses to shared memory have to be repeated because lanes want different words of one bank.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilefold::sim {

struct Wavefronts {
  uint64_t needed = 0, least = 0; ///< with these addresses; with the best ones for the same bytes
};

/// One instruction of a warp: 32 banks of four bytes. Eight-byte accesses go half a warp at a time, sixteen-byte ones a
/// quarter. Lanes that read the same word share it.
Wavefronts countWavefronts(const std::vector<uint32_t> &addresses, uint32_t bytes);

/// Puts the lanes' accesses back together: lanes run one after another, so the n-th access of each lane at a site belongs to
/// one instruction.
class BankCounter {
public:
  void note(uint16_t site, uint32_t lane, uint32_t address, uint32_t bytes);
  /// Counts all that was noted since the last time.
  Wavefronts flush();

private:
  struct Instruction {
    uint32_t bytes = 0;
    std::vector<uint32_t> addresses;
  };
  std::unordered_map<uint64_t, Instruction> open;     ///< by site and occurrence
  std::unordered_map<uint32_t, uint32_t> occurrences; ///< by site and lane
};

} // namespace tilefold::sim
