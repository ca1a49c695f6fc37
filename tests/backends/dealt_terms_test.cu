// Terms that are dealt to the threads of a chain: what one thread finds, in all of them, and on the host.
#include <cmath>
#include <limits>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/kernels/cuda_memory.cuh"
#include "manychain/model/distributions/distributions.hpp"
#include "manychain/model/language/evaluate.hpp"
#include "manychain/model/language/model_class.hpp"
#include "manychain/model/language/variants.hpp"

namespace dealt_terms_test {

using namespace manychain;
using DealtTerms = GpuTest;

/// Everything that a density may be made of: terms outside of sums, a constrained parameter and its Jacobian, an
/// intermediate, rows of numbers and of whole numbers, a sum of a fixed size, one within a term, one over a vector,
/// sums of such and with weights, a single observation.
template <class Number>
struct Everything {
  static constexpr int dimension = 5;
  Size<dynamic> n;
  Matrix<const Number, 3> X;
  Matrix<const int, 2> codes;
  View<const Number> y;

  void data(DataReader& in) {
    in("n", n);
    in("X", X, n, Size<3>{});
    in("codes", codes, n, Size<2>{});
    in("y", y, n);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", Size<3>{});
    auto sigma = target.real("sigma", lower(0));
    auto shift = target.real("shift", lower(-1));
    target += normal(beta, 0, 3);
    target += half_normal(sigma, 2);
    const auto twice = let(2.0 * sigma + 1.0);
    target.observe("y", n, [&](auto j, auto& term) { term += normal(y[j], dot(X[j], beta) + shift, twice); });
    target.sum_over(Size<3>{}, [&](auto i, auto& term) { term += -0.1 * square(beta[i] * sigma); });
    target.observe("codes", n, [&](int j, auto& term) {
      term += bernoulli_logit(codes[j][1], codes[j][0] * beta[0] - shift);
      term.sum_over(Size<dynamic>(codes[j][0]), [&](int i, auto& inner) { inner += 0.01 * beta[1] * X[j][i]; });
    });
    target += normal(y, shift, 2.0 * sigma);
    target += 0.25 * normal(y, shift, twice) - y * cauchy(y, beta[2], 3) / 4 + normal(beta, 1, 4);
    target.observe("weighted", y * normal(y, beta[1], 3) - cauchy(y, shift, 2) / 2);
    target.observe("one", normal(0.5, shift, 4));
  }
};

Data everything(int n) {
  Data data;
  std::vector<double> X, y, codes;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < 3; ++i) X.push_back(std::sin(3 * j + i + 1.0));
    y.push_back(2 * std::cos(j + 0.5));
    codes.push_back(j % 3);
    codes.push_back((j / 2) % 2);
  }
  const std::size_t rows = static_cast<std::size_t>(n);
  data.set("n", n);
  data.set("X", X, {rows, 3});
  data.set("codes", codes, {rows, 2});
  data.set("y", y, {rows});
  return data;
}

constexpr int d = 5, outputs = 1 + 2 * d;

template <class R, class Model>
MANYCHAIN_HD void evaluate_both(const Model& model, const Registers<R, d>& q, Registers<R, outputs>& out) {
  Registers<R, d> g, alone;
  const Arena<R> none{};
  out[0] = evaluate<Request::value_and_gradient, R>(model, Size<d>{}, q, g, none).value();
  evaluate<Request::gradient, R>(model, Size<d>{}, q, alone, none);
  for_each(Size<d>{}, [&](int i) { out[1 + i] = g[i], out[1 + d + i] = alone[i]; });
}

template <class Number>
static __global__ void evaluate_chains(const __grid_constant__ Everything<Number> model, const Number* points,
                                       Number* out) {
  using R = Scalar<Number>;
  const unsigned chain = blockIdx.x * blockDim.y + threadIdx.y;
  Registers<R, d> q;
  Registers<R, outputs> found;
  for_each(Size<d>{}, [&](int i) { q[i] = R(points[chain * d + static_cast<unsigned>(i)]); });
  evaluate_both<R>(model, q, found);
  Number* const row = out + (chain * blockDim.x + threadIdx.x) * outputs;
  for_each(Size<outputs>{}, [&](int k) { row[k] = found[k].v; });
}

template <class Number>
void expect_like_the_host(double tolerance) {
  constexpr unsigned chains = 6;
  std::vector<Number> points;
  for (unsigned k = 0; k < chains * d; ++k) points.push_back(static_cast<Number>(std::sin(1.7 * k)));
  const auto there = cuda_allocate(points.size() * sizeof(Number));
  cuda_check(cudaMemcpy(there.get(), points.data(), points.size() * sizeof(Number), cudaMemcpyHostToDevice), "testing");
  for (const int n : {0, 1, 31, 32, 33, 64, 100}) {
    const BoundModel<Everything<Number>, CudaDataMemory> bound(everything(n));
    const BoundModel<Everything<double>, HostDataMemory> on_host(everything(n));
    for (const unsigned threads : {1u, 32u}) {
      std::vector<Number> found(chains * threads * outputs);
      const auto memory = cuda_allocate(found.size() * sizeof(Number));
      evaluate_chains<Number><<<chains / 2, dim3(threads, 2)>>>(
          bound.model, reinterpret_cast<const Number*>(there.get()), reinterpret_cast<Number*>(memory.get()));
      cuda_check(cudaMemcpy(found.data(), memory.get(), found.size() * sizeof(Number), cudaMemcpyDeviceToHost),
                 "testing");
      for (unsigned c = 0; c < chains; ++c) {
        Registers<Scalar<double>, d> q;
        Registers<Scalar<double>, outputs> expected;
        for (int i = 0; i < d; ++i) q[i] = static_cast<double>(points[c * d + static_cast<unsigned>(i)]);
        evaluate_both<Scalar<double>>(on_host.model, q, expected);
        for (unsigned t = 0; t < threads; ++t)
          for (unsigned k = 0; k < outputs; ++k) {
            const Number x = found[(c * threads + t) * outputs + k];
            EXPECT_NEAR(x, expected[static_cast<int>(k)].v, tolerance * (1 + n))
                << n << " terms, " << threads << " threads, chain " << c << ", output " << k;
            EXPECT_EQ(x, found[c * threads * outputs + k]) << "thread " << t;
          }
      }
    }
  }
}

// Every term and derivative is below 30 here, and rounds some ten times.
TEST_F(DealtTerms, like_those_of_one_thread_in_single) { expect_like_the_host<float>(300 * 0x1p-24); }
TEST_F(DealtTerms, like_those_of_one_thread_in_double) { expect_like_the_host<double>(300 * 0x1p-53); }

template <int n, class Number>
static __global__ void average_over_threads(const Number* from, Number* to) {
  const unsigned row = (blockIdx.x * 32 + threadIdx.x) * n;
  Registers<Scalar<Number>, n> v;
  for_each(Size<n>{}, [&](int i) { v[i] = from[row + static_cast<unsigned>(i)]; });
  ChainThreads::average(Size<n>{}, v);
  for_each(Size<n>{}, [&](int i) { to[row + static_cast<unsigned>(i)] = v[i].v; });
}

/// Sums of two, of four, ... neighbouring threads, as every thread would find them that always adds what its partner
/// holds.
template <class Number>
Number mean_by_pairs(std::vector<Number> x) {
  for (; x.size() > 1; x.resize(x.size() / 2))
    for (std::size_t k = 0; k < x.size() / 2; ++k) x[k] = x[2 * k] + x[2 * k + 1];
  return x[0] / 32;
}

template <int n, class Number>
void expect_averages() {
  constexpr unsigned chains = 3;
  std::vector<Number> values(chains * 32 * n), found(values.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = static_cast<Number>(std::exp(std::sin(7.0 * static_cast<double>(k))));
  const auto from = cuda_allocate(values.size() * sizeof(Number)), to = cuda_allocate(values.size() * sizeof(Number));
  cuda_check(cudaMemcpy(from.get(), values.data(), values.size() * sizeof(Number), cudaMemcpyHostToDevice), "testing");
  average_over_threads<n>
      <<<chains, 32>>>(reinterpret_cast<const Number*>(from.get()), reinterpret_cast<Number*>(to.get()));
  cuda_check(cudaMemcpy(found.data(), to.get(), found.size() * sizeof(Number), cudaMemcpyDeviceToHost), "testing");
  for (unsigned c = 0; c < chains; ++c)
    for (unsigned i = 0; i < n; ++i) {
      std::vector<Number> of_threads;
      for (unsigned t = 0; t < 32; ++t) of_threads.push_back(values[(c * 32 + t) * n + i]);
      const Number expected = mean_by_pairs(of_threads);
      for (unsigned t = 0; t < 32; ++t)
        EXPECT_EQ(found[(c * 32 + t) * n + i], expected) << "element " << i << " of " << n << ", thread " << t;
    }
}

TEST_F(DealtTerms, averages_of_all_threads_to_the_bit) {
  expect_averages<1, float>();
  expect_averages<2, double>();
  expect_averages<5, float>();
  expect_averages<8, float>();
  expect_averages<17, double>();
  expect_averages<25, float>();
  expect_averages<31, float>();
  expect_averages<32, double>();
}

template <class T, int Columns>
void expect_layout() {
  using Layout = MatrixLayout<T, Columns>;
  static_assert(Layout::interleaved);
  const int rows = 70;
  std::vector<double> by_row;
  for (int k = 0; k < rows * Columns; ++k) by_row.push_back(k + 1);
  const std::vector<double> lying = Layout::arranged(by_row, rows);
  alignas(16) T numbers[96 * Layout::padded_columns];
  ASSERT_EQ(lying.size(), std::size(numbers));
  double sum = 0;
  for (std::size_t k = 0; k < lying.size(); ++k) numbers[k] = static_cast<T>(lying[k]), sum += lying[k];
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < Columns; ++i)
      EXPECT_EQ(Layout::row(numbers, j, Columns)[Layout::offset(i)], static_cast<T>(j * Columns + i + 1));
  EXPECT_EQ(sum, 0.5 * rows * Columns * (rows * Columns + 1)) << "padded with zeros";
  const std::ptrdiff_t apart = Layout::row(numbers, 1, Columns) - Layout::row(numbers, 0, Columns);
  EXPECT_EQ(static_cast<std::size_t>(apart) * sizeof(T), 16u) << "neighbours read neighbouring 16 bytes";
}

TEST(MatrixLayout, lies_in_blocks_of_rows) {
  expect_layout<float, 25>();
  expect_layout<float, 4>();
  expect_layout<double, 3>();
  expect_layout<int, 1>();
}

TEST(ThreadsPerChain, follow_from_the_terms) {
  EXPECT_EQ(threads_per_chain(0), 1);
  EXPECT_EQ(threads_per_chain(63), 1);
  EXPECT_EQ(threads_per_chain(64), 32);
  EXPECT_EQ(threads_per_chain(1000000), 32);
}

static __global__ void quotients(const float* e, float* out, int n) {
  for (int k = static_cast<int>(threadIdx.x); k < n; k += static_cast<int>(blockDim.x)) {
    const Scalar<float> x(e[k]);
    out[2 * k] = over_one_plus(x, x).v;
    out[2 * k + 1] = over_one_plus(Scalar<float>(1), x).v;
  }
}

TEST_F(DealtTerms, quotients_to_two_units_in_the_last_place) {
  std::vector<float> e{0.0f, 1.0f, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::min()};
  for (int k = 0; k < 20000; ++k) e.push_back(static_cast<float>(std::exp(-90.0 * k / 20000)));
  for (int k = 0; k < 20000; ++k) e.push_back(static_cast<float>(k) / 20000);
  const auto from = cuda_allocate(e.size() * 4), to = cuda_allocate(e.size() * 8);
  cuda_check(cudaMemcpy(from.get(), e.data(), e.size() * 4, cudaMemcpyHostToDevice), "testing");
  quotients<<<1, 32>>>(reinterpret_cast<const float*>(from.get()), reinterpret_cast<float*>(to.get()),
                       static_cast<int>(e.size()));
  std::vector<float> found(2 * e.size());
  cuda_check(cudaMemcpy(found.data(), to.get(), found.size() * 4, cudaMemcpyDeviceToHost), "testing");
  for (std::size_t k = 0; k < e.size(); ++k)
    for (std::size_t one = 0; one < 2; ++one) {
      const double x = static_cast<double>(e[k]), exact = (one == 1 ? 1 : x) / (1 + x);
      const double unit = std::max(std::ldexp(1.0, std::ilogb(std::max(exact, 1e-300)) - 23), 0x1p-149);
      EXPECT_LE(std::fabs(found[2 * k + one] - exact), 2 * unit) << x;
    }
}

}  // namespace dealt_terms_test
