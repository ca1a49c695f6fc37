// Tests that ranks are uniform, as those of a prior's draws among posterior draws are where a model and its sampler are
// right (Talts, Betancourt, Simpson, Vehtari and Gelman 2018).
#pragma once

#include <cstddef>
#include <vector>

namespace manychain::diagnostics {

/// The result for the ranks of one quantity. p-values are two-sided.
struct RankTest {
  double mean_rank = 0;
  /// Mean of the normal scores of the ranks: by how many of its sds the posterior lies too low.
  double shift = 0;
  /// 1 / root mean square of these scores: the posterior's sd against the right one. Below 1: it is too narrow.
  double sd_factor = 0;
  double p_shift = 1, p_width = 1, p_shape = 1;
  double p = 1;  ///< the smallest of the three, times three (Bonferroni)
};

/// The smallest errors of a posterior that are found with probability 0.95 or more.
struct RankPower {
  double shift = 0;   ///< in its sds
  double narrow = 0;  ///< sd against the right one; 0: none, however narrow
  double wide = 0;    ///< likewise; infinity: none
};

/// Tests of the uniformity of n ranks, each of 0 .. ranks - 1. Shift and width are tested by sums of normal scores and
/// of their squares (van der Waerden; Klotz 1962), whose scores are rounded so that the distributions of their sums are
/// computed exactly; any other shape by chi-squared, an approximation, over four bins or more, which expect 16
/// ranks each where there are as many.
class RankUniformity {
 public:
  /// `ranks` must be a multiple of 64, n at least 16.
  RankUniformity(std::size_t n, std::size_t ranks);

  /// Throws std::logic_error unless there are n, each below `ranks`.
  RankTest operator()(const std::vector<std::size_t>& ranks) const;
  /// The power at p-values (RankTest::p) up to `level`, by normal approximations of the two sums.
  RankPower power(double level) const;

 private:
  /// Sums of n scores of uniform ranks: scores are whole numbers from 0.
  struct ScoreSum {
    std::vector<std::size_t> score;  ///< of each rank
    std::vector<double> below;       ///< P(sum <= s)
    std::vector<double> above;       ///< P(sum >= s)
    double p(const std::vector<std::size_t>& ranks) const;
  };
  ScoreSum score_sum(const std::vector<double>& exact) const;

  std::size_t n_, ranks_, bins_;
  std::vector<double> normal_;  ///< scores of the ranks
  double mean_square_;          ///< of these
  ScoreSum shift_, width_;
};

/// Which of several p-values are significant where a false alarm among all has probability `level` at most (Holm 1979).
/// NaN is.
std::vector<bool> significant(const std::vector<double>& p, double level);

}  // namespace manychain::diagnostics
