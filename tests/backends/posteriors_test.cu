// The posteriors of examples/posteriors on a device: log density and gradient are those of the host.
#include <cmath>
#include <string>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/kernels/cuda_memory.cuh"
#include "manychain/model/language/evaluate.hpp"
#include "manychain/model/language/variants.hpp"
#include "posteriors/ar_k.hpp"
#include "posteriors/brownian_motion.hpp"
#include "posteriors/diamonds.hpp"
#include "posteriors/eight_schools.hpp"
#include "posteriors/garch.hpp"
#include "posteriors/gauss_mix.hpp"
#include "posteriors/german_credit.hpp"
#include "posteriors/german_credit_sparse.hpp"
#include "posteriors/gp_regr.hpp"
#include "posteriors/hmm_example.hpp"
#include "posteriors/item_response.hpp"
#include "posteriors/kidscore_interaction.hpp"
#include "posteriors/linear_regression.hpp"
#include "posteriors/logearn_height.hpp"
#include "posteriors/logmesquite.hpp"
#include "posteriors/nes.hpp"
#include "posteriors/stochastic_volatility.hpp"

namespace posteriors_test {

using namespace manychain;

template <class Model>
MANYCHAIN_HD auto size_for(int dimension) {
  if constexpr (model_dimension<Model>() == dynamic)
    return Size<dynamic>(dimension);
  else
    return Size<model_dimension<Model>()>{};
}

/// Log density and gradient at q, which lies apart by `stride`.
template <class Number, class Model>
MANYCHAIN_HD void evaluate_at(const Model& model, int dimension, Number* q, Number* gradient, Number* scratch,
                              std::ptrdiff_t stride, Number& log_density) {
  using R = Scalar<Number>;
  const auto reals = [&](Number* p) { return Strided<R>{reinterpret_cast<R*>(p), stride}; };
  Strided<R> point = reals(q), slope = reals(gradient);
  log_density = evaluate<Request::value_and_gradient, R>(model, size_for<Model>(dimension), point, slope,
                                                         Arena<R>{reals(scratch), 0})
                    .value()
                    .v;
}

template <class Model>
static __global__ void evaluate_chains(const __grid_constant__ Model model, int dimension, double* memory) {
  const unsigned chain = threadIdx.y, chains = blockDim.y;
  const std::size_t n = static_cast<std::size_t>(dimension);
  double* const gradient = memory + n * chains;
  double* const log_density = gradient + n * chains;
  evaluate_at(model, dimension, memory + chain, gradient + chain, log_density + chains + chain,
              static_cast<std::ptrdiff_t>(chains), log_density[chain]);
}

/// The posterior has `n` dimensions.
template <template <class, int...> class Class>
void expect_like_the_host(const std::string& file, std::size_t n) {
  using Model = Class<double>;
  constexpr std::size_t chains = 3;
  const Data data = Data::from_file(MANYCHAIN_POSTERIORS_DATA "/" + file + ".json");
  const BoundModel<Model, CudaDataMemory> bound(data);
  const BoundModel<Model, HostDataMemory> on_host(data);
  const std::size_t scratch = 4 * n + 1024;  // values and adjoints of intermediates: more than any of them has
  std::vector<double> memory(chains * (2 * n + 1 + scratch));
  for (std::size_t k = 0; k < chains * n; ++k) memory[k] = 0.3 * std::sin(1.7 * static_cast<double>(k));
  std::vector<double> expected = memory;
  const auto there = cuda_allocate(memory.size() * sizeof(double));
  const std::size_t bytes = memory.size() * sizeof(double);
  cuda_check(cudaMemcpy(there.get(), memory.data(), bytes, cudaMemcpyHostToDevice), "testing");
  evaluate_chains<Model>
      <<<1, dim3(1, chains)>>>(bound.model, static_cast<int>(n), reinterpret_cast<double*>(there.get()));
  cuda_check(cudaMemcpy(memory.data(), there.get(), bytes, cudaMemcpyDeviceToHost), "testing");
  double* const gradient = expected.data() + n * chains;
  double* const log_density = gradient + n * chains;
  for (std::size_t c = 0; c < chains; ++c) {
    evaluate_at(on_host.model, static_cast<int>(n), expected.data() + c, gradient + c, log_density + chains + c,
                static_cast<std::ptrdiff_t>(chains), log_density[c]);
    ASSERT_TRUE(std::isfinite(log_density[c])) << file;
  }
  // Functions of the two sides differ by some units of rounding, and a gradient is a sum of all terms.
  double largest = 1;
  for (std::size_t k = n * chains; k < (2 * n + 1) * chains; ++k) largest = std::max(largest, std::fabs(expected[k]));
  for (std::size_t k = n * chains; k < (2 * n + 1) * chains; ++k)
    EXPECT_NEAR(memory[k], expected[k], 1e-11 * largest) << file << ", component " << k / chains - n;
}

using Posteriors = GpuTest;

TEST_F(Posteriors, regressions) {
  expect_like_the_host<LogearnHeight>("earnings-logearn_height", 3);
  expect_like_the_host<KidscoreInteraction>("kidiq-kidscore_interaction", 5);
  expect_like_the_host<Logmesquite>("mesquite-logmesquite", 8);
  expect_like_the_host<Nes>("nes1972-nes", 10);
  expect_like_the_host<Diamonds>("diamonds-diamonds", 26);
  expect_like_the_host<Regression>("sblri-blr", 6);
  expect_like_the_host<GermanCredit>("german_credit_numeric", 25);
  expect_like_the_host<GermanCreditSparse>("german_credit_numeric", 51);
}
TEST_F(Posteriors, hierarchies_and_mixtures) {
  expect_like_the_host<EightSchools>("eight_schools-eight_schools_noncentered", 10);
  expect_like_the_host<GaussMix>("low_dim_gauss_mix-low_dim_gauss_mix", 5);
  expect_like_the_host<ItemResponse>("synthetic_item_response_theory", 501);
  expect_like_the_host<GpRegr>("gp_pois_regr-gp_regr", 3);
}
TEST_F(Posteriors, series) {
  expect_like_the_host<ArK>("arK-arK", 7);
  expect_like_the_host<Garch>("garch-garch11", 4);
  expect_like_the_host<HmmExample>("hmm_example-hmm_example", 4);
  expect_like_the_host<BrownianMotion>("brownian_motion_unknown_scales_missing_middle_observations", 32);
  expect_like_the_host<StochasticVolatility>("stochastic_volatility_sp500", 2519);
}

}  // namespace posteriors_test
