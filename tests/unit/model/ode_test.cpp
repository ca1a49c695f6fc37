// Differential equations: solutions against closed forms and against another program, gradients against differences and
// closed forms, in every Real.
#include "manychain/chain/check_model.hpp"
#include "manychain/model/matrices/matrix_expression.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

template <class F>
void check_everywhere(const std::vector<double>& q, F density, double tolerance = 1e-7, double units = 512) {
  check_in_every_real(q, density, units, tolerance);
}
template <class T>
struct Times {
  Times(std::initializer_list<double> times) {
    for (const double t : times) x.push_back(static_cast<T>(t));
  }
  View<const T> view() const { return {x.data(), Size<dynamic>(static_cast<int>(x.size()))}; }
  std::vector<T> x;
};

struct LotkaVolterra {
  template <class T, class Z, class P>
  MANYCHAIN_HD auto operator()(const T&, const Z& z, const P& alpha, const P& beta, const P& gamma,
                               const P& delta) const {
    return derivatives((alpha - beta * z[1]) * z[0], (-gamma + delta * z[0]) * z[1]);
  }
};
struct Oscillator {
  template <class T, class Y, class W>
  MANYCHAIN_HD auto operator()(const T&, const Y& y, const W& omega) const {
    return derivatives(y[1], -omega * omega * y[0]);
  }
};

/// The states of solution(target) at q, which is no parameter of the density.
template <class R, class F>
std::vector<double> states_of(const std::vector<double>& q, F solution) {
  std::vector<double> found;
  run_target<Request::value, R>(
      static_cast<int>(q.size()), [&](int i, int) { return q[static_cast<std::size_t>(i)]; },
      [&](auto& target) {
        const auto path = solution(target);
        for (int i = 0; i < path.rows(); ++i)
          for (int k = 0; k < path.columns().value(); ++k)
            found.push_back(static_cast<double>(lane(value(path[i][k]), 0)));
      });
  return found;
}
template <class R>
std::vector<double> lotka_volterra(double tolerance) {
  const Times<number_of<R>> times{1, 5, 10, 20};
  return states_of<R>({0.55, 0.028, 0.80, 0.024, 34, 5.9}, [&](auto& target) {
    auto q = target.vector("q", Size<6>{});
    return target.ode_rk45_tol(LotkaVolterra{}, states(q[4], q[5]), 0, times.view(), tolerance, tolerance, 1000, q[0],
                               q[1], q[2], q[3]);
  });
}

struct Relaxation {
  template <class T, class Y, class A>
  MANYCHAIN_HD auto operator()(const T&, const Y& y, const A& level) const {
    return derivatives(level - y[0]);
  }
};
template <class R>
std::vector<double> relaxation(double from, double first, double level) {
  const Times<number_of<R>> times{from + 1, from + 2};
  return states_of<R>({level, first}, [&](auto& target) {
    auto q = target.vector("q", Size<2>{});
    return target.ode_rk45(Relaxation{}, states(q[1]), from, times.view(), q[0]);
  });
}
// Calendar years and days since 1970, where numbers of single precision lie 1e-4 and 2e-3 apart: the first step is not
// shorter. At rest, and from zero.
TEST(Ode, TimesFarFromZero) {
  for (const double from : {0.0, 2000.0, 19723.0}) {
    for (const double y : relaxation<Scalar<float>>(from, 1, 1)) EXPECT_NEAR(y, 1, 1e-5) << from;
    for (const double y : relaxation<Pack<float>>(from, 1, 1)) EXPECT_NEAR(y, 1, 1e-5) << from;
    const std::vector<double> rising = relaxation<Scalar<float>>(from, 0, 1);
    EXPECT_NEAR(rising[0], 1 - std::exp(-1.0), 1e-3) << from;
    EXPECT_NEAR(rising[1], 1 - std::exp(-2.0), 1e-3) << from;
  }
}

// By scipy 1.17.1: solve_ivp(..., method='DOP853', rtol=1e-13, atol=1e-13).
TEST(Ode, LotkaVolterraAsInScipy) {
  const std::vector<double> expected{49.3901091934, 7.1492415017, 18.7615612138, 39.1448875776,
                                     32.0433361253, 5.9070144170, 30.2029241354, 5.9556873556};
  const auto check = [&](const std::vector<double>& found, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance * expected[i]) << i;
  };
  check(lotka_volterra<Scalar<double>>(1e-11), 1e-9);
  check(lotka_volterra<Pack<double>>(1e-11), 1e-9);
  check(lotka_volterra<Scalar<double>>(1e-6), 1e-5);  // scipy's own RK45 is off by 4e-6
  check(lotka_volterra<Scalar<float>>(1e-6), 1e-4);
  check(lotka_volterra<Pack<float>>(1e-6), 1e-4);
}

// The error falls with the tolerance, and with the fourth power of the step.
TEST(Ode, OrderOfTheMethods) {
  using R = Scalar<double>;
  const Times<double> times{0.7, 1.2};  // where the sine, and so the error of the phase, is large
  const double omega = 1.5, exact = std::cos(omega * 1.2);
  const auto error = [&](auto solve) { return std::fabs(states_of<R>({omega}, solve)[2] - exact); };
  std::vector<double> fixed, adaptive;
  for (const int steps : {8, 16, 32})
    fixed.push_back(error([&](auto& target) {
      return target.ode_rk4(Oscillator{}, states(1.0, 0.0), 0.0, times.view(), steps, target.real("omega"));
    }));
  EXPECT_NEAR(std::log2(fixed[0] / fixed[1]), 4, 0.2);
  EXPECT_NEAR(std::log2(fixed[1] / fixed[2]), 4, 0.1);
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
    adaptive.push_back(error([&](auto& target) {
      return target.ode_rk45_tol(Oscillator{}, states(1.0, 0.0), 0.0, times.view(), tolerance, tolerance, 1000,
                                 target.real("omega"));
    }));
  double tolerance = 1e-4;
  for (const double e : adaptive) {
    EXPECT_LT(e, 20 * tolerance);
    EXPECT_GT(e, tolerance / 100) << "no more steps than needed";
    tolerance *= 0.01;
  }
}

// SIR with rates 0.4 and 0.1 per day; by scipy, as above.
TEST(Ode, EpidemicAsInScipy) {
  const std::vector<double> expected{0.794074214467, 0.150793781246, 0.055132004287, 0.059944179351, 0.238983031127,
                                     0.701072789522, 0.021129794177, 0.017114992742, 0.961755213081};
  const Times<double> times{10, 30, 60};
  const auto found = states_of<Scalar<double>>({0.4, 0.1}, [&](auto& target) {
    const auto rhs = [](const auto&, const auto& y, const auto& rates) {
      auto slope = y;  // an array of its own
      const auto infections = rates[0] * y[0] * y[1], recoveries = rates[1] * y[1];
      slope[0] = -infections;
      slope[1] = infections - recoveries;
      slope[2] = recoveries;
      return slope;
    };
    return target.ode_rk45_tol(rhs, states(0.99, 0.01, 0.0), 0.0, times.view(), 1e-11, 1e-13, 1000,
                               target.vector("rates", Size<2>{}));
  });
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-10);
}

// Values and all derivatives of x cos(w t) + v sin(w t) / w, the second half of a period included.
TEST(Ode, OscillatorAgainstItsClosedForm) {
  using R = Scalar<double>;
  const double w = 1.3, x = 0.8, v = -0.5;
  const std::vector<double> at{0.0, 0.5, 0.5, 2.25, 6.0};
  const Times<double> times{0.0, 0.5, 0.5, 2.25, 6.0};  // one at the start, one twice
  const auto check = [&](auto solve, double tolerance) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double t = at[i];
      const auto got = run_target<Request::value_and_gradient, R>(
          3, [&](int k, int) { return k == 0   ? w
                                      : k == 1 ? x
                                               : v; },
          [&](auto& target) {
            auto q = target.vector("q", 3);
            const auto path = solve(target, q);
            target += path[static_cast<int>(i)][0];
          });
      const double c = std::cos(w * t), s = std::sin(w * t);
      EXPECT_NEAR(got.value[0], x * c + v * s / w, tolerance);
      EXPECT_NEAR(got.gradient[0][0], -x * t * s + v * t * c / w - v * s / (w * w), tolerance);
      EXPECT_NEAR(got.gradient[1][0], c, tolerance);
      EXPECT_NEAR(got.gradient[2][0], s / w, tolerance);
    }
  };
  check(
      [&](auto& target, const auto& q) {
        return target.ode_rk45_tol(Oscillator{}, states(q[1], q[2]), 0.0, times.view(), 1e-10, 1e-10, 1000, q[0]);
      },
      1e-7);
  check([&](auto& target,
            const auto& q) { return target.ode_rk4(Oscillator{}, states(q[1], q[2]), 0.0, times.view(), 100, q[0]); },
        1e-6);
}

// One compartment with absorption of first order (Gibaldi and Perrier 1982): the amount in the gut decays with ka, the
// concentration is D ka / (V (ka - k)) (exp(-k t) - exp(-ka t)) with k = CL / V.
TEST(Ode, OneCompartmentAgainstItsClosedForm) {
  using R = Scalar<double>;
  const double ka = 1.5, CL = 2.8, V = 32, dose = 320;
  const auto concentration = [&](double a, double cl, double v, double t) {
    const double k = cl / v;
    return dose * a / (v * (a - k)) * (std::exp(-k * t) - std::exp(-a * t));
  };
  const std::vector<double> at{0.25, 1, 4, 12, 24};
  const Times<double> times{0.25, 1, 4, 12, 24};
  for (int i = 0; i < 5; ++i) {
    const auto got = run_target<Request::value_and_gradient, R>(
        3, [&](int k, int) { return std::log(k == 0   ? ka
                                             : k == 1 ? CL
                                                      : V); },
        [&](auto& target) {
          auto absorption = target.real("ka", lower(0));
          auto clearance = target.real("CL", lower(0));
          auto volume = target.real("V", lower(0));
          const auto rhs = [](const auto&, const auto& y, const auto& a, const auto& cl, const auto& v) {
            return derivatives(-a * y[0], a * y[0] - cl / v * y[1]);
          };
          auto amount = target.ode_rk45_tol(rhs, states(dose, 0.0), 0.0, times.view(), 1e-10, 1e-10, 10000, absorption,
                                            clearance, volume);
          target += amount[i][1] / volume - log(absorption) - log(clearance) - log(volume);  // less the Jacobians
        });
    const double t = at[static_cast<std::size_t>(i)], h = 1e-5;
    EXPECT_NEAR(got.value[0], concentration(ka, CL, V, t), 1e-8);
    const auto by = [&](double a, double cl, double v) {
      return (concentration(ka * std::exp(h * a), CL * std::exp(h * cl), V * std::exp(h * v), t) -
              concentration(ka * std::exp(-h * a), CL * std::exp(-h * cl), V * std::exp(-h * v), t)) /
             (2 * h);
    };
    EXPECT_NEAR(got.gradient[0][0], by(1, 0, 0), 1e-7) << t;
    EXPECT_NEAR(got.gradient[1][0], by(0, 1, 0), 1e-7) << t;
    EXPECT_NEAR(got.gradient[2][0], by(0, 0, 1), 1e-7) << t;
  }
}

// Everything that may be an argument: parameters, expressions, intermediates, a vector, numbers, data; time and data in
// the right-hand side; densities of some states and of all; two solutions, one of the other.
TEST(Ode, GradientsOfFixedSteps) {
  check_everywhere({0.3, -0.4, 0.2, 0.1, -0.2}, [](auto& target) {
    using T = number_in<decltype(target)>;
    const Times<T> times{0.2, 0.3, 0.9, 1.0, 1.7, 2.0, 2.4, 2.5, 3.1}, forcing{0.5, -0.25, 0.125};
    const auto u = forcing.view();
    auto x = target.vector("x", Size<2>{});
    auto k = target.real("k", lower(0));
    auto first = target.real("first");
    auto v = target.real("v", interval(-1, 1));
    const auto rhs = [u](const auto& t, const auto& y, const auto& rate, const auto& both, int power,
                         const auto& half) {
      return derivatives(y[1] + u[0] * both[0] - exp(-t * rate) * y[0],
                         tanh(y[0] * both[1]) - half * pow(y[1], power) + u[2] * t);
    };
    auto path = target.ode_rk4(rhs, states(first, v * v + 0.5), 0.1, times.view(), 3, k, x, 3, 0.5);
    const auto decay = [](const auto&, const auto& y, const auto& rate) { return -rate * y; };
    auto tail = target.ode_rk4(decay, path[8][1], 3.1, segment(times.view(), 8, 1), 2, square(first) + 0.1);
    target += normal(column(path, 0), x[0], 1.5);
    target.observe("y", 9, [&](auto i, auto& term) { term += normal(times.view()[i], path[i][1] * k, exp(v)); });
    target += -square(tail[0]) + path[3][1];
  });
}
TEST(Ode, GradientsOfAdaptiveSteps) {
  const auto density = [](double tolerance) {
    return [tolerance](auto& target) {
      using T = number_in<decltype(target)>;
      const Times<T> times{0.5, 0.5, 1, 1.5, 2, 3.5, 4, 5, 7}, y{1, 1.1, 0.8, 0.7, 0.6, 0.5, 0.9, 1.2, 0.6};
      auto rates = target.vector("rates", Size<4>{}, lower(0));
      auto start = target.vector("start", Size<2>{}, lower(0));
      const auto rhs = [](const auto&, const auto& z, const auto& r) {
        return derivatives((r[0] - r[1] * z[1]) * z[0], (-r[2] + r[3] * z[0]) * z[1]);
      };
      auto z = target.ode_rk45_tol(rhs, start, 0.25, times.view(), tolerance, tolerance, 2000, rates);
      for (int s = 0; s < 2; ++s) target += normal(y.view(), log(column(z, s)), 0.5 + 0.1 * start[0]);
    };
  };
  const std::vector<double> q{0.1, -0.2, 0.15, 0.05, 0.1, -0.3};
  // The value jumps by what its error allows where the number of steps changes: strict, for the differences.
  check_gradient_of(q, density(1e-12), 1e-6);
  // In single precision 1e-5 is the tolerance, and solutions differ by some of it from those in double.
  check_lanes<Scalar<float>>(q, density(1e-5), 4096);
  check_lanes<Pack<float>>(q, density(1e-5), 4096);
  // In double the same steps are taken, whatever the lanes beside: the tolerance is in units of rounding.
  check_lanes<Pack<double>>(q, density(1e-5), 4096);
}

// With sensitivities the steps are the same, to the bit: the last state is found again from the one before.
TEST(Ode, BothWaysTakeTheSameSteps) {
  using R = Pack<float>;
  const DormandPrince45 method{1e-4, 1e-4, 100};
  const auto rate = lanes_of<R>([](int l) { return 0.3 + 0.11 * l; });
  const auto solve = [&](auto zero) {
    using T = std::remove_cvref_t<decltype(zero)>;
    const detail::Arguments<T> parameters(zero + T(rate));
    const auto rhs = [](const auto& t, const auto& y, const auto& r) {
      return derivatives(y[1] * r, (1 - square(y[0])) * y[1] * 3 - y[0] + 0.1 * tanh(t));
    };
    using Initial = decltype(states(1.0, 0.0));
    const detail::OdeSystem<Initial, decltype(rhs), detail::Arguments<T>> f{rhs, parameters};
    Registers<T, 2> y;
    y[0] = T(R(1)), y[1] = T(R(0));
    R h = R(0.1);
    method.advance(f, R(0), R(1.75), y, h);
    method.advance(f, R(1.75), R(4), y, h);
    return std::tuple(y[0].v, y[1].v, h);
  };
  const auto [a, b, h] = solve(Dual<R, 0>(R(0)));
  const auto [c, d, k] = solve(Dual<R, 3>::variable(R(0), 2));
  bool differ = false;
  for (int l = 0; l < R::lanes; ++l) {
    EXPECT_EQ(lane(a, l), lane(c, l));
    EXPECT_EQ(lane(b, l), lane(d, l));
    EXPECT_EQ(lane(h, l), lane(k, l));
    differ = differ || lane(h, l) != lane(h, 0);
  }
  EXPECT_TRUE(differ) << "each lane has a step size of its own";
}

// A lane that explodes, one whose parameter is NaN, and one that would need too many steps: NaN there, value and
// gradient, and the right ones beside them.
TEST(Ode, FailuresStayInTheirLanes) {
  using R = Pack<double>;
  static_assert(R::lanes >= 2);
  const Times<double> times{0.5, 2.0};
  const auto density = [&](auto& target) {
    const auto rhs = [](const auto&, const auto& y, const auto& rate) { return rate * y * y; };  // 1 / (1 - rate t)
    auto y = target.ode_rk45_tol(rhs, 1.0, 0.0, times.view(), 1e-8, 1e-8, 60, target.real("rate"));
    target += normal(0.5, y[1], 1.0);
  };
  for (const double bad : {1.0, 0.51, std::numeric_limits<double>::quiet_NaN(), 1e300, -1e12}) {
    const auto got = run_target<Request::value_and_gradient, R>(
        1, [&](int, int l) { return l == 1 ? bad : -0.5 - 0.125 * l; }, density);
    const auto alone = run_target<Request::gradient, R>(
        1, [&](int, int l) { return l == 1 ? bad : -0.5 - 0.125 * l; }, density);
    for (int l = 0; l < R::lanes; ++l) {
      const std::size_t k = static_cast<std::size_t>(l);
      if (l == 1) {
        EXPECT_TRUE(std::isnan(got.value[k])) << bad;
        EXPECT_TRUE(std::isnan(got.gradient[0][k])) << bad;
        EXPECT_TRUE(std::isnan(alone.gradient[0][k])) << bad;
      } else {
        const double rate = -0.5 - 0.125 * l, y = 1 / (1 - 2 * rate);
        EXPECT_NEAR(got.value[k], -0.5 * (0.5 - y) * (0.5 - y) - half_log_two_pi, 1e-7);
        EXPECT_NEAR(got.gradient[0][k], (0.5 - y) * 2 * y * y, 1e-6);
      }
    }
  }
}

// Values and adjoints, and the steps of an adaptive method: what a layout counts is what a gradient takes.
TEST(Ode, WorkingMemoryIsCounted) {
  using R = Scalar<double>;
  const Times<double> times{0.5, 1, 2};
  int used = 0;
  const auto density = [&](auto& target) {
    auto q = target.vector("q", Size<3>{});
    auto adaptive = target.ode_rk45(Oscillator{}, states(q[0], q[1]), 0.0, times.view(), q[2]);
    auto fixed = target.ode_rk4(Oscillator{}, states(q[0], q[1]), 0.0, times.view(), 2, q[2]);
    if constexpr (requires { target.arena(); }) used = target.arena().used;
    target += adaptive[2][0] * fixed[2][0];
  };
  run_target<Request::gradient, R>(
      3, [](int i, int) { return 0.5 + i; }, density);
  LayoutTarget<double> layout;
  density(layout);
  EXPECT_EQ(used, 2 * 3 * 2 + 3 + 2 * 3 * 2);
  EXPECT_EQ(layout.finish().scratch, static_cast<std::size_t>(used));
}

// No times, and parameters that nothing uses.
TEST(Ode, WithoutTimes) {
  check_gradient_of({0.3, 0.4}, [](auto& target) {
    auto q = target.vector("q", 2);
    const Times<double> none{};
    auto path = target.ode_rk45(Oscillator{}, states(q[0], 1.0), 0.0, none.view(), q[1]);
    target += q[0] * q[1] + path.rows();
  });
}

}  // namespace
}  // namespace manychain::test
