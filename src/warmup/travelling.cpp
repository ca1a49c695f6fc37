#include "warmup/travelling.hpp"

#include <algorithm>

#include "manychain/diagnostics/convergence.hpp"

namespace manychain {

double largest_split_rhat(const std::vector<double>& values, std::size_t chains, std::size_t components) {
  constexpr std::size_t fewest = 8;
  const std::size_t row = chains * components, draws = row > 0 ? values.size() / row : 0;
  double largest = 1;
  for (std::size_t i = 0; i < components && draws >= fewest; ++i)
    largest = std::max(largest, diagnostics::rhat_split({values.data() + i, draws, chains, row, components}));
  return largest;
}

}  // namespace manychain
