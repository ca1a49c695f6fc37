// Cholesky factors, solutions and matrices of parameters in device code: what the host finds.
#include <cmath>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/kernels/cuda_memory.cuh"
#include "manychain/model/language/evaluate.hpp"
#include "manychain/model/matrices/covariance_functions.hpp"
#include "manychain/model/matrices/matrix_constraints.hpp"
#include "manychain/model/matrices/matrix_distributions.hpp"

namespace matrices_test {

using namespace manychain;
using Matrices = GpuTest;

/// A factor and a correlation matrix of parameters, of a fixed size in registers and of one that is not; a Gaussian
/// process of seven points, which takes tiles and a remainder.
struct Model {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    using R = typename Target::real_type;
    auto alpha = target.real("alpha", lower(0));
    auto rho = target.real("rho", lower(0));
    auto L = target.cholesky_corr("L", Size<3>{});
    auto S = target.corr_matrix("S", Size<dynamic>(5));
    target += lkj_corr_cholesky(L, 1.5);
    target += lkj_corr(S, 2.0);
    const auto x = vector_of(7, [](int i) { return R(0.25 * i * i - 1); });
    target += multi_normal(x, 0.1, add_diagonal(gp_matern52_cov(x, alpha, rho), 0.5));
    target += multi_normal_cholesky(vector_of(Size<3>{}, [](int i) { return R(0.5 * i); }), alpha, L);
    target += -square(S[4][1] + L[2][0]);
  }
};

constexpr int d = 2 + 3 + 10, outputs = 1 + d, work = 512;

/// State, gradient, value and working memory lie [component][chain].
template <class R>
MANYCHAIN_HD void evaluate_model(const Strided<R>& q, const Strided<R>& out, const Strided<R>& memory) {
  Strided<R> gradient{&out[1], out.stride};
  out[0] =
      evaluate<Request::value_and_gradient, R>(Model{}, Size<dynamic>(d), q, gradient, Arena<R>{memory, 0}).value();
}
template <class Number>
static __global__ void evaluate_chains(Number* points, Number* out, Number* memory) {
  using R = Scalar<Number>;
  const auto of_chain = [](Number* p) { return Strided<R>{reinterpret_cast<R*>(p) + threadIdx.x, blockDim.x}; };
  evaluate_model<R>(of_chain(points), of_chain(out), of_chain(memory));
}

template <class Number>
void expect_like_the_host(double tolerance) {
  constexpr unsigned chains = 4;
  std::vector<Number> points, found(chains * outputs);
  for (unsigned k = 0; k < chains * d; ++k) points.push_back(static_cast<Number>(0.7 * std::sin(1.7 * k)));
  const auto there = cuda_allocate(points.size() * sizeof(Number));
  const auto memory = cuda_allocate(chains * work * sizeof(Number));
  const auto result = cuda_allocate(found.size() * sizeof(Number));
  const auto numbers = [](const auto& p) { return reinterpret_cast<Number*>(p.get()); };
  cuda_check(cudaMemcpy(there.get(), points.data(), points.size() * sizeof(Number), cudaMemcpyHostToDevice), "testing");
  evaluate_chains<Number><<<1, chains>>>(numbers(there), numbers(result), numbers(memory));
  cuda_check(cudaMemcpy(found.data(), result.get(), found.size() * sizeof(Number), cudaMemcpyDeviceToHost), "testing");
  for (unsigned c = 0; c < chains; ++c) {
    using R = Scalar<double>;
    std::vector<R> q, expected(outputs), scratch(work);
    for (unsigned i = 0; i < d; ++i) q.push_back(static_cast<double>(points[i * chains + c]));
    evaluate_model<R>(Strided<R>{q.data(), 1}, Strided<R>{expected.data(), 1}, Strided<R>{scratch.data(), 1});
    for (unsigned k = 0; k < outputs; ++k)
      EXPECT_NEAR(found[k * chains + c], expected[k].v, tolerance * (1 + std::fabs(expected[k].v)))
          << "chain " << c << ", output " << k;
  }
}

// Matrices of a condition below 100, whose elements round some ten times.
TEST_F(Matrices, like_the_host_in_single) { expect_like_the_host<float>(1000 * 0x1p-24); }
TEST_F(Matrices, like_the_host_in_double) { expect_like_the_host<double>(1000 * 0x1p-53); }

}  // namespace matrices_test
