#include "bias/squared_bias.hpp"

#include <cmath>

namespace manychain::bench {

std::vector<double> squared_bias(const std::vector<double>& positions, std::size_t chains,
                                 const std::vector<Square>& squares, const std::vector<std::size_t>& positive) {
  const std::size_t d = squares.size();
  std::vector<double> sums(d);
  std::vector<bool> logarithm(d);
  for (const std::size_t i : positive) logarithm[i] = true;
  for (std::size_t c = 0; c < chains; ++c)
    for (std::size_t i = 0; i < d; ++i) {
      const double x = positions[c * d + i];
      sums[i] += logarithm[i] ? std::exp(2 * x) : x * x;
    }
  std::vector<double> b2(d);
  for (std::size_t i = 0; i < d; ++i) {
    const double difference = sums[i] / static_cast<double>(chains) - squares[i].mean;
    b2[i] = difference * difference / squares[i].variance;
  }
  return b2;
}

Crossing crossing(const std::vector<BiasPoint>& trace, double limit) {
  Crossing found;
  for (const BiasPoint& point : trace) {
    if (!(point.largest < limit)) {
      found.for_good.reset();
      continue;
    }
    if (!found.first) found.first = point.gradients;
    if (!found.for_good) found.for_good = point.gradients;
  }
  return found;
}

}  // namespace manychain::bench
