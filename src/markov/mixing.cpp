#include "manychain/markov/mixing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "manychain/core/error.hpp"
#include "manychain/markov/stationary.hpp"
#include "markov/algebra.hpp"

namespace manychain::markov {
namespace {

/// max_i TV(row i, pi).
double largest_distance(const Matrix& rows, const std::vector<double>& pi) {
  double largest = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < pi.size(); ++j) sum += std::fabs(rows(i, j) - pi[j]);
    largest = std::max(largest, sum / 2);
  }
  return largest;
}

/// The eigenvalue of second largest modulus of the chain on some states, or of the largest where none of it is one.
double second_modulus_of(const TransitionMatrix& p, const std::vector<std::size_t>& states, bool closed,
                         const std::vector<double>* reversible_pi) {
  const Eigen::Index n = index(states.size());
  Eigen::MatrixXd a(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      const std::size_t s = states[static_cast<std::size_t>(i)], t = states[static_cast<std::size_t>(j)];
      // sqrt(pi_s / pi_t) P_st = sqrt(P_st P_ts) under detailed balance: symmetric, with the same eigenvalues.
      a(i, j) = reversible_pi ? std::sqrt(p(s, t) * p(t, s)) : p(s, t);
    }
  }
  std::vector<double> moduli(static_cast<std::size_t>(n));
  if (reversible_pi) {
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
    for (Eigen::Index i = 0; i < n; ++i) moduli[static_cast<std::size_t>(i)] = std::fabs(values(i));
  } else {
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(a, false);
    if (solver.info() != Eigen::Success) throw Error("transition matrix: the eigenvalues could not be found");
    for (Eigen::Index i = 0; i < n; ++i) moduli[static_cast<std::size_t>(i)] = std::abs(solver.eigenvalues()(i));
  }
  std::sort(moduli.begin(), moduli.end(), std::greater<>());
  // The first modulus of a closed class is one.
  if (!closed) return moduli[0];
  return n > 1 ? moduli[1] : 0;
}

}  // namespace

double total_variation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) throw BadInput(fmt::format("total variation: {} and {} entries", a.size(), b.size()));
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
  return sum / 2;
}

Spectrum spectrum(const TransitionMatrix& p) {
  const Structure s = structure(p);
  Spectrum out;
  if (!s.converges()) {
    out = {1, 0, std::numeric_limits<double>::infinity()};
    return out;
  }
  // In the order of the classes P is block triangular: its eigenvalues are those of the blocks.
  const std::vector<double> pi = stationary_distributions(p, s)[0];
  const bool reversible = detailed_balance(p).worst_relative <= 1e-13;
  for (const CommunicatingClass& c : s.classes) {
    const double modulus = second_modulus_of(p, c.states, c.closed, c.closed && reversible ? &pi : nullptr);
    out.second_modulus = std::max(out.second_modulus, modulus);
  }
  constexpr double resolution = 1e-15;
  out.second_modulus = std::min(out.second_modulus, 1 - resolution);
  out.gap = 1 - out.second_modulus;
  out.relaxation_time = 1 / out.gap;
  return out;
}

double distance_from_stationarity(const TransitionMatrix& p, std::uint64_t n) {
  const Structure s = structure(p);
  if (!s.converges()) throw BadInput("distance from stationarity: the chain does not converge to one distribution");
  return largest_distance(p.power(n).matrix(), stationary_distributions(p, s)[0]);
}

std::optional<std::uint64_t> mixing_time(const TransitionMatrix& p, double epsilon) {
  if (!(epsilon >= 1e-10 && epsilon < 1)) {
    throw BadInput(
        fmt::format("epsilon: {} is not allowed; take a number from 1e-10 up to, but not including, 1", epsilon));
  }
  const Structure s = structure(p);
  if (!s.converges()) return std::nullopt;
  const std::vector<double> pi = stationary_distributions(p, s)[0];
  const double limit = epsilon * (1 + 1e-10);
  if (largest_distance(p.power(0).matrix(), pi) <= limit) return 0;

  std::vector<Matrix> doubled = {p.matrix()};  // P^(2^k)
  normalise_rows(doubled[0]);
  while (largest_distance(doubled.back(), pi) > limit) {
    if (doubled.size() == 63) return std::nullopt;
    doubled.push_back(multiply(doubled.back(), doubled.back()));
  }
  if (doubled.size() == 1) return 1;
  // The distance never rises (LPW, exercise 4.2), so that the largest n that is still too far is found bit by bit.
  Matrix power = doubled[doubled.size() - 2];
  std::uint64_t n = std::uint64_t{1} << (doubled.size() - 2);
  for (std::size_t k = doubled.size() - 2; k-- > 0;) {
    Matrix further = multiply(power, doubled[k]);
    if (largest_distance(further, pi) <= limit) continue;
    power = std::move(further);
    n += std::uint64_t{1} << k;
  }
  return n + 1;
}

}  // namespace manychain::markov
