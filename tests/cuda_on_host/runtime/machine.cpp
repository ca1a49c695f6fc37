#include "runtime/machine.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/launch.hpp"
#include "runtime/races.hpp"

namespace ptx {

namespace {

std::map<std::string, const Kernel*>& kernels() {
  static std::map<std::string, const Kernel*> all;
  return all;
}
std::vector<std::pair<std::uint64_t, std::size_t>>& variables() {
  static std::vector<std::pair<std::uint64_t, std::size_t>> all;
  return all;
}

}  // namespace

Kernel::Kernel(std::string kernel_name, void (*function)(Thread&, const std::uint8_t*), bool waits_for_others,
               std::size_t shared, std::vector<std::pair<std::size_t, std::size_t>> offsets_and_sizes)
    : name(std::move(kernel_name)),
      run(function),
      waits(waits_for_others),
      shared_bytes(shared),
      parameters(std::move(offsets_and_sizes)) {
  kernels()[name] = this;
}
const Kernel* Kernel::find(const std::string& name) {
  const auto found = kernels().find(name);
  return found == kernels().end() ? nullptr : found->second;
}

Variable::Variable(std::uint64_t address, std::size_t bytes) { variables().emplace_back(address, bytes); }

void fill_unknown(void* begin, std::size_t bytes) {
  auto* const to = static_cast<unsigned char*>(begin);
  std::size_t done = std::min(bytes, sizeof unknown_word);
  std::memcpy(to, &unknown_word, done);
  while (done < bytes) {
    const std::size_t more = std::min(done, bytes - done);
    std::memcpy(to + done, to, more);
    done += more;
  }
}

void Thread::fault(const char* what, std::uint64_t address) const {
  std::fprintf(stderr, "\nCUDA on the host: %s", what);
  if (address) std::fprintf(stderr, " at %#llx", static_cast<unsigned long long>(address));
  std::fprintf(stderr, ", kernel %s, block (%u, %u, %u), thread %u\n", running_kernel(), block->index[0],
               block->index[1], block->index[2], linear);
  std::abort();
}

void Thread::check_variable(std::uint64_t address) const {
  for (const auto& [begin, bytes] : variables())
    if (address - begin < bytes) return;
  fault("access to global memory that is not the device's", address);
}

void Thread::check_shared(std::uint64_t address, int bytes, Access access, Strength strength) const {
  if (address < block->shared || address + static_cast<std::uint64_t>(bytes) > block->shared_end)
    fault("access outside the shared memory of the block", address);
  if (!block->races) return;
  const std::string race = block->races->note(linear, address - block->shared, bytes, access, strength);
  if (!race.empty()) fault(("race: " + race).c_str());
}

/// Waits until `ready`, or until somebody else found it so. The first to see it opens the gate.
template <class Ready>
void Thread::wait(Gate& gate, Ready ready) {
  const std::uint64_t generation = gate.generation;
  while (gate.generation == generation) {
    if (ready()) {
      gate.arrived = 0;
      ++gate.generation;
      note_progress();
      return;
    }
    yield(*this);
  }
}

WarpGate& Thread::gate_of(std::uint32_t mask) const {
  if (!(mask >> lane() & 1)) fault("a warp instruction whose mask leaves out a thread that is there");
  Warp& w = warp();
  if (w.last_mask != mask) {
    w.last_mask = mask;
    w.last_gate = &w.gates[mask];
  }
  return *w.last_gate;
}
Thread::Given Thread::meet(std::uint32_t mask, std::uint64_t value) {
  WarpGate& gate = gate_of(mask);
  const std::uint64_t side = gate.generation % 2;
  gate.value[side][lane()] = value;
  gate.arrived |= 1u << lane();
  wait(gate, [&] {
    const std::uint32_t expected = alive(mask);
    gate.came[side] = gate.arrived;
    return (gate.arrived & expected) == expected;
  });
  return {gate.value[side], gate.came[side]};
}
void Thread::warp_barrier(std::uint32_t mask) {
  WarpGate& gate = gate_of(mask);
  gate.arrived |= 1u << lane();
  wait(gate, [&] {
    const std::uint32_t expected = alive(mask);
    const bool open = (gate.arrived & expected) == expected;
    if (open && block->races) block->races->met_in_warp(linear / 32, expected);
    return open;
  });
}

// Threads that have ended are not waited for.
void Thread::block_barrier(std::uint32_t barrier, std::uint32_t threads) {
  Gate& gate = block->gates[barrier];
  ++gate.arrived;
  wait(gate, [&] {
    const std::uint32_t wanted = threads > 0 ? threads : block->running;
    const bool open = gate.arrived >= wanted;
    if (open) {
      if (wanted >= block->running && block->races) block->races->met_in_block();
      for (std::uint32_t k = 0; k < 3; ++k) block->verdict[k] = std::exchange(block->votes[k], k == 0);
    }
    return open;
  });
}
bool Thread::block_and(std::uint32_t barrier, bool predicate) {
  block->votes[0] &= predicate;
  block_barrier(barrier);
  return block->verdict[0];
}
bool Thread::block_or(std::uint32_t barrier, bool predicate) {
  block->votes[1] |= predicate;
  block_barrier(barrier);
  return block->verdict[1];
}
std::uint32_t Thread::block_popc(std::uint32_t barrier, bool predicate) {
  block->votes[2] += predicate;
  block_barrier(barrier);
  return block->verdict[2];
}

std::uint32_t Thread::match_any(std::uint32_t mask, std::uint64_t value) {
  const Given given = meet(mask, value);
  std::uint32_t same = 0;
  for (std::uint32_t l = 0; l < 32; ++l)
    if (given.came >> l & 1 && given.value[l] == value) same |= 1u << l;
  return same;
}
std::uint32_t Thread::vote_ballot(std::uint32_t mask, bool predicate) {
  const Given given = meet(mask, predicate);
  std::uint32_t ballot = 0;
  for (std::uint32_t l = 0; l < 32; ++l) ballot |= static_cast<std::uint32_t>(given.value[l] & 1) << l;
  return ballot & given.came;
}
bool Thread::vote_any(std::uint32_t mask, bool predicate) { return vote_ballot(mask, predicate) != 0; }
bool Thread::vote_all(std::uint32_t mask, bool predicate) { return vote_ballot(mask, !predicate) == 0; }
bool Thread::vote_uni(std::uint32_t mask, bool predicate) {
  const std::uint32_t others = vote_ballot(mask, predicate);
  return others == 0 || others == alive(mask);
}

std::uint32_t Thread::shuffle(Shuffle mode, std::uint32_t value, std::uint32_t source, std::uint32_t clamp,
                              std::uint32_t mask, bool& found) {
  const Given given = meet(mask, value);
  // As in the PTX manual: `clamp` has the bound in its low five bits and the mask of the segment above.
  const int here = static_cast<int>(lane()), segment = static_cast<int>(clamp >> 8 & 31);
  const int last = (here & segment) | (static_cast<int>(clamp & 31) & ~segment), b = static_cast<int>(source & 31);
  int from = 0;
  switch (mode) {
    case Shuffle::up:
      from = here - b;
      break;
    case Shuffle::down:
      from = here + b;
      break;
    case Shuffle::bfly:
      from = here ^ b;
      break;
    case Shuffle::idx:
      from = (here & segment) | (b & ~segment);
      break;
  }
  found = mode == Shuffle::up ? from >= last : from <= last;
  if (!found) from = here;
  if (!(mask >> from & 1)) fault("a shuffle from a lane that is not in its mask");
  return static_cast<std::uint32_t>(given.value[from]);
}

}  // namespace ptx
