// Squared bias of the chains at one time, and the cost from which on it is small.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace manychain::bench {

/// Mean and variance of the square of one parameter.
struct Square {
  double mean = 0, variance = 0;
};

/// b^2 = (mean over chains of x^2 - E x^2)^2 / Var x^2 of each parameter (Hoffman and Sountsov 2022; Robnik and others,
/// arXiv:2601.16696). Of M independent draws its expectation is 1 / M. `positions` are [chain][parameter]; parameters
/// whose number is in `positive` are logarithms there. Squares must be as many as parameters.
std::vector<double> squared_bias(const std::vector<double>& positions, std::size_t chains,
                                 const std::vector<Square>& squares, const std::vector<std::size_t>& positive = {});

/// After so many gradients of a chain.
struct BiasPoint {
  double gradients = 0;
  double largest = 0, mean = 0;  ///< over parameters, of b^2
  bool sampling = false;         ///< behind warm-up
};

/// Gradients until the largest b^2 is below a limit. A NaN is not below.
struct Crossing {
  std::optional<double> first;     ///< at one point
  std::optional<double> for_good;  ///< and at every later one
};
Crossing crossing(const std::vector<BiasPoint>& trace, double limit);

}  // namespace manychain::bench
