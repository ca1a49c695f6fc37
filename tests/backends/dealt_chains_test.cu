// Chains that have 32 threads, run by a program directly: beside the same chain program on the host, one thread a
// chain. With working memory, a parked state, samplers made of others.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backends/bare_chains.hpp"
#include "backends/gpu.hpp"
#include "engine/leaf_memory.hpp"
#include "manychain/kernels/chain_kernel.cuh"
#include "manychain/model/distributions/visitors.hpp"

// Named: nvcc 13.0 confuses an unnamed namespace here with that of the chain kernel.
namespace dealt_chains_test {

using namespace manychain;
using DealtChains = GpuTest;

/// 20 dimensions, so that states are parked: intermediates with Jacobians and adjoints of their own beside rows that
/// are dealt.
template <class Number>
struct Wide {
  static constexpr int dimension = 20;
  Size<dynamic> n;
  Matrix<const Number, 12> X;
  View<const Number> y;

  void data(DataReader& in) {
    in("n", n);
    in("X", X, n, Size<12>{});
    in("y", y, n);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", Size<12>{});
    auto mu = target.real("mu");
    auto spread = target.vector("spread", Size<3>{}, lower(0));
    auto share = target.simplex("share", Size<4>{});
    auto sigma = target.real("sigma", lower(0));
    target += normal(beta, 0, 1);
    target += normal(mu, 0, 1);
    target += half_normal(sigma, 1);
    target.sum_over(Size<3>{}, [&](int i, auto& term) { term += half_normal(spread[i], 1); });
    target.sum_over(Size<4>{}, [&](int i, auto& term) { term += 2.0 * log(share[i]); });
    target.observe("y", n, [&](int j, auto& term) {
      term += normal(y[j], mu * share[1] + 0.3 * dot(X[j], beta), sigma + spread[2]);
    });
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    // Not that of this density: what is compared is the code.
    visitor.component(12, [](const auto& q) { return normal_distribution(0.2 * q[0], 0.5); });
  }
};

Data wide(int n) {
  Data data;
  std::vector<double> X, y;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < 12; ++i) X.push_back(std::sin(12 * j + i + 1.0));
    y.push_back(2 * std::cos(j + 0.5));
  }
  const std::size_t rows = static_cast<std::size_t>(n);
  data.set("n", n);
  data.set("X", X, {rows, 12});
  data.set("y", y, {rows});
  return data;
}

/// That of the model: nvcc does not compile what finds it.
Layout layout_with(int terms) {
  Layout layout;
  layout.dimension = 20;
  layout.outputs = 21;
  layout.terms = static_cast<std::size_t>(terms);
  for (std::size_t i = 0; i < 12; ++i) layout.dependent_scales.push_back({i, {12, 19}});
  layout.dependent_scales.push_back({12, {13}});
  return layout;
}

/// Two levels, in the order of the layout, and leaves of two exponentials. They fit no posterior, and need not.
LeafMasses leaf_masses() {
  LeafMasses masses;
  for (std::int32_t i = 0; i <= 12; ++i) {
    masses.component.push_back(i);
    masses.constant.push_back(0.2 + 0.05 * i);
    masses.intercept.push_back(-0.3 + 0.1 * i);
    masses.second.push_back(masses.first.back() + 1);
    masses.second_intercept.push_back(-0.2);
    if (i < 12) {
      masses.hyper.insert(masses.hyper.end(), {12, 19});
      masses.exponent.insert(masses.exponent.end(), {-0.6 + 0.1 * i, 0.4});
    } else {
      masses.hyper.push_back(13);
      masses.exponent.push_back(-1);
    }
    masses.first.push_back(static_cast<std::int32_t>(masses.hyper.size()));
  }
  return masses;
}

constexpr std::int64_t chains = 10;
constexpr std::uint32_t transitions = 6;

/// The properties of a run beside its sampler.
struct Case {
  double step_size = 0.05;
  int rank = 0;           ///< directions of the metric, at most 2
  bool observes = false;  ///< whether starts, proposals and momenta are stored
  bool leaves = false;    ///< whether masses depend on position
};

GroupTuning tuned(Case run) {
  return {.step_size = run.step_size, .trajectory = 0.3, .leapfrog_limit = 20, .leaves = run.leaves};
}
std::vector<double> steps(Case run) { return std::vector<double>(20, run.step_size); }
/// Two orthonormal directions, and their factors for the eigenvalues 4 and 1/4.
std::vector<double> directions() {
  std::vector<double> all;
  for (int i = 0; i < 20; ++i) all.push_back((i % 2 ? -1 : 1) / std::sqrt(20.0));
  for (int i = 0; i < 20; ++i) all.push_back((i < 10 ? -1 : 1) / std::sqrt(20.0));
  return all;
}
std::vector<double> factors() { return {3, 1, -0.75, -0.75, -0.5, 3}; }

/// The arrays of the chains, and what a case adds to them.
template <class Allocate>
ChainArrays<double> arrays_of(const Layout& layout, Case run, const Allocate& allocate) {
  ChainArrays<double> arrays = bare::arrays<double>(layout, chains, transitions, allocate);
  if (run.observes)
    for (double*& observed : arrays.observed) observed = allocate(layout.dimension * chains);
  return arrays;
}

/// Positions [dimension][chain] after some transitions, and the moments of the window.
template <class Sampler>
std::vector<double> on_host(const Data& data, const Layout& layout, Case run) {
  const BoundModel<Wide<double>, HostDataMemory> bound(data);
  std::vector<std::vector<double>> memory;
  ChainArrays<double> arrays =
      arrays_of(layout, run, [&](std::size_t count) { return memory.emplace_back(count).data(); });
  const std::vector<double> step = steps(run), along = directions(), factor = factors();
  const LeafMemory<double> leaf_memory(layout, true);
  const std::vector<std::byte> packed = leaf_memory.packed(leaf_masses());
  const LeafArrays<double> leaves =
      run.leaves ? leaf_memory.arrays(reinterpret_cast<const double*>(packed.data()), leaf_masses())
                 : LeafArrays<double>{};
  const auto tuning = Sampler::template Tuning<double>::of(
      tuned(run), TuningArrays<double>{step.data(), {along.data(), factor.data(), run.rank}, leaves});
  arrays.tuning = &tuning;
  std::vector<double> work(workspace_reals<Wide<double>, Sampler>(layout.dimension, layout.scratch, run.leaves) + 1);
  using R = Scalar<double>;
  for (std::int64_t c = 0; c < chains; ++c) {
    const Arena<R> arena{Strided<R>{reinterpret_cast<R*>(work.data()), 1}, 0};
    initialise_chains<keeps_gradient<Sampler>, R>(bound.model, arrays, 100, c, arena);
    const Block block = bare::block(0, transitions, transitions);
    if constexpr (Sampler::info.shows_proposal)
      if (run.observes) {
        advance_chains<Sampler, true, R>(bound.model, arrays, block, c, arena);
        continue;
      }
    advance_chains<Sampler, false, R>(bound.model, arrays, block, c, arena);
  }
  std::vector<double> all;
  for (const std::vector<double>& array : memory) all.insert(all.end(), array.begin(), array.end());
  return all;
}

template <class Sampler>
std::vector<double> on_device(const Data& data, const Layout& layout, Case run) {
  std::vector<CudaPointer<std::byte>> memory;
  std::vector<std::size_t> counts;
  const auto allocate = [&](std::size_t count) {
    memory.push_back(cuda_allocate(count * sizeof(double)));
    return reinterpret_cast<double*>(memory.back().get());
  };
  ChainArrays<double> arrays = arrays_of(layout, run, [&](std::size_t count) {
    counts.push_back(count);
    return allocate(count);
  });
  const std::size_t kept = memory.size();
  const auto sent = [&](const std::vector<double>& numbers) {
    double* const there = allocate(numbers.size());
    cuda_check(cudaMemcpy(there, numbers.data(), numbers.size() * 8, cudaMemcpyHostToDevice), "testing");
    return there;
  };
  const LeafMemory<double> leaf_memory(layout, true);
  LeafArrays<double> leaves;
  if (run.leaves) {
    std::vector<double> packed(leaf_memory.size());
    const std::vector<std::byte> bytes = leaf_memory.packed(leaf_masses());
    std::memcpy(packed.data(), bytes.data(), bytes.size());
    leaves = leaf_memory.arrays(sent(packed), leaf_masses());
  }
  const auto tuning = Sampler::template Tuning<double>::of(
      tuned(run), TuningArrays<double>{sent(steps(run)), {sent(directions()), sent(factors()), run.rank}, leaves});
  arrays.tuning = allocate(sizeof tuning / sizeof(double) + 1);
  cuda_check(cudaMemcpy(const_cast<void*>(arrays.tuning), &tuning, sizeof tuning, cudaMemcpyHostToDevice), "testing");
  CudaProgram<Wide<double>, Sampler, double> program(data, layout);
  double* const workspace = allocate((program.workspace_reals() + 1) * static_cast<std::size_t>(chains));
  program.initialise(arrays, 100, 0, chains, workspace);
  program.advance(arrays, bare::block(0, transitions, transitions), 0, chains, workspace);
  std::vector<double> all;
  for (std::size_t k = 0; k < kept; ++k) {
    std::vector<double> array(counts[k]);
    cuda_check(cudaMemcpy(array.data(), memory[k].get(), array.size() * 8, cudaMemcpyDeviceToHost), "testing");
    all.insert(all.end(), array.begin(), array.end());
  }
  return all;
}

/// All that chains leave in memory, for so many terms that a chain has a thread or a warp. A few transitions of short
/// trajectories amplify rounding of 1e-13 a little.
template <class Sampler>
void expect_like_the_host(Case run = {}) {
  for (const int n : {40, 100}) {
    const Data data = wide(n);
    const Layout layout = layout_with(n);
    const std::vector<double> here = on_host<Sampler>(data, layout, run), there = on_device<Sampler>(data, layout, run);
    ASSERT_EQ(here.size(), there.size());
    double moved = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_NEAR(here[i], there[i], 1e-8 * (1 + std::fabs(here[i]))) << n << " terms, number " << i;
      moved += std::fabs(here[i]);
    }
    EXPECT_GT(moved, 1);
  }
}

TEST_F(DealtChains, hmc) { expect_like_the_host<Hmc<>>(); }
TEST_F(DealtChains, hmc_along_directions) { expect_like_the_host<Hmc<>>({.rank = 2}); }
TEST_F(DealtChains, observed_hmc) { expect_like_the_host<Hmc<>>({.rank = 2, .observes = true}); }
TEST_F(DealtChains, hmc_with_leaves) { expect_like_the_host<HmcWithLeaves>({.rank = 2, .leaves = true}); }
TEST_F(DealtChains, mala) { expect_like_the_host<Mala<>>(); }
TEST_F(DealtChains, ula) { expect_like_the_host<Ula>({.step_size = 1e-3}); }  // larger ones leave the posterior
TEST_F(DealtChains, metropolis) { expect_like_the_host<Metropolis<>>(); }
TEST_F(DealtChains, hmc_within_gibbs) { expect_like_the_host<HmcThenGibbs>(); }
TEST_F(DealtChains, one_of_two) { expect_like_the_host<Mixture<Hmc<>, Mala<>>>(); }

}  // namespace dealt_chains_test
