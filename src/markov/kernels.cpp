#include "manychain/markov/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "manychain/core/error.hpp"
#include "markov/algebra.hpp"

namespace manychain::markov {
namespace {

void check_weights(const std::vector<double>& target) {
  bool positive = false;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!(target[i] >= 0) || std::isinf(target[i])) {
      throw BadInput(
          fmt::format("target: weight {} is {}; finite, non-negative numbers are allowed", i + 1, target[i]));
    }
    positive = positive || target[i] > 0;
  }
  if (!positive) throw BadInput("target: all weights are zero");
}

double log_ratio(const std::vector<double>& log_target, const TransitionMatrix& q, std::size_t i, std::size_t j) {
  const double ratio = log_target[j] - log_target[i];
  // A symmetric proposal cancels exactly, not only up to the rounding of two logs.
  return q(i, j) == q(j, i) ? ratio : ratio + (std::log(q(j, i)) - std::log(q(i, j)));
}

}  // namespace

double metropolis_rule(double log_ratio) {
  return log_ratio >= 0 ? 1 : std::isnan(log_ratio) ? 0 : std::exp(log_ratio);
}

double barker_rule(double log_ratio) { return std::isnan(log_ratio) ? 0 : 1 / (1 + std::exp(-log_ratio)); }

TransitionMatrix metropolis_hastings_matrix(const std::vector<double>& target, const TransitionMatrix& proposal,
                                            const AcceptRule& rule) {
  check_weights(target);
  std::vector<double> log_target;
  for (double weight : target) log_target.push_back(std::log(weight));
  return metropolis_hastings_matrix_of_log(log_target, proposal, rule);
}

TransitionMatrix metropolis_hastings_matrix_of_log(const std::vector<double>& log_target,
                                                   const TransitionMatrix& proposal, const AcceptRule& rule) {
  const std::size_t n = proposal.states();
  if (log_target.size() != n) {
    throw BadInput(fmt::format("target: {} weights for a proposal on {} states", log_target.size(), n));
  }
  bool possible = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(log_target[i]) || log_target[i] == INFINITY) {
      throw BadInput(
          fmt::format("target: log weight {} is {}; finite numbers and -inf are allowed", i + 1, log_target[i]));
    }
    possible = possible || std::isfinite(log_target[i]);
  }
  if (!possible) throw BadInput("target: all weights are zero");

  Matrix p(n, n, 0);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) {
    if (proposal.named()) names.push_back(proposal.name(i));
    p(i, i) += proposal(i, i);
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i || !(proposal(i, j) > 0)) continue;
      const double ratio = log_ratio(log_target, proposal, i, j);
      const double accept = rule(ratio);
      if (!(accept >= 0 && accept <= 1)) {
        throw BadInput(fmt::format("accept rule: it gives {} for the log ratio {} (states {} to {}), not a probability",
                                   accept, ratio, i + 1, j + 1));
      }
      p(i, j) = proposal(i, j) * accept;
      p(i, i) += proposal(i, j) * (1 - accept);
    }
  }
  return TransitionMatrix(std::move(p), std::move(names));
}

TransitionMatrix gibbs_kernel(const std::vector<double>& target, const std::vector<std::size_t>& shape,
                              std::size_t coordinate) {
  std::size_t n = 1, stride = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    n *= shape[d];
    if (d > coordinate) stride *= shape[d];
  }
  if (shape.empty() || n == 0 || n != target.size()) {
    throw BadInput(fmt::format("target: {} weights do not fill the shape ({})", target.size(), fmt::join(shape, ", ")));
  }
  if (coordinate >= shape.size()) {
    throw BadInput(fmt::format("coordinate: {} is not allowed; they are 0 .. {}", coordinate, shape.size() - 1));
  }
  check_weights(target);
  Matrix p(n, n, 0);
  const std::size_t extent = shape[coordinate];
  for (std::size_t x = 0; x < n; ++x) {
    const std::size_t first = x - x / stride % extent * stride;  // the same point with this coordinate 0
    const auto weight = [&](std::size_t k) { return target[first + k * stride]; };
    double largest = 0, total = 0;
    for (std::size_t k = 0; k < extent; ++k) largest = std::max(largest, weight(k));
    if (largest == 0) {
      p(x, x) = 1;
      continue;
    }
    for (std::size_t k = 0; k < extent; ++k) total += weight(k) / largest;  // huge weights do not overflow
    for (std::size_t k = 0; k < extent; ++k) p(x, first + k * stride) = weight(k) / largest / total;
  }
  return TransitionMatrix(std::move(p));
}

TransitionMatrix gibbs_matrix(const std::vector<double>& target, const std::vector<std::size_t>& shape, Scan scan) {
  Matrix p = gibbs_kernel(target, shape, 0).matrix();
  for (std::size_t d = 1; d < shape.size(); ++d) {
    const Matrix kernel = gibbs_kernel(target, shape, d).matrix();
    if (scan == Scan::systematic) {
      p = multiply(p, kernel);
    } else {
      for (std::size_t i = 0; i < p.rows(); ++i) {
        for (std::size_t j = 0; j < p.columns(); ++j) p(i, j) += kernel(i, j);
      }
    }
  }
  if (scan == Scan::random) normalise_rows(p);
  return TransitionMatrix(std::move(p));
}

}  // namespace manychain::markov
