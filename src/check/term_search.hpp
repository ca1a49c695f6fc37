// Finds the mistake in a model: the term whose gradient is not the derivative of its value, or that is not finite.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "check/check_points.hpp"
#include "manychain/chain/model_terms.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// The term that accounts for most of an error.
struct TermFound {
  std::string name;       ///< of the term, or "the Jacobian of tau"; empty: none was found
  double gradient = 0;    ///< of that term alone, along the component
  double difference = 0;  ///< the derivative of its value
};

/// The first term that is not finite at q, and its value. Empty name: all are finite, or the model is not written in
/// terms.
struct NonfiniteTerm {
  std::string name;
  double value = 0;
};
NonfiniteTerm nonfinite_term(const Model& model, const double* q);

/// The `chosen` ones of the `names` of components of the unconstrained scale; only the name of the parameter if all of
/// its elements are chosen.
std::vector<std::string> by_parameter(const std::vector<std::string>& names, const std::vector<bool>& chosen);

/// The statement of the term with this name: without row or element.
std::string statement_of(const std::string& term);

/// Parameters that no term depends on, judged at `points`, where the log density is finite: the gradient along them is
/// that of the Jacobians alone, and moving them changes no term. A parameter appears once if this holds for all of its
/// elements, else by elements. Whole numbers are left out. Empty for a model without a gradient.
std::vector<std::string> unused_parameters(const Model& model, const std::vector<CheckPoint>& points);

/// The term with the largest part of an error, by bisection: error(first, last) is that of terms first to last - 1, of
/// `count`.
std::size_t worst_of_terms(std::size_t count, const std::function<double(std::size_t first, std::size_t last)>& error);

/// The term with the largest error of its derivative along `component` at q, by bisection. Computed in extended
/// precision, which checks formulas and not their rounding. Empty if the gradients of all terms are right there, or if
/// `terms` is null: the model is not written in terms.
TermFound wrong_term(const Model& model, ModelTerms* terms, const double* q, std::size_t component);

}  // namespace manychain
