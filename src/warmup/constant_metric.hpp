// The metric that is the same everywhere: scales from the moments of all chains over a window, directions from points
// in it. Chains that did not move in the window do not count (adaptation/pooled.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "warmup/estimator.hpp"

namespace manychain {

class ConstantMetric final : public Estimator {
 public:
  explicit ConstantMetric(TunedGroups& groups) : Estimator(groups), noise_(groups.size()) {}

  bool wants_gradients() const override { return groups_.metric_kind() == MetricKind::fisher; }

  void update(const Stage& stage, std::size_t group) override {
    if (!stage.update_metric) return;
    std::vector<double> scale = groups_[group].metric.scale;
    const std::vector<MomentSum> moments = engine.window_moments(static_cast<int>(group), stage.transitions);
    for (std::size_t i = 0; i < moments.size(); ++i) {
      if (moments[i].count < 2) continue;  // no chain moved
      const double variance = shrunk_variance(moments[i].m2 / (moments[i].count - 1), moments[i].count);
      if (std::isfinite(variance) && variance > 0) scale[i] = std::sqrt(variance);
    }
    const auto& [log_densities, points, gradients] = groups_[group].window;
    if (wants_gradients()) scale = fisher_scale(std::move(scale), points, gradients);
    groups_.leave_conditionals(scale);
    // Two windows of so many points differ by noise in the directions that it makes look widest and narrowest.
    const double independent =
        static_cast<double>(std::min(points.size() / layout.dimension, most_independent * groups_.chains_of_group()));
    noise_[group] = independent > 0 ? std::sqrt(2 * static_cast<double>(layout.dimension) / independent) : 0;
    if (points.empty())
      groups_[group].next = MetricEstimate{{std::move(scale), {}, {}}, 1};
    else
      groups_[group].next = estimate_metric(groups_.metric_kind(), scale, points, groups_.direction_cost());
  }

  bool settled() override {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (groups_[g].moved_by > settled_within + 3 * noise_[g]) return false;
    return true;
  }

 private:
  // The tolerance of the logarithm of a variance, in any direction: 16 % of a standard deviation.
  static constexpr double settled_within = 0.3;
  // Points of a chain that count as independent ones at most: neighbours are alike.
  static constexpr std::size_t most_independent = 16;

  std::vector<double> noise_;  ///< [group] of GroupInWarmup::moved_by
};

}  // namespace manychain
