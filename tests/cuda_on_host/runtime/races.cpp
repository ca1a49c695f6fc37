#include "runtime/races.hpp"

#include <algorithm>

namespace ptx {

// Times only grow, so that those of an earlier block do no harm.
void SharedRaces::begin(std::size_t bytes, std::uint32_t threads) {
  ++epoch_;
  if (words_.size() < (bytes + 3) / 4) words_.resize((bytes + 3) / 4);
  for (std::uint32_t t = static_cast<std::uint32_t>(known_.size() / 32); t < threads; ++t) {
    known_.resize((t + 1) * 32ull);
    known(t, t % 32) = 1;
  }
}

// Vector clocks (Fidge 1988, Mattern 1989) of the lanes of a warp. A lane's own entry is its time.
void SharedRaces::met_in_warp(std::uint32_t warp, std::uint32_t lanes) {
  std::uint32_t latest[32] = {};
  for (std::uint32_t l = 0; l < 32; ++l)
    if (lanes >> l & 1)
      for (std::uint32_t k = 0; k < 32; ++k) latest[k] = std::max(latest[k], known(warp * 32 + l, k));
  for (std::uint32_t l = 0; l < 32; ++l)
    if (lanes >> l & 1) {
      for (std::uint32_t k = 0; k < 32; ++k) known(warp * 32 + l, k) = latest[k];
      ++known(warp * 32 + l, l);
    }
}

bool SharedRaces::race(const Event& before, const Event& now) const {
  if (before.epoch < epoch_ || before.thread == now.thread || !(before.bytes & now.bytes)) return false;
  if (before.strength == Strength::strong && now.strength == Strength::strong) return false;
  const bool known_before =
      before.thread / 32 == now.thread / 32 && known_[now.thread * 32ull + before.thread % 32] >= before.time;
  return !known_before;
}

std::string SharedRaces::note(std::uint32_t thread, std::size_t offset, int bytes, Access access, Strength strength) {
  Event now{epoch_, known(thread, thread % 32), static_cast<std::uint16_t>(thread), 0, strength};
  const auto told = [&](const Event& before, std::size_t word, const char* what) {
    return "thread " + std::to_string(thread) + (access == Access::write ? " writes" : " reads") + " bytes of word " +
           std::to_string(word) + " of shared memory that thread " + std::to_string(before.thread) + " " + what +
           ", and no barrier lies between";
  };
  const std::size_t end = offset + static_cast<std::size_t>(bytes);
  now.bytes = static_cast<std::uint8_t>(bytes >= 4 ? 15 : ((1 << bytes) - 1) << offset % 4);  // accesses are aligned
  for (std::size_t i = offset / 4; i < (end + 3) / 4; ++i) {
    Word& word = words_[i];
    if (race(word.write, now)) return told(word.write, i, "wrote");
    if (access == Access::write) {
      for (const Event& read : word.read)
        if (race(read, now)) return told(read, i, "read");
      word.write = now;
    } else {
      if (word.read[0].thread != now.thread) word.read[1] = word.read[0];
      word.read[0] = now;
    }
  }
  return {};
}

}  // namespace ptx
