// Expectations from the draws of many chains. Chains are independent, draws of one need not be: the error of a mean
// comes from the spread of the chains' own means, whatever the autocorrelation.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "gallery/gallery.hpp"
#include "manychain/run/result.hpp"

namespace manychain::gallery {

struct ChainMean {
  double value = 0, standard_error = 0;
  std::size_t chains = 0;
};

/// The mean of f(draw, chain) over the draws first .. last - 1, of each chain.
template <class F>
std::vector<double> chain_means(std::size_t first, std::size_t last, std::size_t chains, F f) {
  std::vector<double> means(chains, 0);
  for (std::size_t d = first; d < last; ++d) {
    for (std::size_t c = 0; c < chains; ++c) means[c] += f(d, c) / double(last - first);
  }
  return means;
}

inline ChainMean mean_of(const std::vector<double>& means) {
  double mean = 0, squares = 0, n = 0;
  for (double x : means) {
    const double delta = x - mean;
    mean += delta / ++n;
    squares += delta * (x - mean);
  }
  return {mean, std::sqrt(squares / (n - 1) / n), means.size()};
}

/// E a / E b by the delta method.
inline ChainMean ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
  const double below = mean_of(b).value, ratio = mean_of(a).value / below;
  std::vector<double> residuals;
  for (std::size_t c = 0; c < a.size(); ++c) residuals.push_back((a[c] - ratio * b[c]) / below);
  return {ratio, mean_of(residuals).standard_error, a.size()};
}

/// The expectation of f(draw, chain) over all draws that were kept.
template <class F>
ChainMean expectation_of(const Draws& draws, F f, std::size_t first = 0) {
  return mean_of(chain_means(first, draws.draws, draws.chains, f));
}

inline Check check_of(const std::string& what, double known, const ChainMean& mean) {
  return monte_carlo(what, known, mean.value, mean.standard_error, double(mean.chains - 1));
}

/// "1024 chains of 400 draws on cpu, 8 threads, avx512 (16 lanes)."
std::string ran(const Result& result);

}  // namespace manychain::gallery
