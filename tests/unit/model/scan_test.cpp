// Recurrences: values and gradients of states that depend on those before, in every Real.
#include "manychain/chain/check_model.hpp"
#include "manychain/model/distributions/mixtures.hpp"
#include "manychain/model/matrices/matrix_expression.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

template <class F>
void check_everywhere(const std::vector<double>& q, F density) {
  check_in_every_real(q, density, 512);
}
template <class T>
std::vector<T> series(int n) {
  std::vector<T> y;
  for (int t = 0; t < n; ++t) y.push_back(static_cast<T>(std::sin(2.1 * t) + 0.2 * (t % 4)));
  return y;
}

// GARCH(1, 1).
TEST(Scan, OneNumber) {
  for (int n : {1, 2, 25}) {
    check_everywhere({0.3, -0.4, -0.2, 0.1}, [n](auto& target) {
      using T = number_in<decltype(target)>;
      const auto numbers = series<T>(n);
      const View<const T> y(numbers.data(), Size<dynamic>(n));
      auto mu = target.real("mu");
      auto alpha0 = target.real("alpha0", lower(0));
      auto alpha1 = target.real("alpha1", interval(0, 1));
      auto beta1 = target.real("beta1", interval(0, 1 - alpha1));
      auto h = target.scan(n, square(0.5 + mu), [&](int t, const auto& before) {
        return alpha0 + alpha1 * square(y[t - 1] - mu) + beta1 * before;
      });
      target.observe("y", normal(y, mu, sqrt(h)));
      target += -0.1 * square(h[n - 1]) + 0.2 * h[0];
    });
  }
}

// The sum of all states, by hand: s_t = a s_{t-1} + b, s_0 = 1.
TEST(Scan, AgainstAlgebra) {
  const double a = 0.75, b = -0.5;
  const int n = 40;
  const auto got = run_target<Request::value_and_gradient, Scalar<double>>(
      2, [&](int i, int) { return i == 0 ? a : b; },
      [&](auto& target) {
        auto x = target.vector("x", 2);
        auto s = target.scan(n, 1.0, [&](int, const auto& before) { return x[0] * before + x[1]; });
        target += sum(s);
      });
  double value = 0, by_a = 0, by_b = 0, s = 1, s_a = 0, s_b = 0;
  for (int t = 0; t < n; ++t) {
    value += s, by_a += s_a, by_b += s_b;
    s_a = s + a * s_a, s_b = 1 + a * s_b, s = a * s + b;
  }
  EXPECT_NEAR(got.value[0], value, 1e-12);
  EXPECT_NEAR(got.gradient[0][0], by_a, 1e-11);
  EXPECT_NEAR(got.gradient[1][0], by_b, 1e-11);
}

// A local level with a trend: two numbers, each from both; sizes that unroll, and that do not.
TEST(Scan, SeveralNumbers) {
  const auto density = [](auto n, auto& target) {
    using T = number_in<decltype(target)>;
    const auto numbers = series<T>(40);
    const View<const T> y(numbers.data(), Size<dynamic>(40));
    auto level = target.real("level");
    auto trend = target.real("trend");
    auto damping = target.real("damping", interval(0, 1));
    auto path = target.scan(n, states(level, 0.1 * trend), [&](int t, const auto& l, const auto& d) {
      return states(l + d * damping - 0.1 * y[t], tanh(d + trend * l));
    });
    const int size = as_size(n).value();
    target.observe("y", size, [&](auto t, auto& term) { term += normal(y[t], path[t][0], exp(0.1 * path[t][1])); });
    target += -square(path[size - 1][0]) + dot(path[0], path[size - 1]);
    target += normal(column(path, 1), trend, 1.0);
  };
  for (int n : {1, 3, 30}) check_everywhere({0.3, -0.4, 0.2}, [&](auto& target) { density(Size<dynamic>(n), target); });
  check_everywhere({0.3, -0.4, 0.2}, [&](auto& target) { density(Size<7>{}, target); });
}

// Terms along a recurrence are those of a loop over its states: with sensitivities, and where there are too many.
TEST(Scan, TermsAsItGoes) {
  for (int n : {1, 2, 25}) {
    for (const bool along : {false, true}) {
      check_everywhere({0.3, -0.4, -0.2, 0.1}, [n, along](auto& target) {
        using T = number_in<decltype(target)>;
        const auto numbers = series<T>(n);
        const View<const T> y(numbers.data(), Size<dynamic>(n));
        auto mu = target.real("mu");
        auto alpha0 = target.real("alpha0", lower(0));
        auto alpha1 = target.real("alpha1", interval(0, 1));
        auto beta1 = target.real("beta1", interval(0, 1 - alpha1));
        const auto step = [&](int t, const auto& before) {
          return alpha0 + select(value(mu) > value(before), before * 0.5, alpha1 * square(y[t - 1] - mu)) +
                 beta1 * before;
        };
        const auto body = [&](int t, const auto& h, auto& term) {
          term += normal(y[t], mu, sqrt(h));
          term += -0.01 * square(h) * alpha1;
        };
        if (along) {
          target.observe("y", n, square(0.5 + mu), step, body);
        } else {
          auto h = target.scan(n, square(0.5 + mu), step);
          target.observe("y", n, [&](int t, auto& term) { body(t, h[t], term); });
        }
      });
    }
  }
}

// Each side of a choice by data has parameters of its own: every step still names them all.
TEST(Scan, ChoicesByDataAsItGoes) {
  for (const bool along : {false, true}) {
    check_everywhere({0.3, -0.4, -0.2, 0.1}, [along](auto& target) {
      using T = number_in<decltype(target)>;
      const auto numbers = series<T>(12);
      const View<const T> y(numbers.data(), Size<dynamic>(12));
      auto a = target.real("a", lower(0));
      auto b = target.real("b", interval(0, 1));
      auto c = target.real("c");
      auto first = target.real("first", lower(0));
      const auto step = [&](int t, const auto& before) {
        return first + select(y[t - 1] < Scalar<T>(0), a * before, select(t == 3, c * c, b * square(y[t - 1] - c)));
      };
      const auto body = [&](int t, const auto& h, auto& term) { term += normal(y[t], c, sqrt(h)); };
      if (along) {
        target.observe("y", 12, square(first), step, body);
      } else {
        auto h = target.scan(12, square(first), step);
        target.observe("y", 12, [&](int t, auto& term) { body(t, h[t], term); });
      }
    });
  }
}

TEST(Scan, SeveralNumbersAsItGoes) {
  for (int n : {1, 2, 30}) {
    check_everywhere({0.3, -0.4, 0.2}, [n](auto& target) {
      using T = number_in<decltype(target)>;
      const auto numbers = series<T>(n);
      const View<const T> y(numbers.data(), Size<dynamic>(n));
      auto level = target.real("level");
      auto trend = target.real("trend");
      auto damping = target.real("damping", interval(0, 1));
      target.observe(
          "y", n, states(level, 0.1 * trend),
          [&](int t, const auto& l, const auto& d) {
            return states(l + d * damping - 0.1 * y[t], tanh(d + trend * l) - square(damping));
          },
          [&](int t, const auto& l, const auto& d, auto& term) { term += normal(y[t], l, exp(0.1 * d)); });
    });
  }
}

// A step of which no type says its leaves: a sum over a vector.
TEST(Scan, WithoutSensitivities) {
  using R = Scalar<double>;
  static_assert(detail::leaves<decltype(as_node(std::declval<Variable<R>>()) * 2.0 + std::declval<Variable<R, 2>>())> ==
                2);
  check_everywhere({0.3, -0.4, 0.2, 0.5, -0.1}, [](auto& target) {
    auto beta = target.vector("beta", 4);
    auto mu = target.real("mu");
    target.observe(
        "y", 9, mu, [&](int t, const auto& before) { return tanh(sum(beta)) * before + 0.1 * t; },
        [&](int, const auto& s, auto& term) { term += normal(s, 0.5, 1.0); });
    target.observe(
        "v", 5, beta,
        [&](int, const auto& before) {
          return vector_of(4, [&, before](int k) { return before[k] * mu - before[0]; });
        },
        [&](int t, const auto& row, auto& term) { term += -square(row[t % 4]); });
  });
}

// A parameter that a step takes in some steps only cannot be carried along: the gradient says so.
TEST(Scan, LeavesThatChangeAreNaN) {
  const auto got = run_target<Request::value_and_gradient, Scalar<double>>(
      2, [](int, int) { return 0.5; },
      [](auto& target) {
        auto x = target.vector("x", 2);
        target.observe(
            "y", 4, 1.0, [&](int t, const auto& before) { return x[t % 2] * before; },
            [&](int, const auto& s, auto& term) { term += s; });
      });
  EXPECT_TRUE(std::isnan(got.gradient[0][0]) || std::isnan(got.gradient[1][0]));
}

// The forward pass of a hidden Markov model with K states.
TEST(Scan, Vectors) {
  for (int K : {1, 2, 4}) {
    const int n = 12;
    std::vector<double> q;
    for (int i = 0; i < K * K + K; ++i) q.push_back(0.3 * std::cos(2.0 * i));
    check_everywhere(q, [K](auto& target) {
      using T = number_in<decltype(target)>;
      const auto numbers = series<T>(n);
      const View<const T> y(numbers.data(), Size<dynamic>(n));
      auto mu = target.vector("mu", K);
      auto logits = target.matrix("logits", K, K);
      const auto first = vector_of(K, [&](int k) { return normal(y[0], mu[k], 1.0); });
      auto forward = target.scan(n, first, [&](int t, const auto& before) {
        return vector_of(K, [&, t, before](int k) {
          const auto from = vector_of(K, [&, k, before](int j) { return before[j] + logits[j][k]; });
          return log_sum_exp(from) + normal(y[t], mu[k], 1.0);
        });
      });
      target += log_sum_exp(forward[n - 1]);
    });
  }
}

// Recurrences of recurrences, and one whose states nothing uses.
TEST(Scan, Nested) {
  check_everywhere({0.3, -0.4}, [](auto& target) {
    auto x = target.vector("x", 2);
    auto a = target.scan(9, x[0], [&](int, const auto& before) { return 0.5 * before + tanh(x[1] - before); });
    auto unused = target.scan(4, a[2], [&](int t, const auto& before) { return before * a[t]; });
    auto b = target.scan(5, states(a[8], a[0]),
                         [&](int t, const auto& u, const auto& v) { return states(v * a[t], u - square(a[t + 1])); });
    target += b[4][0] * x[1] - square(b[3][1]);
  });
}

}  // namespace
}  // namespace manychain::test
