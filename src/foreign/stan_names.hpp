// The flat names of a Stan model's values as quantities with shapes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "manychain/model/data/layout.hpp"

namespace manychain {

struct StanQuantities {
  std::vector<Quantity> quantities;
  /// Output k is value order[k] of Stan, whose arrays have their first index fastest; ours have the last.
  std::vector<std::size_t> order;
};

/// `names`: "mu", "theta.1", "theta.2", "A.1.1", "A.2.1", ... in Stan's order, of which the first `parameters` are of
/// parameters and the others derived. What is no whole rectangular array, such as the parts of a tuple or of complex
/// numbers, becomes scalars with Stan's names.
StanQuantities stan_quantities(const std::vector<std::string>& names, std::size_t parameters);

/// "theta" of "theta.1.2".
std::string base_name(const std::string& name);
/// "theta[1,2]" of "theta.1.2".
std::string with_brackets(const std::string& name);

/// The words between commas; none of an empty text.
std::vector<std::string> split_names(const std::string& text);

}  // namespace manychain
