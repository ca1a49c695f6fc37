// Longer trajectories where few chains mix slowly. The length that follows from the metric is right for posteriors near
// a normal one. Elsewhere longer trajectories may have as many effective draws per gradient, and more per draw: few
// chains, whose number of draws is given, then pass the usual diagnostics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <vector>

#include "warmup/travelling.hpp"

namespace manychain {

/// Places of the chains of a group: [look][chain][component].
using ChainPlaces = std::vector<double>;

/// Ranks of values over their number; equal ones have their mean rank.
inline std::vector<double> relative_ranks(const std::vector<double>& values) {
  const std::size_t n = values.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(n);
  for (std::size_t first = 0, end = 0; first < n; first = end) {
    while (end < n && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t k = first; k < end; ++k)
      ranks[order[k]] = 0.5 * static_cast<double>(first + end) / static_cast<double>(n);
  }
  return ranks;
}

/// For each sequence of looks one minus the largest rank correlation (Spearman's) of successive looks, of any component
/// that varies; 1 if none does. A variance, in the place of ranks, would be that of a chain in a tail. Ranks are those
/// among all sequences.
inline std::vector<double> slowest_moves(const std::vector<const ChainPlaces*>& sequences, std::size_t chains,
                                         std::size_t components) {
  std::vector<double> least(sequences.size(), 1), values;
  for (std::size_t i = 0; i < components; ++i) {
    values.clear();
    for (const ChainPlaces* places : sequences)
      for (std::size_t k = i; k < places->size(); k += components) values.push_back((*places)[k]);
    const std::vector<double> ranks = relative_ranks(values);
    double variance = 0;
    for (const double rank : ranks) variance += (rank - 0.5) * (rank - 0.5) / static_cast<double>(ranks.size());
    std::size_t first = 0;
    for (std::size_t s = 0; s < sequences.size() && variance > 0; ++s) {
      const std::size_t end = first + sequences[s]->size() / components;
      double squares = 0;
      for (std::size_t k = first + chains; k < end; ++k)
        squares += (ranks[k] - ranks[k - chains]) * (ranks[k] - ranks[k - chains]);
      least[s] = std::min(least[s], squares / static_cast<double>(end - first - chains) / (2 * variance));
      first = end;
    }
  }
  return least;
}

/// Compares lengths behind the last stage, in groups of WarmupEnd::arrived whose last window mixed slowly.
class LongerTrajectories final : public Estimator {
 public:
  explicit LongerTrajectories(TunedGroups& groups) : Estimator(groups), last_(groups.size()) {}

  void update(const Stage& stage, std::size_t group) override {
    if (!stage.update_metric || !is_open()) return;
    const WindowOfGroup& window = groups_[group].window;
    const std::size_t looks = window.log_densities.size() / groups_.chains_of_group();
    // Points of chains that are lost are missing: the window before then stays.
    if (looks < fewest_looks || window.points.size() != looks * groups_.chains_of_group() * layout.dimension) return;
    last_[group] = {window.points, static_cast<double>(stage.transitions) / static_cast<double>(looks)};
  }

  void finish(Transitions& transitions) override {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (is_open() && is_slow(last_[g])) lengthen(g, transitions);
  }

 private:
  // In windows of 16 chains accel_gp moves 0.1 to 0.3, gp_pois_regr and the centred eight schools 0.4 to 0.5, and all
  // others of examples/posteriors more. Hierarchies near the value have R-hats of 1.01 of 1000 draws.
  static constexpr double slow = 0.45;
  // A split R-hat: no length lets chains of two modes meet.
  static constexpr double apart = 2;
  static constexpr double longer = std::numbers::sqrt2;
  // Effective draws per gradient over those of the shorter length: accel_gp had 0.89 to 1.11 in trials of eight seeds.
  static constexpr double least_gain = 0.8;
  static constexpr std::size_t moves = 1024, fewest_chains = 8;
  static constexpr std::size_t fewest_looks = 32;
  // Ranks of a component of a window take 0.1 ms, and its points are kept.
  static constexpr std::size_t most_components = 1000;

  bool is_open() const {
    return settings.warmup.end == WarmupEnd::arrived && groups_.length_is_open() &&
           groups_.chains_of_group() >= fewest_chains && layout.dimension <= most_components;
  }

  struct LastWindow {
    ChainPlaces places;
    double interval = 1;  ///< transitions from one look to the next
  };
  bool is_slow(const LastWindow& window) const {
    const std::size_t chains = groups_.chains_of_group(), d = layout.dimension;
    if (window.places.empty()) return false;
    const double moved = slowest_moves({&window.places}, chains, d)[0];
    return 1 - std::pow(1 - moved, 1 / window.interval) < slow && largest_split_rhat(window.places, chains, d) < apart;
  }

  /// Makes the trajectories of a group longer if that pays. All groups have the transitions.
  void lengthen(std::size_t group, Transitions& transitions) {
    GroupTuning& tuning = groups_[group].tuning;
    const double limit = static_cast<double>(groups_.tuning(group).leapfrog_limit) * tuning.step_size;
    if (longer * tuning.trajectory > limit) return;
    const ChainPlaces before = places_of(group, transitions);
    change_length(group, longer);
    const ChainPlaces after = places_of(group, transitions);
    const std::vector<double> moved = slowest_moves({&before, &after}, groups_.chains_of_group(), layout.dimension);
    if (effective(moved[1]) < least_gain * longer * effective(moved[0])) change_length(group, 1 / longer);
  }

  void change_length(std::size_t group, double factor) {
    groups_[group].tuning.trajectory *= factor;
    groups_.send(group);
  }

  /// Effective draws of a draw, of autocorrelations that fall as (1 - moved)^t.
  static double effective(double moved) { return moved / (2 - moved); }

  ChainPlaces places_of(std::size_t group, Transitions& transitions) const {
    const std::size_t row = groups_.chains_of_group() * layout.dimension;
    ChainPlaces places;
    for (std::size_t k = 0; k < moves / groups_.chains_of_group(); ++k) {
      transitions(1);
      const std::vector<double> all = engine.points(settings.chains).positions;
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(group * row);
      places.insert(places.end(), first, first + static_cast<std::ptrdiff_t>(row));
    }
    return places;
  }

  std::vector<LastWindow> last_;  ///< [group] that has the points of all chains
};

}  // namespace manychain
