// The chains that an engine holds: all of its run, or the range of one of several ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "run/ranks.hpp"

namespace manychain {

class Engine;

/// The draws that an engine of several gives.
enum class DrawsOf { all_chains, own_chains };

class Share {
 public:
  /// All chains.
  explicit Share(const Settings& settings) : Share(settings, nullptr) {}
  /// The range of ranks.rank(), which must outlive this. Its bounds are those of the sums of 256 chains that are
  /// pooled, where there are enough chains. A range lies within one group, or has whole groups. Throws BadInput if
  /// there are too few chains for the ranks.
  Share(const Settings& settings, Ranks& ranks, DrawsOf draws = DrawsOf::all_chains) : Share(settings, &ranks) {
    draws_ = draws;
  }

  bool whole() const { return ranks_ == nullptr; }
  /// True if draws are to be gathered.
  bool gathers_draws() const { return !whole() && draws_ == DrawsOf::all_chains; }
  Ranks& ranks() const { return *ranks_; }
  std::int64_t first() const { return begin_[here_]; }
  std::int64_t count() const { return begin_[here_ + 1] - begin_[here_]; }
  std::int64_t all() const { return begin_.back(); }
  std::int64_t stride() const { return stride_; }  ///< of all chains: whole packs of any width
  std::int64_t chains_per_group() const { return chains_per_group_; }
  /// True if no sum of 256 chains lies on both sides of a bound.
  bool whole_partials() const { return whole_partials_; }

  /// Chains of a group from `begin` to `end`, counted within all; none if they are equal.
  struct Range {
    std::int64_t begin, end;
  };
  std::size_t ranges() const { return begin_.size() - 1; }
  /// The chains of a group that a rank holds.
  Range of_group(std::size_t rank, std::int64_t group) const {
    const std::int64_t first = group * chains_per_group_, last = std::min(first + chains_per_group_, all());
    const std::int64_t begin = std::clamp(begin_[rank], first, last);
    return {begin, std::clamp(begin_[rank + 1], begin, last)};
  }
  /// The first `chains` of all chains that this rank holds.
  std::size_t among_first(std::size_t chains) const { return among_first(here_, chains); }

  /// [row][chain] of all chains, from the rows of each rank's own.
  template <class Values>
  Values gathered(Values mine, std::size_t rows) const {
    if (whole()) return mine;
    Values sent(rows * static_cast<std::size_t>(all()));
    gather(mine.data(), sent.data(), [&](std::size_t r) { return rows * size_of_range(r) * sizeof mine[0]; });
    return sorted(std::move(sent), rows);
  }
  /// Likewise, at the first rank; the others get nothing.
  template <class Values>
  Values gathered_at_first(Values mine, std::size_t rows) const {
    if (whole()) return mine;
    std::vector<std::size_t> sent(ranges(), 0), received(ranges(), 0);
    sent[0] = mine.size() * sizeof mine[0];
    for (std::size_t r = 0; r < ranges() && here_ == 0; ++r) received[r] = rows * size_of_range(r) * sizeof mine[0];
    Values got(here_ == 0 ? rows * static_cast<std::size_t>(all()) : 0);
    ranks_->exchange(mine.data(), sent, got.data(), received);
    return here_ == 0 ? sorted(std::move(got), rows) : got;
  }
  /// [row][chain] from [rank][row][chain of the rank].
  template <class Values>
  Values sorted(Values by_rank, std::size_t rows) const {
    if (rows == 1) return by_rank;
    Values sorted(by_rank.size());
    const auto* from = by_rank.data();
    for (std::size_t r = 0; r < ranges(); ++r)
      for (std::size_t row = 0; row < rows; ++row, from += size_of_range(r))
        std::copy_n(from, size_of_range(r), sorted.begin() + static_cast<std::ptrdiff_t>(row) * all() + begin_[r]);
    return sorted;
  }
  /// [chain][element] of the first `chains` chains, from what each rank has of its own among these.
  template <class T>
  std::vector<T> gathered_first(std::vector<T> mine, std::size_t chains, std::size_t elements) const {
    if (whole()) return mine;
    std::vector<T> values(std::min(chains, static_cast<std::size_t>(all())) * elements);
    gather(mine.data(), values.data(), [&](std::size_t r) { return among_first(r, chains) * elements * sizeof(T); });
    return values;
  }
  /// The reverse of gathered_at_first(): `mine` gets the columns of this rank, from rows of all chains that the first
  /// one has. Numbers have `size` bytes.
  void deal_columns(const char* all, std::size_t rows, std::size_t size, char* mine) const;
  /// Gives all ranks the bytes of the first one.
  void send_from_first(char* bytes, std::size_t count) const;
  /// Bytes of each rank, one behind the other.
  template <class Bytes>
  void gather(const void* mine, void* to, const Bytes& bytes_of) const {
    std::vector<std::size_t> bytes;
    for (std::size_t r = 0; r < ranges(); ++r) bytes.push_back(bytes_of(r));
    ranks_->gather(mine, to, bytes);
  }
  /// This rank's columns of rows of all chains.
  template <class T>
  std::vector<T> own(const std::vector<T>& values) const {
    if (whole()) return values;
    std::vector<T> mine;
    for (auto row = values.begin(); row != values.end(); row += all())
      mine.insert(mine.end(), row + first(), row + first() + count());
    return mine;
  }
  /// The rank that holds a chain.
  std::size_t holder(std::int64_t chain) const {
    return static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), chain) - begin_.begin()) - 1;
  }
  std::size_t here() const { return here_; }
  std::size_t begin_of_range(std::size_t r) const { return static_cast<std::size_t>(begin_[r]); }
  std::size_t size_of_range(std::size_t r) const { return static_cast<std::size_t>(begin_[r + 1] - begin_[r]); }

 private:
  Share(const Settings& settings, Ranks* ranks);
  std::size_t among_first(std::size_t rank, std::size_t chains) const {
    const auto n = static_cast<std::int64_t>(chains);
    return static_cast<std::size_t>(std::min(begin_[rank + 1], n) - std::min(begin_[rank], n));
  }

  Ranks* ranks_;
  DrawsOf draws_ = DrawsOf::all_chains;
  std::size_t here_ = 0;
  std::vector<std::int64_t> begin_;  ///< of each range, then the number of chains
  std::int64_t stride_, chains_per_group_;
  bool whole_partials_ = true;
};

/// An engine that is one of several: every call is one of all ranks, and what it says is of all chains.
std::unique_ptr<Engine> make_cpu_engine(const Model& model, const Settings& settings, const Share& share);
std::unique_ptr<Engine> make_cuda_engine(const Model& model, const Settings& settings, const Share& share);

}  // namespace manychain
