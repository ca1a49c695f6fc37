// Compiled for the instruction set of chain code: no template of the standard library, whose body the linker might take
// for other units, too.
#include "diagnostics/tail_loops.hpp"

#include <math.h>

#include <cstdint>

namespace manychain::diagnostics {
namespace {

constexpr std::size_t abreast = 4;    // thetas, whose products do not wait for each other
constexpr std::size_t together = 16;  // factors of a product between looks at its exponent: none leaves the range
constexpr double log_2 = 0.693147180559945309417;

using Doubles = double __attribute__((vector_size(tail_lanes * sizeof(double))));
using Words = std::int64_t __attribute__((vector_size(tail_lanes * sizeof(double))));

/// Products with exponents kept apart, so that they neither overflow nor underflow.
struct LongProducts {
  Doubles mantissa = Doubles{} + 1;
  Words exponent = {};

  /// Mantissas between 1 and 2.
  void normalise() {
    const auto bits = __builtin_bit_cast(Words, mantissa);
    exponent += (bits >> 52) - 1023;
    mantissa = __builtin_bit_cast(Doubles, (bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  }
  /// Logarithms are dear: one for all.
  double log_of_all() const {
    double product = 1;
    std::int64_t twos = 0;
    for (std::size_t lane = 0; lane < tail_lanes; ++lane) {
      product *= mantissa[lane];
      twos += exponent[lane];
    }
    return ::log(product) + static_cast<double>(twos) * log_2;
  }
};

template <std::size_t count>
void add_factors(const double* x, const double* theta, std::size_t steps, LongProducts* products) {
  for (std::size_t s = 0; s < steps; ++s, x += tail_lanes) {
    Doubles values;
    __builtin_memcpy(&values, x, sizeof values);
    for (std::size_t k = 0; k < count; ++k) products[k].mantissa *= 1 - theta[k] * values;
  }
  for (std::size_t k = 0; k < count; ++k) products[k].normalise();
}

template <std::size_t count>
void mean_logs_abreast(const double* x, std::size_t draws, const double* theta, double* means) {
  LongProducts products[count];
  const std::size_t steps = (draws + tail_lanes - 1) / tail_lanes;
  for (std::size_t s = 0; s < steps; s += together)
    add_factors<count>(x + s * tail_lanes, theta, steps - s < together ? steps - s : together, products);
  for (std::size_t k = 0; k < count; ++k) means[k] = products[k].log_of_all() / static_cast<double>(draws);
}

}  // namespace

void mean_logs(const double* x, std::size_t count, const double* theta, std::size_t thetas, double* means) {
  std::size_t k = 0;
  for (; k + abreast <= thetas; k += abreast) mean_logs_abreast<abreast>(x, count, theta + k, means + k);
  for (; k < thetas; ++k) mean_logs_abreast<1>(x, count, theta + k, means + k);
}

}  // namespace manychain::diagnostics
