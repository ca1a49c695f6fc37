// The distributions, functions, constraints and draws of the language on the device: what the host finds.
#include <cmath>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/kernels/cuda_memory.cuh"
#include "manychain/model.hpp"
#include "manychain/model/language/evaluate.hpp"

namespace distributions_test {

using namespace manychain;
using Distributions = GpuTest;

/// One of each.
template <class Number>
struct Everything {
  static constexpr int dimension = 22;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto sigma = target.real("sigma", lower(0));
    auto theta = target.vector("theta", Size<3>{}, offset_multiplier(mu, sigma));
    auto steps = target.vector("steps", Size<3>{}, positive_ordered());
    auto direction = target.vector("direction", Size<3>{}, unit_vector());
    auto effect = target.vector("effect", Size<4>{}, sum_to_zero());
    auto share = target.simplex("share", Size<3>{});
    auto cut = target.ordered("cut", Size<3>{});
    auto p = target.real("p", interval(0, 1));
    auto y = target.real("y", lower(0));
    auto z = target.real("z");
    target += double_exponential(z, mu, sigma) + logistic(z, mu, sigma) + gumbel(z, mu, sigma);
    target += weibull(y, sigma, 2) + half_student_t(y, 3, sigma) + chi_square(y, sigma) + pareto(y + 1, 1, sigma);
    target += von_mises(z, mu, sigma) + skew_normal(z, mu, sigma, y);
    target += poisson(3, sigma) + bernoulli(1, p) + binomial(2, 5, p) + geometric(2, p) + beta_binomial(3, 7, sigma, y);
    target += neg_binomial(3, sigma, y) + neg_binomial_2(4, y, sigma) + neg_binomial_2_log(4, mu, sigma);
    target +=
        categorical(1, share) + categorical_logit(2, theta) + ordered_logistic(1, z, cut) + dirichlet(share, steps);
    target += normal_lcdf(z, mu, sigma) + normal_lccdf(z, mu, sigma) + lognormal_lcdf(y, mu, sigma) +
              weibull_lcdf(y, sigma, 2) + gumbel_lccdf(z, mu, sigma);
    target += gamma_lcdf(y, sigma, 2) + inverse_gamma_lccdf(y, sigma, 2) + beta_lccdf(p, sigma, y) +
              student_t_lcdf(z, sigma, mu, 2);
    target += lgamma(sigma) + log_Phi(z) + Phi(mu) + pow(y, z) + pow(z, 3) + sin(z) + cos(mu) + log_bessel_i0(y) +
              lbeta(sigma, y) + logit(p);
    target += normal(direction, effect[0], 1);
    target += normal(theta, effect[1], 2);
    target += normal(steps, effect[2], 3);
  }
};
template <class Number>
struct Draws {
  static constexpr int dimension = 1;
  static constexpr int outputs = 17;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x", lower(0));
    target.predict("a", student_t_distribution(3, 1, x));
    target.predict("b", von_mises_distribution(0, x));
    target.predict("c", weibull_distribution(2, x));
    target.predict("d", skew_normal_distribution(0, x, 2));
    target.predict("e", poisson_distribution(20 * x));
    target.predict("f", poisson_distribution(x));
    target.predict("g", binomial_distribution(70, x / (x + 1)));
    target.predict("h", binomial_distribution(7, 0.25));
    target.predict("i", neg_binomial_2_distribution(12, x));
    target.predict("j", beta_binomial_distribution(9, x, 2));
    target.predict("k", geometric_distribution(0.25));
    target.predict("l", gumbel_distribution(0, x));
    target.predict("m", logistic_distribution(0, x));
    target.predict("n", double_exponential_distribution(0, x));
    target.predict("o", pareto_distribution(x, 2));
    target.predict("p", chi_square_distribution(x));
  }
};

/// Vectors and matrices, of which most need working memory.
template <class Number>
struct VectorDraws {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x", lower(0));
    auto mean = vector_of(2, [&](int i) { return x + i; });
    auto S = matrix_of(2, 2, [&](int i, int j) { return (x + 1) * (i == j ? 1.0 : 0.25); });
    target.predict("a", multi_normal_distribution(mean, S));
    target.predict("b", 2, [&](int i) { return multi_normal_precision_distribution(mean[i], S); });
    target.predict("c", multi_student_t_distribution(x + 2, 0, S));
    target.predict("d", dirichlet_distribution(3, x));
    target.predict("e", multinomial_distribution(30, mean));
    target.predict("f", lkj_corr_distribution(3, x));
    target.predict("g", lkj_corr_cholesky_distribution(3, x));
    target.predict("h", wishart_distribution(x + 3, S));
    target.predict("i", inv_wishart_distribution(x + 3, S));
    target.predict("j", normal_variance_distribution(0, x));
  }
};
constexpr int vector_outputs = 1 + 2 + 4 + 2 + 3 + 2 + 9 + 9 + 4 + 4 + 1;

constexpr int d = 22, results = 1 + d, chains = 8;

template <class R>
MANYCHAIN_HD void find_density(const Registers<R, d>& q, Registers<R, results>& out) {
  Registers<R, d> g;
  const Arena<R> none{};
  out[0] = evaluate<Request::value_and_gradient, R>(Everything<number_of<R>>{}, Size<d>{}, q, g, none).value();
  for_each(Size<d>{}, [&](int i) { out[1 + i] = g[i]; });
}
template <class Number>
static __global__ void densities(const Number* points, Number* out) {
  using R = Scalar<Number>;
  const unsigned chain = threadIdx.x;
  Registers<R, d> q;
  Registers<R, results> found;
  for_each(Size<d>{}, [&](int i) { q[i] = R(points[chain * d + static_cast<unsigned>(i)]); });
  find_density(q, found);
  for_each(Size<results>{}, [&](int k) { out[chain * results + static_cast<unsigned>(k)] = found[k].v; });
}

template <class R>
struct Keep {
  R* out;
  MANYCHAIN_HD void operator()(int k, R x) const { out[k] = x; }
};
template <class R>
MANYCHAIN_HD void draw_outputs(unsigned chain, R* out) {
  Registers<R, 1> q{{R(0.25 * (chain + 1) - 1)}};
  const Stream<R> stream(20261122, Purpose::transition, chain, 3);
  evaluate_outputs<R>(Draws<number_of<R>>{}, q, Arena<R>{}, 1, Keep<R>{out}, stream);
}
template <class R>
MANYCHAIN_HD void draw_vectors(unsigned chain, R* out) {
  R memory[64];
  Registers<R, 1> q{{R(0.25 * (chain + 1) - 1)}};
  const Stream<R> stream(20261122, Purpose::transition, chain, 3);
  evaluate_outputs<R>(VectorDraws<number_of<R>>{}, q, Arena<R>{Strided<R>{memory, 1}, 0}, 1, Keep<R>{out}, stream);
}
static __global__ void vector_draws(Scalar<double>* out) {
  draw_vectors(threadIdx.x, out + threadIdx.x * vector_outputs);
}
static __global__ void draws(Scalar<double>* out) { draw_outputs(threadIdx.x, out + threadIdx.x * 17); }

template <class Number>
void expect_densities(double tolerance) {
  std::vector<Number> points, found(chains * results);
  for (unsigned k = 0; k < chains * d; ++k) points.push_back(static_cast<Number>(0.8 * std::sin(1.7 * k)));
  const auto from = cuda_allocate(points.size() * sizeof(Number)), to = cuda_allocate(found.size() * sizeof(Number));
  cuda_check(cudaMemcpy(from.get(), points.data(), points.size() * sizeof(Number), cudaMemcpyHostToDevice), "testing");
  densities<Number><<<1, chains>>>(reinterpret_cast<const Number*>(from.get()), reinterpret_cast<Number*>(to.get()));
  cuda_check(cudaMemcpy(found.data(), to.get(), found.size() * sizeof(Number), cudaMemcpyDeviceToHost), "testing");
  for (unsigned c = 0; c < chains; ++c) {
    Registers<Scalar<double>, d> q;
    Registers<Scalar<double>, results> expected;
    for (int i = 0; i < d; ++i) q[i] = static_cast<double>(points[c * d + static_cast<unsigned>(i)]);
    find_density(q, expected);
    for (int k = 0; k < results; ++k) {
      const double exact = expected[k].v;
      ASSERT_TRUE(std::isfinite(exact)) << k;
      EXPECT_NEAR(found[c * results + static_cast<unsigned>(k)], exact, tolerance * (10 + std::fabs(exact)))
          << "chain " << c << ", result " << k;
    }
  }
}
// Some sixty terms of a size of up to a hundred, each rounded some ten times.
TEST_F(Distributions, densities_in_single) { expect_densities<float>(2000 * 0x1p-24); }
TEST_F(Distributions, densities_in_double) { expect_densities<double>(2000 * 0x1p-53); }

// From the same random integers: counts are the same, and other draws differ by roundings.
template <class Kernel, class Draw>
void expect_draws(Kernel kernel, Draw draw, unsigned outputs) {
  std::vector<double> found(chains * outputs);
  const auto to = cuda_allocate(found.size() * sizeof(double));
  kernel(reinterpret_cast<Scalar<double>*>(to.get()));
  cuda_check(cudaMemcpy(found.data(), to.get(), found.size() * sizeof(double), cudaMemcpyDeviceToHost), "testing");
  for (unsigned c = 0; c < chains; ++c) {
    std::vector<Scalar<double>> expected(outputs);
    draw(c, expected.data());
    for (unsigned k = 0; k < outputs; ++k) {
      EXPECT_TRUE(std::isfinite(expected[k].v)) << k;
      EXPECT_NEAR(found[c * outputs + k], expected[k].v, 1e-10 * (1 + std::fabs(expected[k].v))) << "output " << k;
    }
  }
}
TEST_F(Distributions, draws_in_double) {
  expect_draws([](Scalar<double>* to) { draws<<<1, chains>>>(to); },
               [](unsigned c, Scalar<double>* out) { draw_outputs(c, out); }, 17);
}
TEST_F(Distributions, draws_of_vectors_in_double) {
  expect_draws([](Scalar<double>* to) { vector_draws<<<1, chains>>>(to); },
               [](unsigned c, Scalar<double>* out) { draw_vectors(c, out); }, vector_outputs);
}

}  // namespace distributions_test
