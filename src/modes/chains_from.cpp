#include "modes/chains_from.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "random/chain_variates.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_chains_there = 16, fewest_chains_there = 4, transitions_of_few = 8,
                      evaluations_of_chains = 4096;
constexpr double most_leapfrogs = 256;

/// Points and momenta in standard deviations of the place: [chain][dimension].
class Trajectories {
 public:
  Trajectories(const DensityEvaluator& density, const Whitened& white, std::size_t& evaluations)
      : density_(density), white_(white), d_(white.dimension()), evaluations_(evaluations) {}

  /// [chain] the energies behind so many steps; changes points and momenta.
  std::vector<double> go(std::vector<double>& z, std::vector<double>& momenta, double step, std::size_t steps) {
    for (std::size_t s = 0; s < steps; ++s) {
      kick(momenta, 0.5 * step);
      for (std::size_t k = 0; k < z.size(); ++k) z[k] += step * momenta[k];
      look(z);
      kick(momenta, 0.5 * step);
    }
    return energies(momenta);
  }
  /// Energies at the points, whose gradients are where a trajectory begins.
  std::vector<double> begin(const std::vector<double>& z, const std::vector<double>& momenta) {
    look(z);
    return energies(momenta);
  }

 private:
  void look(const std::vector<double>& z) {
    std::vector<double> points;
    std::vector<bool> finite;
    for (std::size_t k = 0; k < z.size(); k += d_) {
      std::vector<double> x = white_.x_of(z.data() + k);
      finite.push_back(std::all_of(x.begin(), x.end(), [](double element) { return std::isfinite(element); }));
      if (!finite.back()) x = white_.x_of(std::vector<double>(d_, 0.0).data());  // no density is asked for an infinity
      points.insert(points.end(), x.begin(), x.end());
    }
    values_.resize(z.size() / d_);
    gradients_.resize(z.size());
    density_(points.data(), values_.size(), values_.data(), gradients_.data());
    for (std::size_t k = 0; k < values_.size(); ++k)
      if (!finite[k]) values_[k] = std::nan("");
    evaluations_ += values_.size();
  }
  void kick(std::vector<double>& momenta, double step) const {
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const std::vector<double> g = white_.gradient(gradients_.data() + k * d_);
      for (std::size_t i = 0; i < d_; ++i) momenta[k * d_ + i] += step * g[i];
    }
  }
  std::vector<double> energies(const std::vector<double>& momenta) const {
    std::vector<double> all;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const double* const p = momenta.data() + k * d_;
      all.push_back(0.5 * std::inner_product(p, p + d_, p, 0.0) - values_[k]);
    }
    return all;
  }

  const DensityEvaluator& density_;
  const Whitened& white_;
  std::size_t d_;
  std::size_t& evaluations_;
  std::vector<double> values_, gradients_;
};

}  // namespace

ChainsSeen chains_from(const DensityEvaluator& density, const Whitened& white, const double* x,
                       const ChainsWanted& wanted, std::size_t& evaluations) {
  const std::size_t d = white.dimension();
  const auto steps = static_cast<std::size_t>(std::clamp(wanted.trajectory / wanted.step_size, 1.0, most_leapfrogs));
  // Long trajectories leave fewer chains, which have some transitions each.
  const std::size_t all = evaluations_of_chains / (steps + 1),
                    chains = std::clamp(all / transitions_of_few, fewest_chains_there, most_chains_there),
                    transitions = std::clamp<std::size_t>(all / chains, 1, wanted.transitions);
  const std::vector<double> start = white.z_of(x);
  std::vector<double> z;
  for (std::size_t c = 0; c < chains; ++c) z.insert(z.end(), start.begin(), start.end());
  Trajectories trajectories(density, white, evaluations);
  std::size_t made = 0, left = 0;
  double accepted = 0;
  for (std::size_t t = 0; t < transitions && !z.empty(); ++t) {
    const std::size_t count = z.size() / d;
    std::vector<double> momenta(z.size()), uniforms(count), moved = z, stay;
    chain_normals({wanted.seed, Purpose::pathfinder, wanted.path, t}, count, d, momenta.data(), uniforms.data());
    const std::vector<double> before = trajectories.begin(z, momenta),
                              after = trajectories.go(moved, momenta, wanted.step_size, steps);
    for (std::size_t c = 0; c < count; ++c) {
      const double chance = std::isfinite(after[c]) ? std::min(1.0, std::exp(before[c] - after[c])) : 0.0;
      accepted += chance;
      ++made;
      const double* const at = (uniforms[c] < chance ? moved : z).data() + c * d;
      if (std::inner_product(at, at + d, at, 0.0) < wanted.radius * wanted.radius)
        ++left;
      else
        stay.insert(stay.end(), at, at + d);
    }
    z = std::move(stay);
  }
  return {accepted / static_cast<double>(made), std::max(static_cast<double>(left), 0.5) / static_cast<double>(made),
          left == 0};
}

}  // namespace manychain
