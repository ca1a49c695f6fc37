// Draws of a run whose chains ranks hold: each has those of its own, and what is asked for is exchanged.
#pragma once

#include <vector>

#include "manychain/run/draws_at.hpp"
#include "run/draws_source.hpp"
#include "run/share.hpp"

namespace manychain {

/// All ranks call all of it alike.
class DrawsInRanks final : public DrawsSource {
 public:
  /// `own`, `own_stats`: of the chains of this rank, which must outlive this. The statistics may be empty.
  DrawsInRanks(const Share& share, const Draws& own, const Draws& own_stats)
      : share_(share), own_(own), own_stats_(own_stats) {}
  Shape shape() const override;
  Draws draws(Stretch draws, Stretch variables) const override { return of_all(part_of(own_, draws, variables)); }
  Draws sample_stats(Stretch draws, Stretch variables) const override {
    return of_all(part_of(own_stats_, draws, variables));
  }
  Draws dealt(Stretch draws, const std::vector<Stretch>& variables) const override;

  const Share& share() const { return share_; }
  const Draws& own() const { return own_; }
  const Draws& own_stats() const { return own_stats_; }

 private:
  Draws of_all(Draws own) const;

  const Share share_;
  const Draws& own_;
  const Draws& own_stats_;
};

/// The draws of the chains of a rank, from those of all.
Draws chains_of_rank(const Share& share, std::size_t rank, const Draws& all);
inline Draws chains_of_rank(const Share& share, const Draws& all) { return chains_of_rank(share, share.here(), all); }
/// The reverse, by all ranks.
Draws given_to(const Share& share, Draws own, DrawsAt at);
/// Draws of the chains from ends[r - 1] to ends[r] to rank r.
Draws given_to(const Share& share, Draws own, const std::vector<std::size_t>& ends);

}  // namespace manychain
