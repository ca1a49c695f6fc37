#include "runtime/races.hpp"

#include <algorithm>

namespace ptx {

// Times only grow, so that those of an earlier block do no harm.
void SharedRaces::begin(std::size_t bytes, std::uint32_t threads) {
  ++epoch_;
  if (bytes_.size() < bytes) bytes_.resize(bytes);
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

bool SharedRaces::ordered(const Event& before, std::uint32_t thread) const {
  if (before.epoch < epoch_ || before.thread == thread) return true;
  return before.thread / 32 == thread / 32 && known_[thread * 32ull + before.thread % 32] >= before.time;
}

std::string SharedRaces::note(std::uint32_t thread, std::size_t offset, int bytes, Access access, Strength strength) {
  const Event now{epoch_, known(thread, thread % 32), static_cast<std::uint16_t>(thread), strength};
  const auto races = [&](const Event& before) {
    return !ordered(before, thread) && !(before.strength == Strength::strong && strength == Strength::strong);
  };
  const auto words = [&](const Event& before, const char* what) {
    return "thread " + std::to_string(thread) + (access == Access::write ? " writes" : " reads") + " byte " +
           std::to_string(offset) + " of shared memory that thread " + std::to_string(before.thread) + " " + what +
           ", and no barrier lies between";
  };
  for (std::size_t i = offset; i < offset + static_cast<std::size_t>(bytes); ++i) {
    Byte& byte = bytes_[i];
    if (races(byte.write)) return words(byte.write, "wrote");
    if (access == Access::write) {
      for (const Event& read : byte.read)
        if (races(read)) return words(read, "read");
      byte.write = now;
    } else {
      if (byte.read[0].thread != thread) byte.read[1] = byte.read[0];
      byte.read[0] = now;
    }
  }
  return {};
}

}  // namespace ptx
