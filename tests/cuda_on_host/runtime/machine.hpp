// The view of a thread of translated PTX: its block, other threads, memory. A block is run by one thread of the host,
// its threads one after the other until they wait (launch.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/arithmetic.hpp"

namespace ptx {

enum class Space { generic, global, shared, local, constant, param };
enum class Access { read, write };
/// Strong: volatile, relaxed or atomic. Two strong accesses to shared memory are no race.
enum class Strength : std::uint8_t { weak, strong };
enum class Shuffle { up, down, bfly, idx };

class SharedRaces;

/// The state of a barrier: who has come, and how often all had.
struct Gate {
  std::uint32_t arrived = 0;
  std::uint64_t generation = 0;
};
/// The gate of threads of a warp, with what they hand to each other. It keeps two generations: who is late still reads
/// the one before.
struct WarpGate : Gate {
  std::uint64_t value[2][32];
  std::uint32_t came[2];  // mask
};

struct Warp {
  std::uint32_t threads = 0, exited = 0;    // masks
  std::map<std::uint32_t, WarpGate> gates;  // by the mask of the threads that meet
  std::uint32_t last_mask = 0;
  WarpGate* last_gate = nullptr;
};

struct Block {
  std::uint32_t threads[3], index[3], blocks[3];
  std::uint64_t shared = 0, dynamic_shared = 0, shared_end = 0;  // addresses, below 4 GB
  std::uint32_t running = 0;
  std::map<std::uint32_t, Gate> gates;  // by the number of the barrier
  std::uint32_t votes[3] = {};          // of the reduction at a barrier: all, any, count; then the results
  std::uint32_t verdict[3] = {};
  std::vector<Warp> warps;
  SharedRaces* races = nullptr;
};

/// Bytes that nobody has written: NaN in either precision, and no index of anything.
inline constexpr std::uint32_t unknown_word = 0x7ff7a5a5;
void fill_unknown(void* begin, std::size_t bytes);

inline std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

/// The addresses from which cudaMalloc() allocates.
struct DeviceMemory {
  static std::uint64_t begin, bytes;
  static bool has(std::uint64_t address) { return address - begin < bytes; }
};

struct Thread {
  Block* block;
  std::uint32_t index[3];
  std::uint32_t linear;  // in its block
  void* stack = nullptr;
  bool done = false;

  std::uint32_t lane() const { return linear % 32; }
  Warp& warp() const { return block->warps[linear / 32]; }

  void block_barrier(std::uint32_t barrier, std::uint32_t threads = 0);
  bool block_and(std::uint32_t barrier, bool predicate);
  bool block_or(std::uint32_t barrier, bool predicate);
  std::uint32_t block_popc(std::uint32_t barrier, bool predicate);
  void warp_barrier(std::uint32_t mask);
  std::uint32_t vote_ballot(std::uint32_t mask, bool predicate);
  bool vote_any(std::uint32_t mask, bool predicate);
  bool vote_all(std::uint32_t mask, bool predicate);
  bool vote_uni(std::uint32_t mask, bool predicate);
  std::uint32_t match_any(std::uint32_t mask, std::uint64_t value);
  std::uint32_t shuffle(Shuffle mode, std::uint32_t value, std::uint32_t source, std::uint32_t clamp,
                        std::uint32_t mask, bool& found);

  /// Ends the program: a device would fault, or might.
  [[noreturn]] void fault(const char* what, std::uint64_t address = 0) const;

  template <Space space>
  bool in_space(std::uint64_t address) const {
    if (space == Space::shared) return address >= block->shared && address < block->shared_end;
    if (space == Space::global) return DeviceMemory::has(address);
    return !in_space<Space::shared>(address) && !in_space<Space::global>(address);
  }
  /// Checks that a device could make this access.
  template <Space space, Access access, Strength strength, int bytes>
  void check(std::uint64_t address) const {
    if (address % bytes != 0) fault("misaligned access", address);
    if (space == Space::shared || (space == Space::generic && in_space<Space::shared>(address)))
      check_shared(address, bytes, access, strength);
    else if (space == Space::global && !DeviceMemory::has(address))
      check_variable(address);
  }

 private:
  /// The values that the threads of a mask gave when they met.
  struct Given {
    const std::uint64_t* value;
    std::uint32_t came;
  };
  template <class Ready>
  void wait(Gate& gate, Ready ready);
  WarpGate& gate_of(std::uint32_t mask) const;
  Given meet(std::uint32_t mask, std::uint64_t value);
  std::uint32_t alive(std::uint32_t mask) const { return mask & warp().threads & ~warp().exited; }
  void check_shared(std::uint64_t address, int bytes, Access access, Strength strength) const;
  void check_variable(std::uint64_t address) const;
};

template <class T>
inline T loaded(std::uint64_t address) {
  return *reinterpret_cast<const T*>(address);
}
template <class T>
inline void store(std::uint64_t address, T value) {
  *reinterpret_cast<T*>(address) = value;
}

/// memory = update(memory); gives what it was. Blocks run side by side.
template <class T, class Update>
inline T atomically(std::uint64_t address, Update update) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(T) == sizeof(Word));
  auto* const memory = reinterpret_cast<Word*>(address);
  Word before = __atomic_load_n(memory, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(memory, &before, bits<Word>(T(update(bits<T>(before)))), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
  return bits<T>(before);
}
template <class T>
inline T atomic_add(std::uint64_t a, T x) {
  return atomically<T>(a, [x](T m) { return T(m + x); });
}
template <class T>
inline T atomic_and(std::uint64_t a, T x) {
  return atomically<T>(a, [x](T m) { return T(m & x); });
}
template <class T>
inline T atomic_or(std::uint64_t a, T x) {
  return atomically<T>(a, [x](T m) { return T(m | x); });
}
template <class T>
inline T atomic_xor(std::uint64_t a, T x) {
  return atomically<T>(a, [x](T m) { return T(m ^ x); });
}
template <class T>
inline T atomic_min(std::uint64_t a, T x) {
  return atomically<T>(a, [x](T m) { return std::min(m, x); });
}
template <class T>
inline T atomic_max(std::uint64_t a, T x) {
  return atomically<T>(a, [x](T m) { return std::max(m, x); });
}
template <class T>
inline T atomic_exch(std::uint64_t a, T x) {
  return atomically<T>(a, [x](T) { return x; });
}
template <class T>
inline T atomic_cas(std::uint64_t a, T expected, T x) {
  return atomically<T>(a, [=](T m) { return m == expected ? x : m; });
}
template <class T>
inline T atomic_inc(std::uint64_t a, T x) {
  return atomically<T>(a, [x](T m) { return m >= x ? T(0) : T(m + 1); });
}
template <class T>
inline T atomic_dec(std::uint64_t a, T x) {
  return atomically<T>(a, [x](T m) { return m == 0 || m > x ? x : T(m - 1); });
}

/// A translated kernel; found by its name from here on.
struct Kernel {
  std::string name;
  void (*run)(Thread&, const std::uint8_t* parameters);
  bool waits;  // for other threads
  std::size_t shared_bytes;
  std::vector<std::pair<std::size_t, std::size_t>> parameters;  // offset and size of each

  Kernel(std::string name, void (*run)(Thread&, const std::uint8_t*), bool waits, std::size_t shared_bytes,
         std::vector<std::pair<std::size_t, std::size_t>> parameters);
  static const Kernel* find(const std::string& name);
};

/// A variable of a module, in the memory of the device.
struct Variable {
  Variable(std::uint64_t address, std::size_t bytes);
};

}  // namespace ptx
