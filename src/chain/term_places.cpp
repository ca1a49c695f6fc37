#include "manychain/chain/term_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/eigen.hpp"

#include <Eigen/LU>

namespace manychain {

void TermPlaces::begin(const char* what, const char* name, bool elements, std::size_t first) {
  const std::size_t number = statements_.size() + 1;
  statements_.push_back(
      {what ? fmt::format("statement {}, {}{}", number, what, name ? fmt::format("(\"{}\")", name) : "")
            : fmt::format("statement {} (target +=)", number),
       elements,
       first,
       {}});
}

std::string TermPlaces::name(std::size_t term) const {
  const auto after = std::upper_bound(statements_.begin(), statements_.end(), term,
                                      [](std::size_t k, const Statement& statement) { return k < statement.first; });
  if (after == statements_.begin()) return fmt::format("term {}", term + 1);
  const Statement& statement = *(after - 1);
  if (statement.elements) return fmt::format("{}, element {}", statement.called, term - statement.first + 1);
  if (statement.rows.empty()) return statement.called;
  const auto row = std::upper_bound(statement.rows.begin(), statement.rows.end(), term);
  return fmt::format("{}, row {}", statement.called, row - statement.rows.begin());
}

long double numerical_log_jacobian(
    const std::vector<long double>& u,
    const std::function<void(const std::vector<long double>& u, std::vector<long double>& x)>& transform) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::Index n = eigen_index(u.size());
  Matrix jacobian(n, n);
  std::vector<long double> at = u, above, below;
  for (std::size_t k = 0; k < u.size(); ++k) {
    // Extrapolated from two steps: truncation is of the order of h^4, 1e-16, as rounding is.
    const auto difference = [&](long double h) {
      at[k] = u[k] + h;
      transform(at, above);
      at[k] = u[k] - h;
      transform(at, below);
      at[k] = u[k];
    };
    const long double h = 1e-4L * std::max(1.0L, std::fabs(u[k]));
    std::vector<long double> narrow(u.size());
    difference(h);
    for (std::size_t i = 0; i < u.size(); ++i) narrow[i] = (above[i] - below[i]) / (2 * h);
    difference(2 * h);
    for (std::size_t i = 0; i < u.size(); ++i)
      jacobian(eigen_index(i), eigen_index(k)) = narrow[i] + (narrow[i] - (above[i] - below[i]) / (4 * h)) / 3;
  }
  const auto lu = jacobian.partialPivLu();
  return lu.matrixLU().diagonal().array().abs().log().sum();
}

}  // namespace manychain
