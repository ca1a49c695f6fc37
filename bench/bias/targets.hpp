// Distributions whose second and fourth moments are known.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bias/squared_bias.hpp"
#include "manychain/run/model.hpp"

namespace manychain::bench {

struct BiasTarget {
  std::string name;
  std::function<Model()> model;
  std::vector<Square> squares;        ///< of each parameter, in the order of an unconstrained position
  std::vector<std::size_t> positive;  ///< parameters whose unconstrained position is their logarithm
  std::string source;                 ///< of the moments
  std::string published;              ///< gradients of other samplers with 4096 chains; mostly empty
};

/// All of them. The moments of posteriors are integrated when this is first called.
const std::vector<BiasTarget>& bias_targets();

}  // namespace manychain::bench
