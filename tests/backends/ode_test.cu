// Differential equations and forward mode in CUDA threads: what the host finds.
#include <cmath>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/kernels/cuda_memory.cuh"
#include "manychain/model/distributions/distributions.hpp"
#include "manychain/model/language/evaluate.hpp"
#include "manychain/model/language/model_class.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/model/matrices/matrix_expression.hpp"
#include "manychain/model/recurrences/forward_mode.hpp"

namespace ode_test {

using namespace manychain;
using DifferentialEquations = GpuTest;

/// Predator and prey with adaptive steps, a decay with fixed ones, and a loop by forward mode.
template <class Number>
struct Dynamics {
  static constexpr int dimension = 6;
  Size<dynamic> n;
  View<const Number> t, y;

  void data(DataReader& in) {
    in("n", n);
    in("t", t, n);
    in("y", y, n);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta = target.vector("theta", Size<4>{}, lower(0));
    auto start = target.vector("start", Size<2>{}, lower(0));
    const auto rhs = [](const auto&, const auto& z, const auto& rate) {
      return derivatives((rate[0] - rate[1] * z[1]) * z[0], (-rate[2] + rate[3] * z[0]) * z[1]);
    };
    auto z = target.ode_rk45_tol(rhs, start, 0.0, t, 1e-5, 1e-5, 100, theta);
    target += normal(y, column(z, 0), 1.0);
    target.observe("y", n, [&](auto j, auto& term) { term += normal(y[j], log(z[j][1]), 2.0); });
    const auto decay = [](const auto& time, const auto& amount, const auto& k) { return -k * amount + 0.1 * time; };
    auto rest = target.ode_rk4(decay, start[0], 0.0, t, 4, theta[2]);
    target += normal(rest, 0.5, 1.0);
    const auto iterate = [](const auto& u, const auto& v) {
      auto x = u;
      for (int k = 0; k < 5; ++k) x = x * 0.5 + tanh(v - x);
      return x;
    };
    target += -square(forward_mode(iterate, theta[1], start[1]));
  }
};

constexpr int d = 6, outputs = 1 + d, scratch = 256;

Data dynamics(int n) {
  Data data;
  std::vector<double> t, y;
  for (int i = 0; i < n; ++i) t.push_back(0.5 * i), y.push_back(1 + 0.5 * std::sin(1.3 * i));
  data.set("n", n);
  data.set("t", t, {static_cast<std::size_t>(n)});
  data.set("y", y, {static_cast<std::size_t>(n)});
  return data;
}

template <class R, class Model>
MANYCHAIN_HD void evaluate_one(const Model& model, const Registers<R, d>& q, Registers<R, outputs>& out) {
  R memory[scratch];
  Registers<R, d> g;
  const Arena<R> arena{Strided<R>{memory, 1}, 0};
  out[0] = evaluate<Request::value_and_gradient, R>(model, Size<d>{}, q, g, arena).value();
  for_each(Size<d>{}, [&](int i) { out[1 + i] = g[i]; });
}

template <class Number>
static __global__ void evaluate_chains(const __grid_constant__ Dynamics<Number> model, const Number* points,
                                       Number* out) {
  using R = Scalar<Number>;
  const unsigned chain = blockIdx.x * blockDim.y + threadIdx.y;
  Registers<R, d> q;
  Registers<R, outputs> found;
  for_each(Size<d>{}, [&](int i) { q[i] = R(points[chain * d + static_cast<unsigned>(i)]); });
  evaluate_one<R>(model, q, found);
  Number* const row = out + (chain * blockDim.x + threadIdx.x) * outputs;
  for_each(Size<outputs>{}, [&](int k) { row[k] = found[k].v; });
}

/// Steps follow from values, and these differ in the last bits: solutions by the tolerance of 1e-5, of either.
template <class Number>
void expect_like_the_host(double tolerance) {
  constexpr unsigned chains = 8;
  std::vector<Number> points;
  for (unsigned k = 0; k < chains * d; ++k) points.push_back(static_cast<Number>(0.4 * std::sin(1.7 * k)));
  points[5 * d] = std::numeric_limits<Number>::quiet_NaN();
  const auto there = cuda_allocate(points.size() * sizeof(Number));
  cuda_check(cudaMemcpy(there.get(), points.data(), points.size() * sizeof(Number), cudaMemcpyHostToDevice), "testing");
  const BoundModel<Dynamics<Number>, CudaDataMemory> bound(dynamics(12));
  const BoundModel<Dynamics<Number>, HostDataMemory> on_host(dynamics(12));
  for (const unsigned threads : {1u, 32u}) {
    std::vector<Number> found(chains * threads * outputs);
    const auto memory = cuda_allocate(found.size() * sizeof(Number));
    evaluate_chains<Number><<<2, dim3(threads, chains / 2)>>>(bound.model, reinterpret_cast<const Number*>(there.get()),
                                                              reinterpret_cast<Number*>(memory.get()));
    cuda_check(cudaMemcpy(found.data(), memory.get(), found.size() * sizeof(Number), cudaMemcpyDeviceToHost),
               "testing");
    for (unsigned c = 0; c < chains; ++c) {
      Registers<Scalar<Number>, d> q;
      Registers<Scalar<Number>, outputs> expected;
      for (int i = 0; i < d; ++i) q[i] = points[c * d + static_cast<unsigned>(i)];
      evaluate_one<Scalar<Number>>(on_host.model, q, expected);
      for (unsigned t = 0; t < threads; ++t)
        for (unsigned k = 0; k < outputs; ++k) {
          const double x = found[(c * threads + t) * outputs + k], right = expected[static_cast<int>(k)].v;
          if (c == 5)
            EXPECT_TRUE(std::isnan(x)) << "a chain without a solution, output " << k;
          else
            EXPECT_NEAR(x, right, tolerance * (1 + std::fabs(right)))
                << threads << " threads, chain " << c << ", output " << k;
        }
    }
  }
}

TEST_F(DifferentialEquations, like_those_of_the_host_in_single) { expect_like_the_host<float>(1e-3); }
TEST_F(DifferentialEquations, like_those_of_the_host_in_double) { expect_like_the_host<double>(1e-3); }

}  // namespace ode_test
