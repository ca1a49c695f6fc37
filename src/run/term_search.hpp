// Where in a model a mistake lies: the term whose gradient is not the derivative of its value, or that is not finite.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "manychain/chain/model_terms.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// The term that accounts for most of an error.
struct TermFound {
  std::string name;       ///< of the term, or "the Jacobian of tau"; empty: none was found
  double gradient = 0;    ///< of that term alone, along the component
  double difference = 0;  ///< the derivative of its value
};

/// The first term that is not finite at q, and its value. Empty name: all are, or the model is not written in terms.
struct NonfiniteTerm {
  std::string name;
  double value = 0;
};
NonfiniteTerm nonfinite_term(const Model& model, const double* q);

/// The term with the largest error of its derivative along `component` at q, by halving what remains. In extended
/// precision: the formulas are looked at, not their rounding. Empty where the gradients of all terms are right there,
/// or the model is not written in terms.
TermFound wrong_term(const Model& model, const double* q, std::size_t component);

}  // namespace manychain
