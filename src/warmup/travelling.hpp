// Do chains still travel? From where they were in a window of warm-up.
#pragma once

#include <cstddef>
#include <vector>

#include "warmup/estimator.hpp"

namespace manychain {

/// The largest split R-hat (Gelman and others 2013, section 11.4) of any component of [observation][chain][component]:
/// chains that drift, or that stay apart, have one above what the noise of so few observations makes. 1 if a half has
/// fewer than four; a component that does not vary counts as 1, and infinity where only chains differ.
double largest_split_rhat(const std::vector<double>& values, std::size_t chains, std::size_t components);

/// Has longer windows follow a last one in which chains of some group drifted, or stayed apart, in a warm-up of
/// WarmupEnd::arrived.
class Travelling final : public Estimator {
 public:
  explicit Travelling(TunedGroups& groups) : Estimator(groups) {}
  bool repeats() override;

 private:
  /// False of many chains, whose points are too few of each to tell.
  bool chains_travel() const;

  int longer_ = 0;  ///< windows so far
};

}  // namespace manychain
