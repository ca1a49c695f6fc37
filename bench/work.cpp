#include "work.hpp"

#include <map>

#include "manychain/core/error.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain::bench {
namespace {

// Operations of one chain, each counted as one multiply-add (a product, a sum, a comparison, a select as well). They
// are counted from the formulae, not from our code: the least that the mathematics asks for. Compensated sums, loads
// and checks are not in them, so that a share of one cannot be reached.
constexpr double word = 20;         // Philox4x32-10: (2 multiplies of 2 halves + 2 xors of 2) 10 rounds / 4 words
constexpr double exponential = 10;  // reduction 3, polynomial 6, scaling 1, in single precision
constexpr double logarithm = 14;    // exponent and mantissa 3, polynomial 9, sum 2; log1p the same
constexpr double uniform = word + 2;
constexpr double normal_pair =
    2 * uniform + logarithm + 3 + 18;  // Box-Muller: log, root, both products, sine and cosine
constexpr double divide = 1;

struct ModelWork {
  double dimension, outputs;
  double value;     // of the log density alone
  double gradient;  // of its gradient alone
  double both;
};

const std::map<std::string, ModelWork> models = {
    {"normal_10", {10, 10, 10, 10, 20}},
    {"banana", {2, 2, 5, 6, 9}},
    // exp(v / 2); a square and a sum for each of nine; its product with the inverse variance
    {"funnel", {10, 10, exponential + 9 + 4, exponential + 2 * 9 + 4, exponential + 3 * 9 + 4}},
    // mean, residual, scaled, squared, prior for each of eight; half-Cauchy and exp(log tau)
    {"eight_schools",
     {10, 18, 8 * 5 + exponential + logarithm + 4, 8 * 7 + exponential + 8, 8 * 9 + exponential + logarithm + 11}},
    // 100 rows of 5: residual, square; the gradient multiplies every element twice
    {"linear_regression", {6, 6, 100 * (5 + 2) + 17, 100 * (2 * 5 + 2) + 22, 100 * (2 * 5 + 2) + 29}},
    // 1000 rows of 25: product, exp, and log1p for the value; inverse logit and product again for the gradient
    {"logistic_regression",
     {25, 25, 1000 * (25 + exponential + logarithm + 2) + 25, 1000 * (2 * 25 + exponential + divide + 3) + 25,
      1000 * (2 * 25 + exponential + logarithm + divide + 5) + 50}},
    {"ill_conditioned_normal", {100, 100, 2 * 100, 100, 3 * 100}},
};

}  // namespace

Work work_of_transition(const Shape& shape) {
  const auto found = models.find(shape.model);
  if (found == models.end()) throw BadInput("no operation count for model " + shape.model);
  const ModelWork& m = found->second;
  const bool hmc = find_sampler(shape.sampler)->trajectory;
  const double d = m.dimension, number = shape.precision == Precision::single_precision ? 4 : 8;

  Work work;
  work.operations = d / 2 * normal_pair + uniform + exponential;  // proposal or momentum; the accept rule
  if (shape.precision == Precision::double_precision) work.operations += (d + 1) * word;  // a variate is two words
  if (hmc)  // kick and drift of every leapfrog, kinetic energies, accepted position and gradient
    work.operations += shape.leapfrogs * (2 * d + m.gradient) + (m.both - m.gradient) + 2 * d + 2 * d;
  else  // proposal, accepted position
    work.operations += m.value + 2 * d;

  const double state = (hmc ? 2 : 1) * d + 6;  // position, gradient, log density and counters: read and written
  work.bytes = number * (2 * state / shape.block + (m.outputs + 4) * shape.draws_recorded);
  return work;
}

}  // namespace manychain::bench
