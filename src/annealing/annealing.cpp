#include "annealing/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "annealing/island.hpp"
#include "manychain/core/error.hpp"
#include "random/chain_variates.hpp"
#include "starts/each_path.hpp"

namespace manychain {
namespace {

constexpr std::size_t first_temperatures = 8;
// The log weights of particles that mix at each temperature have a variance of the squared barrier over the number of
// temperatures. From some barrier on resampling keeps them together.
constexpr double temperatures_of_barrier = 8;
// The barrier of particles that hardly mix does not tell how many temperatures it takes; the error of log Z does.
constexpr double enough_error = 0.05;
constexpr std::size_t temperatures_for_precision = 128;
constexpr double least_intensity = 1e-3;  // of the mean one
constexpr std::uint64_t round_of_weights = 62, round_back = 63, resampled_in_the_end = std::uint64_t{1} << 35;

struct IslandFound {
  std::vector<StepFound> steps;
  Annealed end;
};

/// All islands, each with a path from `begin` over `inverse`.
class Travel {
 public:
  Travel(const Model& model, const Reference& reference, const AnnealingWanted& wanted)
      : model_(model), reference_(reference), wanted_(wanted) {}

  /// `draws`: [particle][dimension] to begin with; empty: of the reference.
  std::vector<IslandFound> operator()(double begin, const std::vector<double>& inverse,
                                      const std::vector<double>& log_steps, const std::vector<double>& draws,
                                      std::uint64_t round, bool adapts) const {
    const std::size_t d = reference_.dimension();
    const std::size_t all = draws.empty() ? wanted_.particles : draws.size() / d;
    const std::size_t of_island = all / islands_of_annealing;
    if (of_island == 0) throw BadInput("annealing takes 16 particles or more");
    std::vector<IslandFound> found(islands_of_annealing);
    StartsWanted team;
    team.from.resize(islands_of_annealing);
    team.threads = wanted_.threads;
    team.cancel = wanted_.cancel;
    PathTeam for_each_island(model_, team);
    for_each_island([&](std::size_t g, const DensityEvaluator& density) {
      const std::size_t first = g * of_island;
      // Draws of each round are its own.
      const std::size_t numbered = wanted_.first + first, number = numbered + (round << 32);
      std::vector<double> points =
          draws.empty() ? reference_.draw(wanted_.seed, number, of_island)
                        : std::vector<double>(draws.begin() + static_cast<std::ptrdiff_t>(first * d),
                                              draws.begin() + static_cast<std::ptrdiff_t>((first + of_island) * d));
      Island island(density, reference_, std::move(points), {wanted_.seed, numbered, round});
      island.begin_at(begin);
      for (std::size_t t = 0; t < inverse.size(); ++t)
        found[g].steps.push_back(island.step(inverse[t], log_steps[t], inverse[t] > 0, adapts));
      const Eigen::MatrixXd& x = island.points();
      found[g].end.points.assign(x.data(), x.data() + x.size());
      found[g].end.log_weights = island.log_weights();
      found[g].end.resampled = island.resampled();
      found[g].end.evaluations = island.evaluations();
    });
    return found;
  }

 private:
  const Model& model_;
  const Reference& reference_;
  const AnnealingWanted& wanted_;
};

std::size_t evaluations_of(const std::vector<IslandFound>& islands) {
  std::size_t sum = 0;
  for (const IslandFound& island : islands) sum += island.end.evaluations;
  return sum;
}

/// The barrier of each step, and the steps that islands ended with, of a round.
struct RoundFound {
  std::vector<double> intensities, log_steps;
};
RoundFound pooled(const std::vector<IslandFound>& islands) {
  RoundFound found;
  for (std::size_t t = 0; t < islands[0].steps.size(); ++t) {
    double before = minus_infinity, first = minus_infinity, second = minus_infinity, step = 0;
    for (const IslandFound& island : islands) {
      before = log_add(before, island.steps[t].log_weight);
      first = log_add(first, island.steps[t].log_first);
      second = log_add(second, island.steps[t].log_second);
      step += island.steps[t].log_step / static_cast<double>(islands.size());
    }
    if (first == minus_infinity)
      throw SamplingFailed(
          "annealing: the log density is finite at no particle: the reference lies outside of the support");
    found.intensities.push_back(std::sqrt(std::max(0.0, (second - before) - 2 * (first - before))));
    found.log_steps.push_back(step);
  }
  return found;
}

/// y(x) through points (x[k], y[k]), x ascending, by straight lines; constant beyond them.
double interpolated(const std::vector<double>& x, const std::vector<double>& y, double at) {
  const auto above = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), at) - x.begin());
  if (above == 0) return y.front();
  if (above == x.size()) return y.back();
  const double part = (at - x[above - 1]) / (x[above] - x[above - 1]);
  return y[above - 1] + part * (y[above] - y[above - 1]);
}

/// As many temperatures, with equal steps of the barrier.
AnnealingSchedule equalised(const AnnealingSchedule& schedule, const RoundFound& found, std::size_t temperatures) {
  AnnealingSchedule next;
  next.barrier = std::accumulate(found.intensities.begin(), found.intensities.end(), 0.0);
  const double floor = std::max(least_intensity * next.barrier / static_cast<double>(schedule.inverse.size()), 1e-12);
  std::vector<double> inverse = {0}, cumulated = {0};
  for (std::size_t t = 0; t < schedule.inverse.size(); ++t) {
    inverse.push_back(schedule.inverse[t]);
    cumulated.push_back(cumulated.back() + std::max(found.intensities[t], floor));
  }
  for (std::size_t t = 1; t <= temperatures; ++t) {
    const double part = static_cast<double>(t) / static_cast<double>(temperatures);
    const double b = t == temperatures ? 1 : interpolated(cumulated, inverse, part * cumulated.back());
    next.inverse.push_back(b);
    next.log_steps.push_back(interpolated(schedule.inverse, found.log_steps, b));
  }
  return next;
}

std::size_t wanted_temperatures(double barrier, const AnnealingWanted& wanted) {
  const double enough = std::min(barrier * barrier, std::max(64.0, temperatures_of_barrier * barrier));
  return static_cast<std::size_t>(std::clamp(enough, static_cast<double>(wanted.fewest_temperatures),
                                             static_cast<double>(wanted.most_temperatures)));
}

/// The standard error of a sum of terms of mean zero, one of each particle: the larger of that of independent particles
/// and that of independent islands. Where some weights are large, few islands have them, and the scatter of the others
/// is too small. An error over its estimate from n units has the t distribution with n - 1 degrees of freedom, whose
/// variance is (n - 1) / (n - 3): the estimate is larger by its root.
double error_of_sum(const std::vector<double>& terms) {
  const auto error = [&](std::size_t units) {
    std::vector<double> sums(units);
    for (std::size_t k = 0; k < terms.size(); ++k) sums[k * units / terms.size()] += terms[k];
    double squares = 0;
    for (const double s : sums) squares += s * s;
    return std::sqrt(squares * static_cast<double>(units) / static_cast<double>(units - 3));
  };
  return std::max(error(terms.size()), error(islands_of_annealing));
}

/// Weights of all islands together.
Annealed joined(const std::vector<IslandFound>& islands) {
  Annealed all;
  for (const IslandFound& island : islands) {
    all.points.insert(all.points.end(), island.end.points.begin(), island.end.points.end());
    all.log_weights.insert(all.log_weights.end(), island.end.log_weights.begin(), island.end.log_weights.end());
    all.resampled += island.end.resampled;
    all.evaluations += island.end.evaluations;
  }
  const double n = static_cast<double>(all.log_weights.size()), sum = log_sum(all.log_weights);
  if (!(sum > minus_infinity)) throw SamplingFailed("annealing: no particle has come to a finite log density");
  double squares = 0;
  for (const double w : all.log_weights) squares += std::exp(2 * (w - sum));
  all.log_z = sum - std::log(n);
  all.ess = 1 / squares;
  std::vector<double> relative;
  for (const double w : all.log_weights) relative.push_back(std::exp(w - sum) - 1 / n);
  all.error = error_of_sum(relative);
  return all;
}

}  // namespace

AnnealingSchedule find_schedule(const Model& model, const Reference& reference, const AnnealingWanted& wanted) {
  AnnealingSchedule schedule;
  std::size_t temperatures = std::min(first_temperatures, wanted.most_temperatures);
  const double first_step = -0.25 * std::log(static_cast<double>(reference.dimension())) - 0.5;
  for (std::size_t t = 1; t <= temperatures; ++t) {
    const double part = static_cast<double>(t) / static_cast<double>(temperatures);
    schedule.inverse.push_back(part * part);
    schedule.log_steps.push_back(first_step);
  }
  const Travel travel(model, reference, wanted);
  std::size_t evaluations = 0;
  for (std::uint64_t round = 0;; ++round) {
    const auto islands = travel(0, schedule.inverse, schedule.log_steps, {}, round, true);
    evaluations += evaluations_of(islands);
    const RoundFound found = pooled(islands);
    const double barrier = std::accumulate(found.intensities.begin(), found.intensities.end(), 0.0);
    const bool precise = temperatures >= wanted.most_temperatures || temperatures >= temperatures_for_precision ||
                         joined(islands).error <= enough_error;
    const bool enough = precise && temperatures >= wanted_temperatures(barrier, wanted);
    if (!enough) temperatures = std::min(2 * temperatures, wanted.most_temperatures);
    schedule = equalised(schedule, found, temperatures);
    schedule.evaluations = evaluations;
    if (enough) return schedule;
  }
}

Annealed anneal(const Model& model, const Reference& reference, const AnnealingSchedule& schedule,
                const AnnealingWanted& wanted) {
  return joined(Travel(model, reference, wanted)(0, schedule.inverse, schedule.log_steps, {}, round_of_weights, false));
}

Annealed anneal_back(const Model& model, const Reference& reference, const AnnealingSchedule& schedule,
                     const std::vector<double>& draws, const AnnealingWanted& wanted) {
  std::vector<double> inverse(schedule.inverse.rbegin() + 1, schedule.inverse.rend());
  inverse.push_back(0);
  std::vector<double> log_steps(schedule.log_steps.rbegin() + 1, schedule.log_steps.rend());
  log_steps.push_back(schedule.log_steps.front());
  Annealed back = joined(Travel(model, reference, wanted)(1, inverse, log_steps, draws, round_back, false));
  back.log_z = -back.log_z;
  return back;
}

WeightedMean weighted_mean(const Annealed& annealed, const std::vector<double>& values) {
  const std::vector<double>& logs = annealed.log_weights;
  const double all = log_sum(logs);
  WeightedMean mean;
  for (std::size_t k = 0; k < logs.size(); ++k) mean.value += std::exp(logs[k] - all) * values[k];
  std::vector<double> residuals;
  for (std::size_t k = 0; k < logs.size(); ++k) residuals.push_back(std::exp(logs[k] - all) * (values[k] - mean.value));
  mean.error = error_of_sum(residuals);
  return mean;
}

std::vector<double> resampled_points(const Annealed& annealed, std::size_t count, std::uint64_t seed,
                                     const std::vector<std::size_t>& stratum) {
  const std::size_t n = annealed.log_weights.size(), d = annealed.points.size() / n;
  const double all = log_sum(annealed.log_weights);
  const auto uniforms_of = [&](std::size_t chain, std::size_t how_many) {
    std::vector<double> u(how_many);
    chain_uniforms({seed, Purpose::annealing, chain, resampled_in_the_end}, 1, how_many, u.data());
    return u;
  };
  const double begin = uniforms_of(0, 1)[0];
  std::vector<std::size_t> chosen, particles(n);
  std::iota(particles.begin(), particles.end(), std::size_t{0});
  if (!stratum.empty())
    std::stable_sort(particles.begin(), particles.end(),
                     [&](std::size_t a, std::size_t b) { return stratum[a] < stratum[b]; });
  double sum = 0;
  for (const std::size_t k : particles) {
    sum += std::exp(annealed.log_weights[k] - all) * static_cast<double>(count);
    while (chosen.size() < count && static_cast<double>(chosen.size()) + begin <= sum) chosen.push_back(k);
  }
  const auto heaviest =
      std::max_element(annealed.log_weights.begin(), annealed.log_weights.end()) - annealed.log_weights.begin();
  chosen.resize(count, static_cast<std::size_t>(heaviest));  // what rounding has left
  std::vector<double> keys = uniforms_of(1, count), points;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  for (const std::size_t k : order) {
    const double* const x = annealed.points.data() + chosen[k] * d;
    points.insert(points.end(), x, x + d);
  }
  return points;
}

}  // namespace manychain
