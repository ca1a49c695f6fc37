// Ranks: threads or processes that run one sampler together, each with a range of its chains. All of them do the same
// things in the same order, and what they find in common passes through here.
//
// Nothing is added on the way: a rank gets what all have given, in the order of ranks, and adds it up itself. So every
// rank knows the same numbers, bit by bit, and takes the same decisions.
//
// No rank waits for one that has failed. A rank whose work has thrown says so in the place of its next message, and
// the others leave theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "manychain/core/error.hpp"

namespace manychain {

/// Another rank has failed; together() throws the reason.
class OtherRankFailed : public Error {
 public:
  OtherRankFailed() : Error("another rank has failed") {}
};

class Ranks {
 public:
  virtual ~Ranks() = default;
  int rank() const { return rank_; }
  int size() const { return size_; }

  // Calls in which all ranks take part, from one thread of each. They throw OtherRankFailed.
  /// Each rank gives bytes[rank()] bytes; `all` gets those of all. The sizes are the same at all ranks.
  void gather(const void* mine, void* all, const std::vector<std::size_t>& bytes);
  /// Each rank gives every rank a piece: sent[r] bytes for rank r, one behind the other, and received[r] from it.
  void exchange(const void* to, const std::vector<std::size_t>& sent, void* from,
                const std::vector<std::size_t>& received);
  /// [rank] what each gives.
  template <class T>
  std::vector<T> each(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size_));
    gather(&mine, all.data(), std::vector<std::size_t>(all.size(), sizeof(T)));
    return all;
  }
  std::uint64_t sum(std::uint64_t mine);
  /// Texts of any length.
  std::vector<std::string> texts(const std::string& mine);
  /// True if one of the ranks says so.
  bool any(bool mine) { return sum(mine ? 1 : 0) > 0; }

  /// Calls `work` at all ranks. If it throws anywhere, all throw: the first rank's error, of its class if that is one
  /// of core/error.hpp, or EndedEarly. Nothing may be called behind a failure.
  void together(const std::function<void()>& work);
  /// Asks of this rank alone, before each of its calls, as long as this lives: what is thrown there ends all, and the
  /// rank is late for nothing.
  class Asking {
   public:
    Asking(Ranks& ranks, std::function<void()> before_call) : ranks_(ranks) {
      ranks_.before_call_ = std::move(before_call);
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    ~Asking() { ranks_.before_call_ = nullptr; }

   private:
    Ranks& ranks_;
  };
  /// Tells the others that this rank has failed, so that they leave their next call.
  void fail();

  /// Messages and bytes that this rank has sent, and received.
  struct Traffic {
    std::uint64_t calls = 0;     ///< of all ranks together
    std::uint64_t received = 0;  ///< bytes
  };
  Traffic traffic() const { return traffic_; }

 protected:
  Ranks(int rank, int size) : rank_(rank), size_(size) {}
  /// As gather() and exchange(), without any agreement.
  virtual void gather_bytes(const std::byte* mine, std::byte* all, const std::vector<std::size_t>& bytes) = 0;
  virtual void exchange_bytes(const std::byte* to, const std::vector<std::size_t>& sent, std::byte* from,
                              const std::vector<std::size_t>& received) = 0;

 private:
  /// The head of each call, in a message of its own: small pieces travel in it.
  struct Head {
    std::uint32_t failed = 0;
    std::uint32_t call = 0;   ///< how many came before
    std::uint64_t bytes = 0;  ///< of all ranks together, or that are exchanged
    std::byte piece[112] = {};
  };
  /// Throws if a rank has failed.
  std::vector<Head> heads(const Head& mine);
  void count_gathered(const std::vector<std::size_t>& bytes);

  int rank_, size_;
  std::function<void()> before_call_;  ///< may be empty
  std::uint32_t calls_ = 0;
  Traffic traffic_;
};

}  // namespace manychain
