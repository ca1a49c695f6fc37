#include "manychain/markov/birth_death.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "manychain/core/error.hpp"

namespace manychain::markov {

BirthDeath::BirthDeath(double p, double q) : p_(p), q_(q) {
  if (!(p > 0 && q > 0 && p + q <= 1)) {
    throw BadInput(
        fmt::format("birth-death chain: p = {} (down) and q = {} (up) are not allowed; both must be positive "
                    "and their sum at most 1",
                    p, q));
  }
}

Recurrence BirthDeath::recurrence() const {
  if (p_ > q_) return Recurrence::positive_recurrent;
  return p_ < q_ ? Recurrence::transient : Recurrence::null_recurrent;
}

double BirthDeath::stationary(std::size_t k) const {
  if (!has_stationary_distribution()) {
    throw BadInput(
        fmt::format("birth-death chain: p = {} (down), q = {} (up): there is a stationary distribution only "
                    "for p > q",
                    p_, q_));
  }
  return (p_ - q_) / p_ * std::pow(q_ / p_, static_cast<double>(k));
}

double BirthDeath::stationary_mean() const { return stationary(0) * p_ * q_ / ((p_ - q_) * (p_ - q_)); }

double BirthDeath::hitting_probability(std::size_t k) const {
  return p_ >= q_ ? 1 : std::pow(p_ / q_, static_cast<double>(k));
}

double BirthDeath::expected_hitting_time(std::size_t k) const {
  if (k == 0) return 0;
  return p_ > q_ ? static_cast<double>(k) / (p_ - q_) : std::numeric_limits<double>::infinity();
}

TransitionMatrix BirthDeath::truncate(std::size_t n) const {
  if (n == 0) throw BadInput("birth-death chain: 0 states are not allowed; take at least 1");
  Matrix matrix(n, n, 0);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < n; ++k) {
    names.push_back(std::to_string(k));
    const double down = k > 0 ? p_ : 0, up = k + 1 < n ? q_ : 0;
    if (k > 0) matrix(k, k - 1) = down;
    if (k + 1 < n) matrix(k, k + 1) = up;
    matrix(k, k) = std::fmax(1 - down - up, 0);
  }
  return TransitionMatrix(std::move(matrix), std::move(names));
}

}  // namespace manychain::markov
