// Square matrices of parameters: transforms, Jacobians, outputs, initial values, and distributions on them.
#include "manychain/model/matrices/matrix_constraints.hpp"

#include "manychain/chain/check_model.hpp"
#include "manychain/core/error.hpp"
#include "manychain/model/matrices/matrix_distributions.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

using D = Scalar<double>;

std::vector<double> point(int n) {
  std::vector<double> q;
  for (int i = 0; i < n; ++i) q.push_back(0.6 * std::cos(1.7 * i) + 0.1);
  return q;
}

struct Kind {
  const char* name;
  bool correlation, product;
};
constexpr Kind kinds[] = {{"cholesky_corr", true, false},
                          {"cholesky_cov", false, false},
                          {"corr_matrix", true, true},
                          {"cov_matrix", false, true}};
int components(const Kind& kind, int n) { return kind.correlation ? n * (n - 1) / 2 : n * (n + 1) / 2; }

/// use(matrix) of the k-th kind.
template <class Target, class N, class Use>
void with_matrix(int kind, Target& target, N n, const Use& use) {
  if (kind == 0) {
    auto M = target.cholesky_corr("M", n);
    use(M);
  } else if (kind == 1) {
    auto M = target.cholesky_cov("M", n);
    use(M);
  } else if (kind == 2) {
    auto M = target.corr_matrix("M", n);
    use(M);
  } else {
    auto M = target.cov_matrix("M", n);
    use(M);
  }
}
/// The elements of the matrix, row by row, behind the log Jacobian.
std::vector<double> constrained(int kind, int n, const std::vector<double>& u) {
  std::vector<double> result;
  const auto got = run_target<Request::value, D>(
      static_cast<int>(u.size()), [&](int i, int) { return u[static_cast<std::size_t>(i)]; },
      [&](auto& target) {
        with_matrix(kind, target, n, [&](const auto& M) {
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) result.push_back(M[i][j].value().v);
        });
      });
  result.insert(result.begin(), got.value[0]);
  return result;
}

TEST(MatrixConstraints, Gradients) {
  const auto density = [](int kind, auto n, auto& target) {
    with_matrix(kind, target, n, [&](const auto& M) {
      for (int i = 0; i < n.value(); ++i)
        for (int j = 0; j <= i; ++j) target += std::cos(1.3 * i + j) * M[i][j] - 0.1 * square(M[i][j]);
      target += 0.3 * M[0][n.value() - 1];
    });
  };
  for (int kind = 0; kind < 4; ++kind) {
    for (int n : {1, 2, 5, 9}) {
      const auto q = point(components(kinds[kind], n));
      const auto dynamic_size = [&](auto& target) { density(kind, Size<dynamic>(n), target); };
      check_gradient_of(q, dynamic_size);
      check_lanes<Pack<float>>(q, dynamic_size, 512);
    }
    const auto q = point(components(kinds[kind], 3));
    const auto fixed = [&](auto& target) { density(kind, Size<3>{}, target); };
    check_gradient_of(q, fixed);
    check_lanes<Scalar<float>>(q, fixed, 256);
    check_lanes<Pack<double>>(q, fixed, 256);
  }
}

// A matrix of each kind has the properties of that kind, also far out.
TEST(MatrixConstraints, Properties) {
  for (int kind = 0; kind < 4; ++kind)
    for (int n : {1, 2, 6}) {
      auto u = point(components(kinds[kind], n));
      if (u.size() > 1) u[1] = 9, u[0] = -7;
      const auto x = constrained(kind, n, u);
      const auto at = [&](int i, int j) { return x[static_cast<std::size_t>(1 + i * n + j)]; };
      for (int i = 0; i < n; ++i) {
        double squares = 0;
        for (int j = 0; j < n; ++j) {
          squares += at(i, j) * at(i, j);
          EXPECT_EQ(at(i, j), kinds[kind].product ? at(j, i) : j > i ? 0.0 : at(i, j));
        }
        EXPECT_GT(at(i, i), 0.0);
        if (!kinds[kind].correlation) continue;
        if (kinds[kind].product)
          EXPECT_EQ(at(i, i), 1.0);
        else
          EXPECT_NEAR(squares, 1.0, 1e-14);
      }
    }
}

// The elements that the constraint fixes are constant, and no others.
TEST(MatrixConstraints, ConstantElements) {
  for (int kind = 0; kind < 4; ++kind)
    for (int n : {1, 2, 3}) {
      LayoutTarget<double> target;
      target.real("before");
      with_matrix(kind, target, n, [](const auto&) {});
      target.real("after");
      const Layout layout = target.finish();
      const auto size = static_cast<std::size_t>(n);
      if (kind == 3 || (kind == 1 && n == 1)) {
        EXPECT_TRUE(layout.constant.empty());
        continue;
      }
      ASSERT_EQ(layout.constant.size(), layout.outputs);
      EXPECT_FALSE(layout.constant.front());
      EXPECT_FALSE(layout.constant.back());
      std::size_t free = 0;
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
          const bool fixed = kind == 2 ? i == j : j > i || (kind == 0 && i == 0);
          EXPECT_EQ(layout.constant[1 + i * size + j], fixed) << kinds[kind].name << ' ' << i << ' ' << j;
          free += fixed ? 0 : 1;
        }
      // Diagonals of correlation factors follow from the row, and halves of correlation matrices from one another.
      const auto d = static_cast<std::size_t>(components(kinds[kind], n));
      EXPECT_EQ(free, kind == 0 ? d + size - 1 : kind == 2 ? 2 * d : d);
    }
}

// The log Jacobian is the determinant of the differences of the free elements.
TEST(MatrixConstraints, Jacobians) {
  for (int kind = 0; kind < 4; ++kind)
    for (int n : {1, 2, 4}) {
      const int d = components(kinds[kind], n);
      if (d == 0) continue;
      const auto u = point(d);
      std::vector<std::vector<double>> J;  // [parameter][element]
      for (int k = 0; k < d; ++k) {
        const double h = 1e-3;
        std::vector<std::vector<double>> x;
        for (double step : {h, -h, 2 * h, -2 * h}) {
          auto moved = u;
          moved[static_cast<std::size_t>(k)] += step;
          x.push_back(constrained(kind, n, moved));
        }
        J.emplace_back();
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < (kinds[kind].correlation ? i : i + 1); ++j) {
            const std::size_t e = static_cast<std::size_t>(1 + i * n + j);
            J.back().push_back((8 * (x[0][e] - x[1][e]) - (x[2][e] - x[3][e])) / (12 * h));
          }
      }
      double log_determinant_of_differences = 0;  // by elimination
      for (std::size_t c = 0; c < J.size(); ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c; r < J.size(); ++r)
          if (std::fabs(J[r][c]) > std::fabs(J[pivot][c])) pivot = r;
        std::swap(J[c], J[pivot]);
        log_determinant_of_differences += std::log(std::fabs(J[c][c]));
        for (std::size_t r = c + 1; r < J.size(); ++r)
          for (std::size_t k = J.size(); k-- > c;) J[r][k] -= J[r][c] / J[c][c] * J[c][k];
      }
      EXPECT_NEAR(constrained(kind, n, u)[0], log_determinant_of_differences, 1e-8) << kinds[kind].name << " " << n;
    }
}

// Integrals over all matrices, by the trapezium rule on the unconstrained scale, which is exact to many digits there:
// densities are normalised, and have the moments that are known.
template <class Density, class Moment>
std::pair<double, double> integrate(int d, double range, double step, const Density& density, const Moment& moment) {
  std::vector<double> u(static_cast<std::size_t>(d), -range);
  double total = 0, mean = 0;
  while (true) {
    double x = 0;
    const auto got = run_target<Request::value, D>(
        d, [&](int i, int) { return u[static_cast<std::size_t>(i)]; },
        [&](auto& target) { density(target, [&](const auto& M) { x = moment(M); }); });
    const double w = std::exp(got.value[0]) * std::pow(step, d);
    total += w;
    if (w > 0) mean += w * x;
    int i = 0;
    for (; i < d; ++i) {
      double& at = u[static_cast<std::size_t>(i)];
      at += step;
      if (at <= range) break;
      at = -range;
    }
    if (i == d) return {total, mean};
  }
}
TEST(MatrixDistributions, LkjIsNormalised) {
  const auto square_of_first = [](const auto& M) { return M[1][0].value().v * M[1][0].value().v; };
  const auto square_of_product = [](const auto& L) {
    const double r = L[2][0].value().v * L[1][0].value().v + L[2][1].value().v * L[1][1].value().v;
    return r * r;
  };
  for (double eta : {1.0, 2.5}) {
    const auto factor = [eta](auto& target, const auto& see) {
      auto L = target.cholesky_corr("L", 3);
      target += lkj_corr_cholesky(L, eta);
      see(L);
    };
    const auto matrix = [eta](auto& target, const auto& see) {
      auto R = target.corr_matrix("R", 3);
      target += lkj_corr(R, eta);
      see(R);
    };
    const double variance = 1 / (2 * eta + 2);  // of each correlation, of n = 3: 1 / (2 eta + n - 1)
    const auto [total, first] = integrate(3, 8, 0.3, factor, square_of_first);
    EXPECT_NEAR(total, 1, 1e-5);
    EXPECT_NEAR(first, variance, 1e-5);
    EXPECT_NEAR(integrate(3, 8, 0.3, factor, square_of_product).second, variance, 1e-5);
    const auto [again, second] = integrate(3, 8, 0.3, matrix, square_of_first);
    EXPECT_NEAR(again, 1, 1e-5);
    EXPECT_NEAR(second, variance, 1e-5);
  }
}
TEST(MatrixDistributions, WishartIsNormalised) {
  const double nu = 6.5;
  const double S[2][2] = {{0.7, 0.2}, {0.2, 0.5}}, T[2][2] = {{16, 4}, {4, 12}};
  const auto [total, mean] = integrate(
      3, 6, 0.2,
      [&](auto& target, const auto& see) {
        auto W = target.cov_matrix("W", 2);
        target += wishart(W, nu, matrix_of(2, 2, [&](int i, int j) { return D(S[i][j]); }));
        see(W);
      },
      [](const auto& W) { return W[1][0].value().v; });
  EXPECT_NEAR(total, 1, 1e-5);
  EXPECT_NEAR(mean, nu * S[1][0], 1e-4);
  const auto [inverse_total, inverse_mean] = integrate(
      3, 6, 0.15,
      [&](auto& target, const auto& see) {
        auto W = target.cov_matrix("W", 2);
        target += inv_wishart(W, 14, matrix_of(2, 2, [&](int i, int j) { return D(T[i][j]); }));
        see(W);
      },
      [](const auto& W) { return W[1][1].value().v; });
  EXPECT_NEAR(inverse_total, 1, 1e-5);
  EXPECT_NEAR(inverse_mean, T[1][1] / 11, 1e-4);
}

template <class F>
Layout layout_with(const Data& given, std::vector<D>& start, F density) {
  LayoutTarget<double> target(given);
  density(target);
  const Layout layout = target.finish();
  start.assign(target.start().begin(), target.start().end());
  return layout;
}
// A matrix that is given by its name comes back; names and shapes are those of the matrix.
TEST(MatrixConstraints, InitialValues) {
  for (int kind = 0; kind < 4; ++kind)
    for (int n : {1, 2, 5}) {
      const int d = components(kinds[kind], n);
      const auto u = point(d);
      auto x = constrained(kind, n, u);
      x.erase(x.begin());
      const std::size_t size = static_cast<std::size_t>(n);
      Data given;
      given.set("M", x, {size, size});
      std::vector<D> start;
      std::vector<double> seen;
      const Layout layout = layout_with(given, start, [&](auto& target) {
        with_matrix(kind, target, n, [&](const auto& M) {
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) seen.push_back(M[i][j].value().v);
        });
      });
      EXPECT_EQ(layout.dimension, static_cast<std::size_t>(d));
      EXPECT_EQ(layout.outputs, size * size);
      EXPECT_EQ(layout.quantities[0].shape, (std::vector<std::size_t>{size, size}));
      ASSERT_EQ(start.size(), u.size());
      for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(start[i].v, u[i], 1e-12) << kinds[kind].name;
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(seen[i], x[i], 1e-14);
    }
}
TEST(MatrixConstraints, InitialValuesThatAreNone) {
  const auto refused = [](int kind, const std::vector<double>& x, const std::vector<std::size_t>& shape) {
    Data given;
    given.set("M", x, shape);
    std::vector<D> start;
    try {
      layout_with(given, start, [&](auto& target) { with_matrix(kind, target, 2, [](const auto&) {}); });
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string begin = "initial value of M: ";
  EXPECT_EQ(refused(0, {1, 0, 0.6, 0.8}, {2, 2}), "");
  EXPECT_EQ(refused(0, {1, 0, 0.6, 0.7}, {2, 2}), begin + "each row must have length 1");
  EXPECT_EQ(refused(0, {1, 0, 0.6, -0.8}, {2, 2}), begin + "its diagonal must be positive");
  EXPECT_EQ(refused(1, {1, 0.5, 0.6, 0.8}, {2, 2}), begin + "it must be lower triangular");
  EXPECT_EQ(refused(2, {1, 0.5, 0.5, 2}, {2, 2}), begin + "its diagonal must be 1");
  EXPECT_EQ(refused(3, {1, 0.5, 0.4, 2}, {2, 2}), begin + "it must be symmetric");
  EXPECT_EQ(refused(3, {1, 2, 2, 1}, {2, 2}), begin + "it must be positive definite");
  EXPECT_EQ(refused(3, {1, 0, 0, 1}, {4}), begin + "a matrix of 2 rows and columns is needed");
}

// The outputs of a draw are the whole matrix, row by row.
TEST(MatrixConstraints, Outputs) {
  const int n = 3;
  for (int kind = 0; kind < 4; ++kind) {
    const auto u = point(components(kinds[kind], n));
    std::vector<D> q(u.begin(), u.end()), scratch(100);
    std::vector<double> out(9, -1.0);
    const auto sink = [&](int i, D x) { out.at(static_cast<std::size_t>(i)) = x.v; };
    Strided<D> position{q.data(), 1};
    Target<D, Strided<D>, Strided<D>, Request::outputs, decltype(sink), Predictions<D>> target(
        position, position, Arena<D>{Strided<D>{scratch.data(), 1}, 0}, 9, sink, Predictions<D>{nullptr});
    with_matrix(kind, target, n, [](const auto&) {});
    auto expected = constrained(kind, n, u);
    expected.erase(expected.begin());
    EXPECT_EQ(out, expected) << kinds[kind].name;
  }
}

}  // namespace
}  // namespace manychain::test
