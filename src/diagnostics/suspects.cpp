#include "diagnostics/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "diagnostics/tile_loops.hpp"

namespace manychain::diagnostics {
namespace {

/// Sums over the halves of superchains.
class Halves {
 public:
  Halves(std::size_t chains, std::size_t superchains)
      : chains_(chains), superchains_(superchains > 1 ? std::min(superchains, chains) : chains) {}

  /// The difference of the halves, in units of what the draws of each vary by.
  template <class Number>
  double difference(const DrawsView<Number>& draws, std::size_t variable) {
    const std::size_t half = draws.draws / 2;
    const auto origin = static_cast<double>(draws(0, variable, 0));
    sums_.assign(2 * superchains_, 0.0);
    squares_.assign(2 * superchains_, 0.0);
    for (const std::size_t part : {0, 1}) {
      of_chains_.assign(2 * chains_, 0.0);
      for (std::size_t t = 0; t < half; ++t) {
        const Number* const row = &draws.data[(part * half + t) * draws.draw_stride + variable * draws.variable_stride];
        add_sums(row, chains_, origin, of_chains_.data(), of_chains_.data() + chains_);
      }
      for (std::size_t c = 0; c < chains_; ++c) {
        sums_[part * superchains_ + c % superchains_] += of_chains_[c];
        squares_[part * superchains_ + c % superchains_] += of_chains_[chains_ + c];
      }
    }
    return difference(half);
  }

 private:
  double difference(std::size_t half) const {
    std::vector<double> means, spreads;
    const double all = static_cast<double>(2 * half * chains_);
    const double mean = std::accumulate(sums_.begin(), sums_.end(), 0.0) / all;
    const double variance = std::accumulate(squares_.begin(), squares_.end(), 0.0) / all - mean * mean;
    double by_mean = 0, by_spread = 0;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const std::size_t superchain = k % superchains_;
      const auto n = static_cast<double>((chains_ - superchain + superchains_ - 1) / superchains_ * half);
      const double m = sums_[k] / n, s = squares_[k] / n - 2 * mean * m + mean * mean;
      by_mean += (m - mean) * (m - mean) / variance;
      by_spread += (s - variance) * (s - variance) / (2 * variance * variance);
    }
    return std::max(by_mean, by_spread);
  }

  std::size_t chains_, superchains_;
  std::vector<double> of_chains_, sums_, squares_;
};

}  // namespace

template <class Number>
std::vector<std::size_t> most_suspect_first(const DrawsView<Number>& draws, std::size_t superchains) {
  std::vector<std::size_t> order(draws.variables);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (draws.chain_stride != 1 || draws.draws < 2 || draws.chains == 0) return order;
  Halves halves(draws.chains, superchains);
  std::vector<double> difference;
  for (std::size_t v = 0; v < draws.variables; ++v) {
    const double found = halves.difference(draws, v);
    difference.push_back(std::isfinite(found) ? found : std::numeric_limits<double>::max());
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return difference[a] > difference[b]; });
  return order;
}
template std::vector<std::size_t> most_suspect_first(const DrawsView<float>&, std::size_t);
template std::vector<std::size_t> most_suspect_first(const DrawsView<double>&, std::size_t);

}  // namespace manychain::diagnostics
