#include "warmup/ladder_tuner.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "warmup/ladders.hpp"

namespace manychain {
namespace {

constexpr double wanted_acceptance = 0.8, least_accepted = 0.05;  // of a chain
constexpr std::size_t fewest_temperatures = 4;
constexpr double least_rejected = 1e-3;  // of a pair: inverse temperatures must not meet
// Steps are 1.5 times as long where every proposal was accepted.
constexpr double gain = 2;
// A trajectory into a wall is rejected, however short its steps are.
constexpr double shortest_log_step = -4;
constexpr std::size_t enough_for_scales = 16;  // chains at which half of a new scale is taken
// The mean of log |z| of a standard normal.
constexpr double mean_log_normal = -0.635181422730739;

/// y at x, by points of which x ascends.
double interpolated(const std::vector<double>& xs, const std::vector<double>& ys, double x) {
  const std::size_t above = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::lower_bound(xs.begin(), xs.end(), x) - xs.begin()), 1, xs.size() - 1);
  const double width = xs[above] - xs[above - 1];
  const double part = width > 0 ? std::clamp((x - xs[above - 1]) / width, 0.0, 1.0) : 1;
  return (1 - part) * ys[above - 1] + part * ys[above];
}

/// The median of those that are finite.
double median(std::vector<double> values) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Numbers that are near the log ratios of each pair, so that their exponentials are near one.
void set_centres(const Ladders& rows, int levels) {
  double below = 0;
  for (int k = 0; k < levels; ++k) {
    const double here = median(log_ratios(rows, k, levels));
    if (k > 0) rows.set(rows.at.centre(k - 1), (below + here) / 2);
    below = here;
  }
}

/// The standard deviation of a normal with the gradients that the replicas at a temperature have, by their logarithms:
/// a few that stand far out, and modes of unlike widths, do not decide alone.
double scale_by_gradients(const Ladders& rows, const ReferenceThere& reference, int k, int levels, int i,
                          double otherwise) {
  const double beta = rows.shared(rows.at.beta(k));
  const double *const x = rows.position(k, levels, i), *const slope = rows.gradient(k, levels, i);
  double sum = 0, count = 0;
  for (std::size_t c = 0; c < rows.chains; ++c) {
    double all = beta * slope[c];
    for (std::size_t j = 0; j < reference.shares.size() && beta < 1; ++j) {
      const int part = static_cast<int>(j);
      const double inverse = rows.shared(rows.at.inverse_sd(part) + i);
      all -= (1 - beta) * reference.shares[j][c] * (x[c] - rows.shared(rows.at.mean(part) + i)) * inverse * inverse;
    }
    const double log_slope = std::log(std::fabs(all));
    if (!std::isfinite(log_slope)) continue;
    sum += log_slope;
    count += 1;
  }
  if (count == 0) return otherwise;
  const double weight = count / (count + enough_for_scales);
  return std::exp(weight * (mean_log_normal - sum / count) + (1 - weight) * std::log(otherwise));
}

/// The acceptance rate of HMC at a temperature: the harmonic mean over chains. Those in a narrow mode, for which a step
/// is too long, are not outvoted by the others.
double accepted_at(const Ladders& rows, int k, double transitions) {
  double sum = 0;
  for (std::size_t c = 0; c < rows.chains; ++c)
    sum += 1 / std::max(rows[rows.at.accepted(k)][c] / transitions, least_accepted);
  return static_cast<double>(rows.chains) / sum;
}

/// Logarithms of the steps of HMC at each temperature, [dimension + 1][temperature]: by components, behind them in
/// units of the scales there.
std::vector<std::vector<double>> next_log_steps(const Ladders& rows, int levels, double transitions) {
  const int d = rows.at.dimension;
  std::vector<std::vector<double>> steps(static_cast<std::size_t>(d) + 1,
                                         std::vector<double>(static_cast<std::size_t>(levels)));
  for (int k = 1; k < levels; ++k) {
    const double accepted = accepted_at(rows, k, transitions);
    const ReferenceThere reference = reference_at(rows, k, levels);
    const double unit = rows.shared(rows.at.step(k));
    std::vector<double> scales;
    double wider = 0;
    for (int i = 0; i < d; ++i) {
      const double before = rows.shared(rows.at.steps(k) + i) / unit;
      scales.push_back(scale_by_gradients(rows, reference, k, levels, i, before));
      wider += std::log(scales.back() / before) / d;
    }
    // On the average the steps stay, in the new units.
    const double log_unit =
        std::clamp(std::log(unit) - wider + gain * (accepted - wanted_acceptance), shortest_log_step, 1.0);
    for (int i = 0; i < d; ++i)
      steps[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] =
          log_unit + std::log(scales[static_cast<std::size_t>(i)]);
    steps.back()[static_cast<std::size_t>(k)] = log_unit;
  }
  for (std::vector<double>& logs : steps) logs[0] = logs[1];  // the reference takes no step
  return steps;
}

/// Log of the integral of the reference as chains have it, with rounded numbers: nearly zero.
double log_mass_of_reference(const Ladders& rows) {
  const LadderRows& at = rows.at;
  double mass = 0;
  for (int j = 0; j < static_cast<int>(rows.shared(at.parts())); ++j) {
    double log_mass = rows.shared(at.log_constant()) + rows.shared(at.log_weight(j)) +
                      0.5 * at.dimension * std::log(2 * std::numbers::pi);
    for (int i = 0; i < at.dimension; ++i) log_mass -= std::log(rows.shared(at.inverse_sd(j) + i));
    mass += std::exp(log_mass);
  }
  return std::log(mass);
}

}  // namespace

std::size_t LadderTuner::temperatures_for(double barrier) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(2 * std::min(barrier, 1e3))) + 1,
                                 fewest_temperatures, LadderRows::most);
}

std::vector<std::size_t> LadderTuner::rounds(std::size_t warmup) {
  std::vector<std::size_t> lengths;
  std::size_t left = warmup - warmup / 5;
  for (; left >= 16; left -= lengths.back()) lengths.push_back((left + 1) / 2);
  if (left > 0) lengths.push_back(left);
  std::reverse(lengths.begin(), lengths.end());
  if (warmup >= 5) lengths.push_back(warmup / 5);
  return lengths;
}

void LadderTuner::set(const LadderStart& start) {
  Snapshot taken = engine.snapshot();
  const Ladders rows(taken, layout.dimension);
  const int d = rows.at.dimension, levels = static_cast<int>(start.inverse.size());
  rows.set(rows.at.levels(), levels);
  rows.set(rows.at.parts(), static_cast<double>(start.parts.size()));
  double cumulated = 0, common = 0;
  for (std::size_t j = 0; j < start.parts.size(); ++j) {
    const LadderPart& part = start.parts[j];
    const int row = static_cast<int>(j);
    double log_weight = std::log(part.share);
    for (int i = 0; i < d; ++i) {
      const double sd = part.sd[static_cast<std::size_t>(i)];
      rows.set(rows.at.mean(row) + i, part.mean[static_cast<std::size_t>(i)]);
      rows.set(rows.at.sd(row) + i, sd);
      rows.set(rows.at.inverse_sd(row) + i, 1 / sd);
      log_weight -= std::log(sd);
    }
    if (j == 0) common = log_weight;
    rows.set(rows.at.log_weight(row), log_weight - common);
    cumulated += part.share;
    rows.set(rows.at.cumulated(row), j + 1 == start.parts.size() ? 1 : cumulated);
  }
  rows.set(rows.at.log_constant(), common - 0.5 * static_cast<double>(d) * std::log(2 * std::numbers::pi));
  for (int k = 0; k < levels; ++k) {
    const double step = std::exp(start.log_steps[static_cast<std::size_t>(k)]);
    rows.set(rows.at.beta(k), start.inverse[static_cast<std::size_t>(k)]);
    rows.set(rows.at.step(k), step);
    for (int i = 0; i < d; ++i) rows.set(rows.at.steps(k) + i, step * start.scale[static_cast<std::size_t>(i)]);
    if (k == levels - 1) continue;
    for (int i = 0; i < d; ++i) {
      std::copy_n(rows.position(levels - 1, levels, i), rows.chains, rows.position(k, levels, i));
      std::copy_n(rows.gradient(levels - 1, levels, i), rows.chains, rows.gradient(k, levels, i));
    }
    for (int part = 0; part < 2; ++part)
      std::copy_n(rows.log_density(levels - 1, levels, part), rows.chains, rows.log_density(k, levels, part));
  }
  set_centres(rows, levels);
  rows.zero_sums();
  engine.restore(taken);
}

void LadderTuner::update(const Stage&, std::size_t) {
  const std::size_t all = rounds(*settings.warmup.transitions).size();
  // The last two have the temperatures of the one before, at other places.
  if (++done_ < all) end_round(done_ + 2 < all);
}

void LadderTuner::end_round(bool resizes) {
  Snapshot taken = engine.snapshot();
  const Ladders rows(taken, layout.dimension);
  const int d = rows.at.dimension, levels = rows.levels();
  const double transitions = rows.shared(rows.at.transitions());
  if (!(transitions > 0)) return;
  std::vector<double> inverse, cumulated = {0};
  for (int k = 0; k < levels; ++k) inverse.push_back(rows.shared(rows.at.beta(k)));
  for (int k = 0; k + 1 < levels; ++k)
    cumulated.push_back(cumulated.back() + std::max(rows.mean(rows.at.rejected(k)) / transitions, least_rejected));
  const double barrier = cumulated.back();
  const int next = resizes ? static_cast<int>(temperatures_for(barrier)) : levels;
  const std::vector<std::vector<double>> steps = next_log_steps(rows, levels, transitions);

  // A temperature begins with the replicas that stood nearest.
  Snapshot before = taken;
  const Ladders old(before, layout.dimension);
  for (int k = 0; k < next; ++k) {
    const double there = barrier * k / (next - 1);
    rows.set(rows.at.beta(k), k == next - 1 ? 1 : interpolated(cumulated, inverse, there));
    rows.set(rows.at.step(k), std::exp(interpolated(cumulated, steps.back(), there)));
    for (int i = 0; i < d; ++i)
      rows.set(rows.at.steps(k) + i, std::exp(interpolated(cumulated, steps[static_cast<std::size_t>(i)], there)));
    if (next == levels || k == next - 1) continue;
    const auto above = std::lower_bound(cumulated.begin(), cumulated.end(), there) - cumulated.begin();
    const auto nearer = above > 0 && there - cumulated[static_cast<std::size_t>(above - 1)] <
                                         cumulated[static_cast<std::size_t>(above)] - there;
    const int from = std::min(static_cast<int>(nearer ? above - 1 : above), levels - 1);
    for (int i = 0; i < d; ++i) {
      std::copy_n(old.position(from, levels, i), rows.chains, rows.position(k, next, i));
      std::copy_n(old.gradient(from, levels, i), rows.chains, rows.gradient(k, next, i));
    }
    for (int part = 0; part < 2; ++part)
      std::copy_n(old.log_density(from, levels, part), rows.chains, rows.log_density(k, next, part));
    std::copy_n(old.label(from, levels), rows.chains, rows.label(k, next));
  }
  rows.set(rows.at.levels(), next);
  set_centres(rows, next);
  rows.zero_sums();
  engine.restore(taken);
}

void LadderTuner::reset_sums() {
  Snapshot taken = engine.snapshot();
  Ladders(taken, layout.dimension).zero_sums();
  engine.restore(taken);
}

TemperingFound LadderTuner::found() const {
  Snapshot taken = engine.snapshot();
  const Ladders rows(taken, layout.dimension);
  const LadderRows& at = rows.at;
  const int levels = rows.levels();
  const double transitions = rows.shared(at.transitions()), chains = static_cast<double>(rows.chains);
  const auto count_of = [&](int row) { return static_cast<std::uint64_t>(rows.mean(row) * chains + 0.5); };
  TemperingFound found;
  for (int k = 0; k < levels; ++k) found.inverse.push_back(rows.shared(at.beta(k)));
  if (!(transitions > 0)) return found;
  found.restarts = count_of(at.restarts());
  found.round_trips = count_of(at.round_trips());
  found.log_z = found.log_z_up = found.log_z_down = log_mass_of_reference(rows);
  std::vector<double> deviations(rows.chains);  // relative ones, of all pairs together
  for (int pair = 0; pair + 1 < levels; ++pair) {
    found.rejected.push_back(rows.mean(at.rejected(pair)) / transitions);
    found.barrier += found.rejected.back();
    const double shift = (rows.shared(at.beta(pair + 1)) - rows.shared(at.beta(pair))) * rows.shared(at.centre(pair));
    const double up = rows.mean(at.bridge_up(pair)), down = rows.mean(at.bridge_down(pair));
    found.log_z += shift + std::log(up / down);
    found.log_z_up += shift + std::log(rows.mean(at.up(pair)) / transitions);
    found.log_z_down += shift - std::log(rows.mean(at.down(pair)) / transitions);
    for (std::size_t c = 0; c < rows.chains; ++c)
      deviations[c] += rows[at.bridge_up(pair)][c] / up - rows[at.bridge_down(pair)][c] / down;
  }
  double squares = 0;
  for (const double x : deviations) squares += x * x;
  found.error = std::sqrt(squares / (chains * (chains - 1)));  // NaN of one chain
  return found;
}

}  // namespace manychain
