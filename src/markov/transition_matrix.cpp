#include "manychain/markov/transition_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "manychain/core/error.hpp"
#include "markov/algebra.hpp"

namespace manychain::markov {
namespace {

Matrix from_rows(const std::vector<std::vector<double>>& rows) {
  Matrix matrix(rows.size(), rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows.size()) {
      throw BadInput(fmt::format("transition matrix: row {} has {} entries; a square matrix of {} rows has {}", i + 1,
                                 rows[i].size(), rows.size(), rows.size()));
    }
    for (std::size_t j = 0; j < rows.size(); ++j) matrix(i, j) = rows[i][j];
  }
  return matrix;
}

/// The fault of n probabilities, or nothing.
std::string fault_of(const double* x, std::size_t n, double tolerance) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (!std::isfinite(x[j])) return fmt::format("entry {} is {}, not a finite number", j + 1, x[j]);
    if (x[j] < 0) return fmt::format("entry {} is {}; probabilities are not negative", j + 1, x[j]);
    sum += x[j];
  }
  if (!(std::fabs(sum - 1) <= tolerance)) return fmt::format("the sum is {:.10g}, not 1", sum);
  return "";
}

/// True if the columns are distributions: the other convention, in which distributions are columns too.
bool column_stochastic(const Matrix& m) {
  for (std::size_t j = 0; j < m.columns(); ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < m.rows(); ++i) sum += m(i, j) >= 0 ? m(i, j) : NAN;
    if (!(std::fabs(sum - 1) <= TransitionMatrix::tolerance)) return false;
  }
  return true;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

TransitionMatrix::TransitionMatrix(const std::vector<std::vector<double>>& rows, std::vector<std::string> names)
    : TransitionMatrix(from_rows(rows), std::move(names)) {}

TransitionMatrix::TransitionMatrix(Matrix matrix, std::vector<std::string> names)
    : matrix_(std::move(matrix)), names_(std::move(names)) {
  check();
  // Entries that were typed with ten digits: from here on the sums are one but for rounding, and every result agrees.
  for (std::size_t i = 0; i < states(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < states(); ++j) sum += matrix_(i, j);
    if (std::fabs(sum - 1) <= 1e-15 * static_cast<double>(std::max<std::size_t>(states(), 10))) continue;
    for (std::size_t j = 0; j < states(); ++j) matrix_(i, j) /= sum;
  }
}

void TransitionMatrix::check() const {
  const std::size_t n = matrix_.rows();
  if (n == 0) throw BadInput("transition matrix: it is empty; give at least one state");
  if (matrix_.columns() != n) {
    throw BadInput(fmt::format("transition matrix: {} rows and {} columns; it must be square", n, matrix_.columns()));
  }
  if (!names_.empty() && names_.size() != n) {
    throw BadInput(fmt::format("transition matrix: {} names for {} states", names_.size(), n));
  }
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto [same, fresh] = seen.emplace(names_[i], i);
    if (!fresh) {
      throw BadInput(fmt::format("transition matrix: states {} and {} have the same name {}", same->second + 1, i + 1,
                                 quoted(names_[i])));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::string fault = fault_of(matrix_.row(i), n, tolerance);
    if (fault.empty()) continue;
    throw BadInput(fmt::format("transition matrix: row {}{}: {}{}", i + 1,
                               named() ? " (" + quoted(names_[i]) + ")" : "", fault,
                               column_stochastic(matrix_) ? "; the columns have the sum 1: give its transpose" : ""));
  }
}

std::string TransitionMatrix::name(std::size_t state) const {
  return named() ? names_[state] : std::to_string(state + 1);
}

TransitionMatrix TransitionMatrix::power(std::uint64_t n) const {
  if (n == 1) return *this;
  TransitionMatrix result = *this;
  result.matrix_ = Matrix(states(), states(), 0);
  for (std::size_t i = 0; i < states(); ++i) result.matrix_(i, i) = 1;
  if (n == 0) return result;
  Matrix square = matrix_;
  normalise_rows(square);
  bool first = true;
  while (true) {
    if (n & 1) result.matrix_ = std::exchange(first, false) ? square : multiply(result.matrix_, square);
    n >>= 1;
    if (n == 0) return result;
    square = multiply(square, square);
  }
}

std::vector<double> TransitionMatrix::evolve(std::vector<double> distribution, std::uint64_t n) const {
  check_distribution(distribution, states(), "distribution");
  Matrix x(1, states(), 0);
  std::copy(distribution.begin(), distribution.end(), x.row(0));
  if (n == 0) return distribution;
  normalise_rows(x);
  // Step by step, or by way of P^n: whichever takes fewer multiplications.
  if (n / states() > 2 * static_cast<std::uint64_t>(std::bit_width(n))) return multiply(x, power(n).matrix_).values();
  for (; n > 0; --n) x = multiply(x, matrix_);
  return x.values();
}

void check_distribution(const std::vector<double>& distribution, std::size_t states, const std::string& what) {
  if (distribution.size() != states) {
    throw BadInput(fmt::format("{}: {} entries for {} states", what, distribution.size(), states));
  }
  const std::string fault = fault_of(distribution.data(), states, TransitionMatrix::tolerance);
  if (!fault.empty()) throw BadInput(fmt::format("{}: {}", what, fault));
}

std::string to_dot(const TransitionMatrix& p) {
  std::string text = "digraph markov_chain {\n";
  for (std::size_t i = 0; i < p.states(); ++i) text += fmt::format("  {} [label={}];\n", i + 1, quoted(p.name(i)));
  for (std::size_t i = 0; i < p.states(); ++i) {
    for (std::size_t j = 0; j < p.states(); ++j) {
      if (p(i, j) > 0) text += fmt::format("  {} -> {} [label=\"{:.4g}\"];\n", i + 1, j + 1, p(i, j));
    }
  }
  return text + "}\n";
}

}  // namespace manychain::markov
