// Data drawn from a model: its predictions at given parameters, in place of what it observes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "manychain/diagnostics/draws.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// Which prediction takes the place of which variable of the data.
struct Replacement {
  std::string variable, prediction;
  std::vector<std::size_t> shape;  ///< of the variable
  std::size_t offset = 0;          ///< of the prediction, among the outputs
  std::size_t size = 0;
};

/// One for each variable that the model observes: the prediction that is called as it is, else with _rep, _sim, _pred
/// or _new behind it, and has as many elements. Throws BadInput where an observe() has not the name of a variable of
/// the data, or nothing predicts it, with what to write.
std::vector<Replacement> replacements(const Model& model);

/// Outputs of one draw at each of `count` points ([point][dimension], unconstrained): parameters, derived quantities,
/// predictions, in double. Random numbers follow from the seed and the number of the point.
Draws outputs_at(const ModelBinding& model, const std::vector<double>& points, std::size_t count, std::uint64_t seed);

/// `data` with the predictions of draw `point`.
Data simulated(const Data& data, const std::vector<Replacement>& replacing, const Draws& outputs, std::size_t point);

}  // namespace manychain
