#include "manychain/markov/inhomogeneous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "manychain/core/error.hpp"
#include "manychain/markov/mixing.hpp"
#include "manychain/markov/stationary.hpp"
#include "markov/algebra.hpp"

namespace manychain::markov {
namespace {

const std::vector<TransitionMatrix>& checked(const std::vector<TransitionMatrix>& matrices, std::size_t repeat) {
  if (matrices.empty()) throw BadInput("transition matrices: there is none; give at least one");
  for (std::size_t k = 1; k < matrices.size(); ++k) {
    const TransitionMatrix &first = matrices[0], &other = matrices[k];
    if (other.states() != first.states()) {
      throw BadInput(fmt::format("transition matrices: matrix {} has {} states, matrix 1 has {}", k + 1, other.states(),
                                 first.states()));
    }
    for (std::size_t i = 0; i < first.states(); ++i) {
      if (other.name(i) == first.name(i)) continue;
      throw BadInput(fmt::format("transition matrices: state {} is {} in matrix {} and {} in matrix 1", i + 1,
                                 other.name(i), k + 1, first.name(i)));
    }
  }
  if (repeat == 0 || repeat > matrices.size()) {
    throw BadInput(fmt::format("repeat: {} is not allowed; the last 1 .. {} matrices may be what follows the last one",
                               repeat, matrices.size()));
  }
  return matrices;
}

TransitionMatrix times(const TransitionMatrix& a, const TransitionMatrix& b) {
  return TransitionMatrix(multiply(a.matrix(), b.matrix()), a.names());
}

TransitionMatrix round_of(const std::vector<TransitionMatrix>& matrices, std::size_t repeat) {
  TransitionMatrix product = matrices[matrices.size() - repeat];
  for (std::size_t k = matrices.size() - repeat + 1; k < matrices.size(); ++k) product = times(product, matrices[k]);
  return product;
}

}  // namespace

double dobrushin_coefficient(const TransitionMatrix& p) {
  double largest = 0;
  for (std::size_t i = 0; i < p.states(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < p.states(); ++k) sum += std::fabs(p(i, k) - p(j, k));
      largest = std::max(largest, sum / 2);
    }
  }
  return std::min(largest, 1.0);  // rows are one in sum but for rounding
}

InhomogeneousChain::InhomogeneousChain(std::vector<TransitionMatrix> matrices, std::size_t repeat)
    : matrices_(std::move(matrices)), repeat_(repeat), round_(round_of(checked(matrices_, repeat), repeat)) {}

template <class Take>
void InhomogeneousChain::go(std::uint64_t from, std::uint64_t to, Take take) const {
  const std::uint64_t before = matrices_.size() - repeat_;
  for (std::uint64_t t = from; t < to;) {
    const std::uint64_t rounds = t >= before && (t - before) % repeat_ == 0 ? (to - t) / repeat_ : 0;
    if (rounds > 0)
      take(round_, rounds);
    else
      take(matrices_[place(t + 1)], std::uint64_t{1});
    t += rounds > 0 ? rounds * repeat_ : 1;
  }
}

TransitionMatrix InhomogeneousChain::product(std::uint64_t from, std::uint64_t to) const {
  if (from > to) throw BadInput(fmt::format("product: from time {} to {}; time does not run back", from, to));
  std::optional<TransitionMatrix> product;
  go(from, to,
     [&](const TransitionMatrix& p, std::uint64_t n) { product = product ? times(*product, p.power(n)) : p.power(n); });
  return product ? *product : matrices_[0].power(0);
}

std::vector<double> InhomogeneousChain::evolve(std::vector<double> distribution, std::uint64_t n) const {
  check_distribution(distribution, states(), "distribution");
  go(0, n,
     [&](const TransitionMatrix& p, std::uint64_t steps) { distribution = p.evolve(std::move(distribution), steps); });
  return distribution;
}

LongRun long_run(const InhomogeneousChain& chain) {
  LongRun out;
  const Structure s = structure(chain.round());
  out.forgets_start = s.converges();
  if (!out.forgets_start) return out;
  std::vector<double> x = stationary_distributions(chain.round(), s)[0];
  const std::vector<double> whole = x;
  double apart = 0;
  const std::size_t first = chain.matrices().size() - chain.repeat();
  for (std::size_t k = 0; k + 1 < chain.repeat(); ++k) {
    x = chain.matrices()[first + k].evolve(std::move(x));
    out.limits.push_back(x);
    apart = std::max(apart, total_variation(x, whole));
  }
  out.limits.push_back(whole);
  out.settles = apart <= 1e-12;
  return out;
}

std::optional<std::uint64_t> forgetting_time(const InhomogeneousChain& chain, double epsilon) {
  if (!(epsilon >= 1e-10 && epsilon < 1)) {
    throw BadInput(
        fmt::format("epsilon: {} is not allowed; take a number from 1e-10 up to, but not including, 1", epsilon));
  }
  const auto far = [&](std::uint64_t n) { return dobrushin_coefficient(chain.product(0, n)) > epsilon * (1 + 1e-10); };
  if (!far(0)) return 0;
  std::uint64_t high = 1;
  for (; far(high); high *= 2) {
    if (high == std::uint64_t{1} << 62) return std::nullopt;
  }
  std::uint64_t low = high / 2;  // far, and high is not
  while (high - low > 1) (far(low + (high - low) / 2) ? low : high) = low + (high - low) / 2;
  return high;
}

}  // namespace manychain::markov
