#include "modes/look.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "modes/ascent.hpp"
#include "modes/parts_of_mixtures.hpp"
#include "modes/shell.hpp"
#include "modes/wide_points.hpp"
#include "run/defaults.hpp"
#include "starts/each_path.hpp"
#include "starts/pathfinder.hpp"

namespace manychain {
namespace {

constexpr std::size_t some_points = 1024, most_points = 32768, side_by_side = 4;
constexpr std::size_t evaluations_if_small = 3072;
constexpr std::size_t first_wave = 8;       // points of each thread; then whole multiples, which fill packs
constexpr std::size_t growth = 8;           // of all points from one wave to the next, at most
constexpr std::size_t steps_of_point = 16;  // evaluations, on average of those at once
constexpr std::size_t known_from = 8, known_if_expensive = 1;  // chains whose peaks are known
constexpr std::size_t seen_for_each = 4;                       // mode, at most
constexpr std::size_t draws_of_spike = 256;
constexpr double spike_ends = 2.5;          // of its standard deviations, times the root of the dimension
constexpr double doubtful_by = 3;           // of the log mass where no normal distribution fits well
constexpr double very_nearly_normal = 0.4;  // Path::elbo_spread; beyond, the mode may be much larger than its normal
// Ends of climbs whose log density lies lower by this, and by `widest` for each dimension, are not looked at. A mode of
// the same mass that is wider by exp(`widest`) in all directions lies so much lower.
constexpr double negligible = 30, widest = 3;
constexpr std::size_t most_evaluations = 40000, fewest_evaluations = 64;
constexpr std::size_t fewest_for_shape = 2048;
constexpr double most_numbers = 1 << 29;
// In a short run of a model of few numbers, whose evaluation takes less than a microsecond: two milliseconds for all.
constexpr double spent_if_small = 0.05, numbers_if_small = 1 << 19;
constexpr double spent_on_look = 0.015, spent_if_expensive = 0.005;  // of the gradients of the run so far
// For more than some points, of a model of few numbers.
constexpr double evaluations_for_many = 32768, numbers_for_many = 1 << 21;
// A look before annealing may take what one behind so many gradients may.
constexpr std::uint64_t gradients_of_annealing = std::uint64_t{1} << 21,
                        gradients_if_expensive = std::uint64_t{1} << 20;

double numbers_of(const Model& model) { return std::max(static_cast<double>(gradient_values(model).value_or(1)), 1.0); }
/// Evaluations for more than some points.
std::size_t evaluations_further(const Model& model) {
  if (!gradient_values(model)) return evaluations_if_small;
  return static_cast<std::size_t>(std::max(static_cast<double>(evaluations_if_small),
                                           std::min(evaluations_for_many, numbers_for_many / numbers_of(model))));
}

/// The standard deviation of points along a direction.
double spread(const std::vector<double>& along, const std::vector<double>& points) {
  const std::size_t d = along.size(), n = points.size() / d;
  double mean = 0, squares = 0;
  for (std::size_t k = 0; k < n; ++k) mean += dot(along, points.data() + k * d) / static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k) squares += std::pow(dot(along, points.data() + k * d) - mean, 2);
  return std::sqrt(squares / static_cast<double>(n));
}

class Look {
 public:
  Look(const Model& model, const Place& place, const LookWanted& wanted)
      : model_(model), place_(place), wanted_(wanted), d_(place.dimension()) {}

  FoundModes operator()() {
    const DensityEvaluator density = detail::evaluator_of(model_, paths_of({}));
    find_known(density);
    if (known_.empty()) return {};
    known_.insert(known_.end(), wanted_.peaks.begin(), wanted_.peaks.end());
    climb_from_parts(density);
    climb();
    tell_apart(density);
    const std::vector<Peak> peaks = peaks_beyond_a_valley(density);
    found_.elsewhere = peaks.size();
    // Chains whose mass is known are in many places, of which no spike or shell is asked for.
    const bool in_one_place = std::isnan(wanted_.log_mass);
    const bool looks_closer = in_one_place && wanted_.evaluations >= fewest_for_shape;
    if (in_one_place) keep_parts_within(density);
    if (!in_one_place) parts_.clear();
    if (!peaks.empty() || looks_closer || !parts_.empty()) follow(density, peaks, looks_closer);
    if (looks_closer) add_shell(density);
    return std::move(found_);
  }

 private:
  struct Peak {
    std::vector<double> x;
    bool has_chains;
  };

  StartsWanted paths_of(std::vector<std::vector<double>> from) const {
    return {std::move(from), 0, wanted_.seed, first_path_of_look, wanted_.threads, wanted_.cancel, true};
  }

  /// The peaks that chains climb to, from their mean and from some of them: first the one that most come to. In the
  /// midst of chains that are in many modes, whose mass is known, there may be a mode that has none.
  void find_known(const DensityEvaluator& density) {
    std::vector<double> points = std::isnan(wanted_.log_mass) ? place_.centre() : std::vector<double>();
    const std::size_t chains = wanted_.positions.size() / d_;
    const std::size_t count = std::min(has_expensive_gradient(model_) ? known_if_expensive : known_from, chains);
    for (std::size_t k = 0; k < count; ++k) {
      const auto chain = wanted_.positions.begin() + static_cast<std::ptrdiff_t>(k * chains / count * d_);
      points.insert(points.end(), chain, chain + static_cast<std::ptrdiff_t>(d_));
    }
    const Ascended all = ascend(density, place_, {}, points, (count + 1) * steps_of_point);
    found_.evaluations += all.evaluations;
    std::vector<std::size_t> climbed_to;
    std::size_t most = 0;
    for (std::size_t k = 0; k < all.values.size(); ++k) {
      if (!std::isfinite(all.values[k])) continue;
      highest_ = std::max(highest_, all.values[k]);
      const auto x = all.points.begin() + static_cast<std::ptrdiff_t>(k * d_);
      const std::size_t peak = peak_near(place_, known_, &*x);
      if (peak == of_chains_.size()) {
        of_chains_.push_back({all.arrived[k], all.values[k], {x, x + static_cast<std::ptrdiff_t>(d_)}});
        known_.insert(known_.end(), x, x + static_cast<std::ptrdiff_t>(d_));
        climbed_to.push_back(0);
      }
      if (++climbed_to[peak] > climbed_to[most]) most = peak;
    }
    if (most > 0) std::swap(of_chains_[0], of_chains_[most]);
  }

  /// A few chains may be in a mode whose mass they do not tell. A peak of chains is a candidate, as one elsewhere is,
  /// if no line without a valley leads there from a peak of most chains.
  void tell_apart(const DensityEvaluator& density) {
    known_ = wanted_.peaks;
    for (End& end : of_chains_) {
      if (&end == &of_chains_.front() || connected(density, end.x))
        known_.insert(known_.end(), end.x.begin(), end.x.end());
      else
        ends_.push_back(std::move(end));
    }
  }

  /// From where the parts of the model's mixtures lead: they may be modes that nothing else leads to.
  void climb_from_parts(const DensityEvaluator& density) {
    const auto chain = wanted_.positions.begin();
    const std::vector<double> from(chain, chain + static_cast<std::ptrdiff_t>(d_));
    std::vector<double> points;
    PartsOfMixtures parts =
        follow_parts_of_mixtures(model_, from, paths_of({}), wanted_.evaluations / part_on_mixtures);
    found_.evaluations += parts.evaluations;
    for (const Path& path : parts.paths) points.insert(points.end(), path.best_point.begin(), path.best_point.end());
    if (!points.empty()) keep(ascend(density, place_, known_, points, parts.paths.size() * steps_of_point));
    parts_ = std::move(parts.paths);
  }
  /// Leaves parts that lie where the chains are: no valley parts them, though they may be spikes that no chain enters.
  void keep_parts_within(const DensityEvaluator& density) {
    std::erase_if(parts_, [&](const Path& path) {
      return !path.found || path.end != PathEnd::converged || !connected(density, path.normal.mean);
    });
  }

  /// In waves, each on several threads. The first tells how many evaluations a point takes.
  void climb() {
    const WidePoints wide(model_.layout(), place_, wanted_.positions, wanted_.seed, wanted_.number);
    const StartsWanted side = paths_of(std::vector<std::vector<double>>(side_by_side));
    if (!wanted_.left.empty())
      keep(ascend(detail::evaluator_of(model_, side), place_, known_, wanted_.left,
                  wanted_.left.size() / d_ * steps_of_point));
    PathTeam for_each(model_, side);
    const std::size_t before = found_.evaluations;
    for (std::size_t of_each = first_wave; of_each >= first_wave;) {
      std::vector<Ascended> climbed(side_by_side);
      for_each([&](std::size_t p, const DensityEvaluator& density) {
        const std::vector<double> points = wide(found_.points + p * of_each, of_each);
        climbed[p] = ascend(density, place_, known_, points, of_each * steps_of_point);
      });
      found_.points += side_by_side * of_each;
      for (const Ascended& some : climbed) keep(some);
      const std::size_t spent = found_.evaluations - before;
      const bool few = found_.points < some_points;
      const std::size_t may_spend =
          few ? wanted_.evaluations : std::min(wanted_.evaluations, evaluations_further(model_));
      const std::size_t most = few ? some_points : most_points;
      if (spent >= may_spend || found_.points >= most) return;
      const std::size_t affordable = (may_spend - spent) * found_.points / spent;
      of_each =
          std::min({affordable, found_.points * growth, most - found_.points}) / side_by_side / first_wave * first_wave;
    }
  }
  void keep(const Ascended& some) {
    found_.evaluations += some.evaluations;
    for (std::size_t k = 0; k < some.values.size(); ++k) {
      if (some.known[k] || !(some.values[k] > highest_ - negligible - widest * static_cast<double>(d_))) continue;
      const auto at = some.points.begin() + static_cast<std::ptrdiff_t>(k * d_);
      ends_.push_back({some.arrived[k], some.values[k], {at, at + static_cast<std::ptrdiff_t>(d_)}});
    }
  }

  std::vector<std::vector<double>> known() const {
    std::vector<std::vector<double>> peaks;
    for (std::size_t k = 0; k < known_.size() / d_; ++k)
      peaks.emplace_back(known_.begin() + static_cast<std::ptrdiff_t>(k * d_),
                         known_.begin() + static_cast<std::ptrdiff_t>((k + 1) * d_));
    return peaks;
  }

  /// True if a straight line leads there from a known peak, without a valley.
  bool connected(const DensityEvaluator& density, const std::vector<double>& x) {
    for (const std::vector<double>& peak : known()) {
      found_.evaluations += barrier_points;
      if (barrier(density, x, peak) < valley) return true;
    }
    return false;
  }

  /// True if so many chains are there that R-hat sees whether they agree with the rest: no valley lies before the peak
  /// of a chain that is not among the nearest 5 %.
  bool has_chains(const DensityEvaluator& density, const std::vector<double>& x) {
    const std::size_t chains = wanted_.positions.size() / d_, rank = chains / 20;
    std::vector<std::pair<double, std::size_t>> by_distance;
    for (std::size_t c = 0; c < chains; ++c)
      by_distance.emplace_back(place_.squared_distance(wanted_.positions.data() + c * d_, x.data()), c);
    std::nth_element(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(rank), by_distance.end());
    const auto chain = wanted_.positions.begin() + static_cast<std::ptrdiff_t>(by_distance[rank].second * d_);
    const Ascended climbed =
        ascend(density, place_, {}, {chain, chain + static_cast<std::ptrdiff_t>(d_)}, steps_of_point);
    found_.evaluations += climbed.evaluations + barrier_points;
    return barrier(density, x, climbed.points) < valley;
  }

  /// The ends of climbs, each once: those where few chains are first, then those at peaks, the highest first.
  std::vector<Peak> peaks_beyond_a_valley(const DensityEvaluator& density) {
    std::stable_sort(ends_.begin(), ends_.end(),
                     [](const End& a, const End& b) { return a.arrived != b.arrived ? a.arrived : a.value > b.value; });
    std::vector<double> seen;
    std::vector<Peak> peaks;
    for (const End& end : ends_) {
      if (near_peak(place_, seen, end.x.data())) continue;
      const bool enough = peaks.size() == wanted_.most_modes && has_expensive_gradient(model_);
      if (seen.size() / d_ == seen_for_each * wanted_.most_modes || enough) break;
      seen.insert(seen.end(), end.x.begin(), end.x.end());
      if (!connected(density, end.x)) peaks.push_back({end.x, has_chains(density, end.x)});
    }
    std::stable_partition(peaks.begin(), peaks.end(), [](const Peak& peak) { return !peak.has_chains; });
    peaks.resize(std::min(peaks.size(), wanted_.most_modes));
    return peaks;
  }

  /// Fits normals to the peaks, and to one of the chains', which may be a spike that they are not in.
  void follow(const DensityEvaluator& density, const std::vector<Peak>& peaks, bool looks_closer) {
    std::vector<std::vector<double>> from = {of_chains_.front().x};
    for (const Peak& peak : peaks) from.push_back(peak.x);
    const StartsWanted wanted = paths_of(from);
    std::vector<Path> paths(from.size());
    PathTeam for_each_path(model_, wanted);
    for_each_path([&](std::size_t p, const DensityEvaluator& mine) {
      paths[p] = pathfinder(mine, from[p], wanted.seed, wanted.first_path + p);
    });
    for (const Path& path : paths) found_.evaluations += path.evaluations;
    const bool known_mass = !std::isnan(wanted_.log_mass);
    found_.log_mass = known_mass ? wanted_.log_mass : mass_at_chains(density);
    const double log_mass_of_chains = found_.log_mass;
    if (!known_mass && paths[0].found && paths[0].elbo > found_.log_mass) found_.log_mass = paths[0].elbo;
    // Chains that no normal distribution fits may hold less than that; annealing tells how much less.
    const double least = found_.log_mass_is_doubtful
                             ? std::min(found_.log_mass, highest_known_elbo(paths[0])) - doubtful_by
                             : found_.log_mass;
    if (looks_closer) add_spike(density, paths[0], wanted.first_path, log_mass_of_chains);
    for (std::size_t k = 0; k < parts_.size(); ++k)
      if (!looks_closer || !paths[0].found || !alike(parts_[k], paths[0]))
        add_spike(density, parts_[k], wanted.first_path + paths.size() + k, log_mass_of_chains);
    std::vector<double> taken;
    for (std::size_t p = 1; p < paths.size(); ++p) {
      const Path& path = paths[p];
      if (!path.found || path.end != PathEnd::converged) continue;
      const bool normal = path.elbo_spread <= nearly_normal;
      const double sure = least - (path.elbo_spread <= very_nearly_normal ? 0 : doubtful_by);
      if (normal && path.elbo < sure + std::log(least_share)) continue;
      if (!normal && (peaks[p - 1].has_chains || d_ > most_dimensions_of_any_shape)) continue;
      const double* const mean = path.normal.mean.data();
      if (near_peak(place_, taken, mean) || near_peak(place_, known_, mean)) continue;
      if (connected(density, path.normal.mean)) continue;
      taken.insert(taken.end(), mean, mean + d_);
      add(density, path, wanted.first_path + p);
      found_.modes.back().normal = normal;
    }
    std::stable_sort(found_.modes.begin(), found_.modes.end(),
                     [](const FoundMode& a, const FoundMode& b) { return a.log_mass > b.log_mass; });
  }

  double mass_at_chains(const DensityEvaluator& density) {
    const std::size_t chains = wanted_.positions.size() / d_;
    std::vector<double> values(chains);
    density(wanted_.positions.data(), chains, values.data(), nullptr);
    found_.evaluations += chains;
    found_.log_mass_is_doubtful = !fits(place_, wanted_.positions, values);
    return log_mass(place_, wanted_.positions, values);
  }

  /// A lower bound of the mass where the chains are.
  static double highest_known_elbo(const Path& path) {
    return path.found ? path.elbo : std::numeric_limits<double>::infinity();
  }

  void add(const DensityEvaluator& density, const Path& path, std::uint64_t number) {
    FoundMode mode;
    const DrawnStarts drawn = draw_starts(density, path, starts_of_mode, wanted_.seed, number);
    found_.evaluations += drawn.evaluations;
    mode.starts = drawn.points;
    mode.log_mass = path.elbo;
    mode.path = path;
    set_plane(mode, place_, path.normal.mean, wanted_.positions);
    found_.modes.push_back(std::move(mode));
  }
  /// A normal where the chains are, at their peak or by a part of a mixture, if it has a part of the posterior, and too
  /// few of the chains.
  void add_spike(const DensityEvaluator& density, const Path& path, std::uint64_t number, double log_mass_of_chains) {
    const bool normal = path.found && path.end == PathEnd::converged && path.elbo_spread < nearly_normal;
    if (!normal || path.elbo < log_mass_of_chains + std::log(least_share)) return;
    std::vector<double> positions = draw_deviations(path, draws_of_spike, wanted_.seed, number);
    for (std::size_t k = 0; k < positions.size(); ++k) positions[k] += path.normal.mean[k % d_];
    Metric metric;
    metric.scale = path.sds;
    FoundMode mode;
    mode.around = std::make_shared<Place>(positions, metric);
    if (!mode.around->usable()) return;
    mode.within = true;
    mode.beyond = spike_ends * std::sqrt(static_cast<double>(d_));
    mode.log_mass = path.elbo - log_mass_of_chains;
    mode.path = path;
    const std::size_t chains = wanted_.positions.size() / d_;
    for (std::size_t c = 0; c < chains; ++c) mode.chains += mode.has(wanted_.positions.data() + c * d_);
    if (2 * mode.chains > chains) return;
    const DrawnStarts drawn = draw_starts(density, path, starts_of_mode, wanted_.seed, number);
    found_.evaluations += drawn.evaluations;
    mode.starts = drawn.points;
    ++found_.elsewhere;
    found_.modes.push_back(std::move(mode));
  }
  void add_shell(const DensityEvaluator& density) {
    std::optional<FoundMode> shell = find_shell(density, place_, wanted_.seed, found_.evaluations);
    if (!shell) return;
    ++found_.elsewhere;
    for (std::size_t c = 0; c < wanted_.positions.size() / d_; ++c)
      shell->chains += shell->has(wanted_.positions.data() + c * d_);
    found_.modes.push_back(std::move(*shell));
  }
  struct End {
    bool arrived;
    double value;
    std::vector<double> x;
  };

  const Model& model_;
  const Place& place_;
  const LookWanted& wanted_;
  std::size_t d_;
  std::vector<double> known_;   ///< [peak][dimension]
  std::vector<End> of_chains_;  ///< peaks of chains, at first all of the known ones
  double highest_ = -std::numeric_limits<double>::infinity();
  std::vector<End> ends_;
  std::vector<Path> parts_;  ///< of mixtures
  FoundModes found_;
};

}  // namespace

std::size_t evaluations_of_look(const Model& model, std::uint64_t gradients) {
  const double numbers = numbers_of(model);
  const double most =
      std::min({(has_expensive_gradient(model) ? spent_if_expensive : spent_on_look) * static_cast<double>(gradients),
                most_numbers / numbers, static_cast<double>(most_evaluations)});
  if (most < static_cast<double>(fewest_evaluations)) return 0;
  const double small = std::min({spent_if_small * static_cast<double>(gradients),
                                 static_cast<double>(evaluations_if_small), numbers_if_small / numbers});
  return static_cast<std::size_t>(std::max(most, small));
}

std::size_t evaluations_of_look(const Model& model) {
  return evaluations_of_look(model, has_expensive_gradient(model) ? gradients_if_expensive : gradients_of_annealing);
}

std::size_t points_in(const FoundMode& mode, const std::vector<double>& points) {
  constexpr double beyond_radius = 3;  // standard deviations of the distance of normal draws are 0.7
  const std::size_t d = mode.path.normal.mean.size(), count = points.size() / d;
  const double radius = std::sqrt(static_cast<double>(d)) + beyond_radius;
  std::size_t in = 0;
  for (std::size_t k = 0; k < count; ++k) {
    double squares = 0;
    for (std::size_t i = 0; i < d; ++i)
      squares += std::pow((points[k * d + i] - mode.path.normal.mean[i]) / mode.path.sds[i], 2);
    in += squares < radius * radius;
  }
  return in;
}

void set_plane(FoundMode& mode, const Place& place, const std::vector<double>& mean,
               const std::vector<double>& positions) {
  mode.towards = place.solve_difference(mean.data(), place.centre().data());
  const double here = spread(mode.towards, positions), there = spread(mode.towards, mode.starts);
  const double from = dot(mode.towards, place.centre().data()), to = dot(mode.towards, mean.data());
  mode.beyond = from + (to - from) * here / (here + there);
  mode.chains = 0;
  for (std::size_t c = 0; c < positions.size() / place.dimension(); ++c)
    mode.chains += mode.has(positions.data() + c * place.dimension());
}

FoundModes look_for_modes(const Model& model, const Place& place, const LookWanted& wanted) {
  return Look(model, place, wanted)();
}

}  // namespace manychain
