// Draws of a run that are read when they are asked for: those of a store, of which memory holds a part at a time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "manychain/diagnostics/draws.hpp"

namespace manychain {

/// Consecutive draws, or consecutive variables.
struct Stretch {
  std::size_t first = 0, count = 0;
};
/// The k-th, counted from 0, of `of` stretches of about the same length that `all` is cut into.
inline Stretch stretch_of(std::size_t all, std::size_t k, std::size_t of) {
  const std::size_t first = all * k / of;
  return {first, all * (k + 1) / of - first};
}

class Share;

/// The part of `all` that such stretches say.
Draws part_of(const Draws& all, Stretch draws, Stretch variables);

/// Puts `more` draws behind those of `all`, which may be empty.
void append_to(Draws& all, const Draws& more);

class DrawsSource {
 public:
  struct Shape {
    std::size_t draws = 0, variables = 0, chains = 0;
    bool single = false;  ///< float32
    bool stats = false;   ///< there are statistics beside the draws
  };

  virtual ~DrawsSource() = default;
  virtual Shape shape() const = 0;
  /// Throws BadInput where what is read is damaged. Several variables that lie beside each other, or all, are read at
  /// the cost of one.
  virtual Draws draws(Stretch draws, Stretch variables) const = 0;
  virtual Draws sample_stats(Stretch draws, Stretch variables) const = 0;
  /// Ranks that share a source get the draws of those variables that stand at the place of each, which may be none; any
  /// other caller those of the only ones.
  virtual Draws dealt(Stretch draws, const std::vector<Stretch>& variables) const {
    return this->draws(draws, variables.front());
  }
  // As these, for the chains of this rank alone. Ranks that share a source call it alike.
  virtual Draws draws_of_rank(const Share& share, Stretch draws, Stretch variables) const;
  virtual Draws stats_of_rank(const Share& share, Stretch draws, Stretch variables) const;
};

/// Draws that are in memory after all.
class DrawsInMemory : public DrawsSource {
 public:
  DrawsInMemory(Draws draws, Draws stats) : draws_(std::move(draws)), stats_(std::move(stats)) {}
  Shape shape() const override;
  Draws draws(Stretch draws, Stretch variables) const override { return part_of(draws_, draws, variables); }
  Draws sample_stats(Stretch draws, Stretch variables) const override { return part_of(stats_, draws, variables); }

 private:
  Draws draws_, stats_;
};

}  // namespace manychain
