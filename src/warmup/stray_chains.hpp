// Chains that warm-up leaves behind: in a small mode, or on a plateau far from everything. That they were restarted is
// counted and said (RestartedChains): nobody but the user knows whether the mode holds nothing. After warm-up no chain
// is touched.
#pragma once

#include <cstddef>
#include <vector>

#include "warmup/estimator.hpp"

namespace manychain {

/// The chains whose log density lies further below the median than ten times the distance from there to the upper
/// quartile, or than ten times sqrt(dimension): of a normal the standard deviation of the log density is
/// sqrt(dimension / 2). The median and the upper quartile stand while fewer than half of the chains stray. What is not
/// finite strays. None of fewer than 4.
std::vector<std::size_t> find_stray(const std::vector<double>& log_densities, std::size_t dimension);

/// Looks at the chains at the ends of windows of warm-up. Those that stray twice in a row are restarted where others
/// stand, spread evenly over these, in each group on its own; from then on they go their own ways.
class StrayChains final : public Estimator {
 public:
  using Estimator::Estimator;

  /// True if no chain strays.
  bool settled() override;
  void report(WarmupFound& found) const override {
    found.restarted = restarted_;
    found.left = left_;
  }

 private:
  std::vector<std::size_t> before_;  ///< that strayed at the last look
  RestartedChains restarted_;
  std::vector<double> left_;
};

}  // namespace manychain
