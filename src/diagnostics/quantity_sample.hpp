// The draws of one quantity, copied and sorted once, and every statistic that is not in the summary of a run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "diagnostics/beta_quantile.hpp"
#include "diagnostics/chain_array.hpp"
#include "manychain/diagnostics/quantity_view.hpp"

namespace manychain::diagnostics {

class QuantitySample {
 public:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  explicit QuantitySample(const QuantityView& x) : draws_(x.draws), chains_(x.chains) {
    x_.reserve(draws_ * chains_);
    for (std::size_t c = 0; c < chains_; ++c) {
      for (std::size_t t = 0; t < draws_; ++t) {
        x_.push_back(x(t, c));
        not_finite_ += std::isfinite(x_.back()) ? 0 : 1;
      }
    }
    if (not_finite_ > 0) return;  // a NaN has no place in an order
    sorted_ = x_;
    std::sort(sorted_.begin(), sorted_.end());
  }

  std::size_t not_finite() const { return not_finite_; }
  /// Whether there are draws, and all finite.
  bool usable() const { return !sorted_.empty(); }
  bool constant() const { return usable() && sorted_.front() == sorted_.back(); }
  /// Whether convergence can be asked for at all.
  bool moves() const { return usable() && sorted_.front() != sorted_.back(); }

  double quantile(double p) const { return usable() ? type_7(sorted_, p) : nan; }

  double mean() const {
    if (!moves()) return usable() ? sorted_.front() : nan;
    const double origin = quantile(0.5);  // so that a distant mean costs no digits
    double sum = 0;
    for (double v : x_) sum += v - origin;
    return origin + sum / size();
  }

  double sd() const {
    if (!usable() || x_.size() < 2) return nan;
    return constant() ? 0 : std::sqrt(central_moment_2(mean()) * size() / (size() - 1));
  }

  double mad() const {
    if (!usable()) return nan;
    const double median = quantile(0.5);
    std::vector<double> distances;
    distances.reserve(sorted_.size());
    for (double v : sorted_) distances.push_back(std::abs(v - median));
    std::sort(distances.begin(), distances.end());
    return 1.4826 * type_7(distances, 0.5);
  }

  /// Whole chains, through `of`.
  template <class Of>
  ChainArray whole(const Of& of) const {
    return ChainArray(chains_, draws_, [&](std::size_t t, std::size_t c) { return of(x_[c * draws_ + t]); });
  }

  /// Half chains, through `of`.
  template <class Of>
  ChainArray split(const Of& of, double slack = 0) const {
    const std::size_t half = draws_ / 2;
    return ChainArray(
        2 * chains_, half,
        [&](std::size_t t, std::size_t s) { return of(x_[s / 2 * draws_ + (s % 2 == 0 ? t : draws_ - half + t)]); },
        slack);
  }

  double ess_quantile(double p) const {
    if (!moves()) return nan;
    // As posterior: at the very maximum the indicator would be constant.
    if (p == 1) p = (size() - 0.5) / size();
    const double q = quantile(p);
    return split([q](double v) { return v <= q ? 1.0 : 0.0; }).ess();
  }

  double mcse_quantile(double p, double ess) const {
    if (!std::isfinite(ess)) return nan;
    const double low = beta_quantile(0.1586553, ess * p + 1, ess * (1 - p) + 1);
    const double high = beta_quantile(0.8413447, ess * p + 1, ess * (1 - p) + 1);
    // Order statistics, counted from one.
    const double from = std::max(std::floor(low * size()), 1.0);
    const double to = std::min(std::ceil(high * size()), size());
    return (sorted_[static_cast<std::size_t>(to) - 1] - sorted_[static_cast<std::size_t>(from) - 1]) / 2;
  }
  double mcse_quantile(double p) const { return mcse_quantile(p, ess_quantile(p)); }

  double ess_sd() const {
    if (!moves()) return nan;
    // Two values at equal distance from the mean: squares that differ by rounding say nothing.
    constexpr double slack = 1e-12;
    const double m = mean();
    return split([m](double v) { return (v - m) * (v - m); }, slack).ess();
  }

  double mcse_sd() const {
    const double ess = ess_sd();
    if (!std::isfinite(ess)) return nan;
    const double m = mean();
    const double m2 = central_moment_2(m);
    double m4 = 0;
    for (double v : x_) m4 += std::pow(v - m, 4);
    m4 /= size();
    return std::sqrt((m4 - m2 * m2) / ess / m2 / 4);
  }

 private:
  double size() const { return static_cast<double>(x_.size()); }

  double central_moment_2(double m) const {
    double sum = 0;
    for (double v : x_) sum += (v - m) * (v - m);
    return sum / size();
  }

  static double type_7(const std::vector<double>& sorted, double p) {
    const double position = static_cast<double>(sorted.size() - 1) * p;
    const auto below = std::min(static_cast<std::size_t>(position), sorted.size() - 1);
    const double weight = position - static_cast<double>(below);
    const double low = sorted[below];
    const double high = sorted[std::min(below + 1, sorted.size() - 1)];
    return weight > 0 && high != low ? (1 - weight) * low + weight * high : low;
  }

  std::size_t draws_, chains_;
  std::size_t not_finite_ = 0;
  std::vector<double> x_;  // [chain][draw]
  std::vector<double> sorted_;
};

}  // namespace manychain::diagnostics
