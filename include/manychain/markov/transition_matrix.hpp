// A finite Markov chain: its transition matrix, its steps, its diagram.
// Levin, Peres and Wilmer, Markov Chains and Mixing Times, 2nd edition (2017), chapter 1; Norris, Markov Chains (1997).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manychain/markov/matrix.hpp"

namespace manychain::markov {

/// A matrix P of which row i is the distribution of the next state, given state i. Distributions are row vectors: one
/// step takes x to x P. Indices count from 0; in messages, and where they have no names, states are called 1 .. S.
/// A row whose sum is one up to rounding stays as it was given; another, within the tolerance, is divided by its sum.
class TransitionMatrix {
 public:
  /// Largest distance of the sum of a row from one (Stan's tolerance for a simplex).
  static constexpr double tolerance = 1e-8;

  /// `rows`: S rows of S probabilities. `names`: S different ones, or none. Throws BadInput, naming the row, unless the
  /// matrix is square and not empty, its entries are finite and not negative, and each row has the sum one.
  explicit TransitionMatrix(const std::vector<std::vector<double>>& rows, std::vector<std::string> names = {});
  explicit TransitionMatrix(Matrix matrix, std::vector<std::string> names = {});

  std::size_t states() const { return matrix_.rows(); }
  double operator()(std::size_t i, std::size_t j) const { return matrix_(i, j); }
  const Matrix& matrix() const { return matrix_; }
  bool named() const { return !names_.empty(); }
  /// The given names, or none.
  const std::vector<std::string>& names() const { return names_; }
  /// The given name, or "1" .. "S".
  std::string name(std::size_t state) const;

  /// P^n, by repeated squaring (Chapman and Kolmogorov: P^(m+n) = P^m P^n); n = 0 gives the identity. After each
  /// product the rows are divided by their sums: without, a rounding error would double with each squaring. O(S^3 log
  /// n).
  TransitionMatrix power(std::uint64_t n) const;

  /// x P^n of a distribution x. Throws BadInput unless x has S finite, non-negative entries with the sum one.
  std::vector<double> evolve(std::vector<double> distribution, std::uint64_t n = 1) const;

 private:
  void check() const;
  Matrix matrix_;
  std::vector<std::string> names_;
};

/// Throws BadInput unless `distribution` has `states` finite, non-negative entries with the sum one; `what` begins the
/// message.
void check_distribution(const std::vector<double>& distribution, std::size_t states, const std::string& what);

/// The state-transition diagram in Graphviz' language: a node for each state, an edge for each positive probability.
std::string to_dot(const TransitionMatrix& p);

}  // namespace manychain::markov
