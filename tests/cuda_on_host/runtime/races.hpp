// Races in the shared memory of a block: two threads use a byte, one writes it, and no barrier lies between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/machine.hpp"

namespace ptx {

/// Keeps for each word of four bytes its last write and its last two readers, and for each thread what it has waited
/// for: a barrier of the block orders what all its threads did, one of a warp what the threads of its mask did.
/// Shuffles and votes order nothing, as the PTX manual says.
class SharedRaces {
 public:
  /// Another block begins: what the one before did is past.
  void begin(std::size_t bytes, std::uint32_t threads);

  /// Threads that have met at a barrier: what each did before lies before what any of them does next.
  void met_in_block() { ++epoch_; }
  void met_in_warp(std::uint32_t warp, std::uint32_t lanes);

  /// Notes an access. What it races with, in words; empty: with nothing.
  std::string note(std::uint32_t thread, std::size_t offset, int bytes, Access access, Strength strength);

 private:
  /// An access of a thread and its time: in which epoch of all blocks, and at which time of its own.
  struct Event {
    std::uint64_t epoch = 0;  // 0: never
    std::uint32_t time = 0;
    std::uint16_t thread = 0;
    std::uint8_t bytes = 0;  // a mask
    Strength strength = Strength::weak;
  };
  struct Word {
    Event write, read[2];
  };
  bool race(const Event& before, const Event& now) const;
  std::uint32_t& known(std::uint32_t thread, std::uint32_t lane) { return known_[thread * 32ull + lane]; }

  std::vector<Word> words_;
  std::vector<std::uint32_t> known_;  // [thread][lane] time up to which a thread knows what another of its warp did
  std::uint64_t epoch_ = 0;
};

}  // namespace ptx
