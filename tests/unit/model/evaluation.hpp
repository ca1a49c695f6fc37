// One evaluation of an expression or a model at a point, in any Real: value and gradient, lane by lane.
#pragma once

#include <functional>

#include "manychain/model/layout_of.hpp"
#include "manychain/random/philox_pack.hpp"
#include "unit/core/reals.hpp"

namespace manychain::test {

template <class R>
struct Outcome {
  std::vector<std::vector<number_of<R>>> gradient;  // [component][lane]
  std::vector<number_of<R>> value;                  // [lane]
};

/// Adds density(target) to a target of n parameters, whose values are q(component, lane).
template <Request request = Request::value_and_gradient, class R, class F>
Outcome<R> run_target(int n, const std::function<double(int, int)>& q, F density) {
  std::vector<R> position(static_cast<std::size_t>(n + 1)), slope(static_cast<std::size_t>(n + 1), R(0));
  std::vector<R> scratch(static_cast<std::size_t>(16 * n + 1024));
  for (int i = 0; i < n; ++i) position[static_cast<std::size_t>(i)] = lanes_of<R>([&](int l) { return q(i, l); });
  Strided<R> p{position.data(), 1}, g{slope.data(), 1};
  Outcome<R> outcome;
  Target<R, Strided<R>, Strided<R>, request> target(p, g, Arena<R>{Strided<R>{scratch.data(), 1}, 0});
  density(target);
  EXPECT_EQ(target.arena().used, 0) << "every piece of the arena is given back";
  const R lp = target.log_density().value();
  for (int l = 0; l < R::lanes; ++l) outcome.value.push_back(lane(lp, l));
  for (int i = 0; i < n; ++i) {
    outcome.gradient.emplace_back();
    for (int l = 0; l < R::lanes; ++l) outcome.gradient.back().push_back(lane(g[i], l));
  }
  return outcome;
}

/// Compares the gradient of density(target) with differences of its value, in double, at q.
template <class F>
void check_gradient_of(const std::vector<double>& q, F density, double tolerance = 1e-7) {
  using R = Scalar<double>;
  const int n = static_cast<int>(q.size());
  const auto at = [&](int moved, double step) {
    return [&q, moved, step](int i, int) { return q[static_cast<std::size_t>(i)] + (i == moved ? step : 0.0); };
  };
  const auto exact = run_target<Request::value_and_gradient, R>(n, at(-1, 0), density);
  const auto alone = run_target<Request::gradient, R>(n, at(-1, 0), density);
  const auto value = run_target<Request::value, R>(n, at(-1, 0), density);
  EXPECT_EQ(value.value[0], exact.value[0]);
  for (int i = 0; i < n; ++i) {
    const double h = 1e-3;
    const auto f = [&](double step) { return run_target<Request::value, R>(n, at(i, step), density).value[0]; };
    const double difference = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
    const double got = exact.gradient[static_cast<std::size_t>(i)][0];
    EXPECT_NEAR(got, difference, tolerance * std::max(1.0, std::fabs(difference))) << "component " << i;
    EXPECT_EQ(alone.gradient[static_cast<std::size_t>(i)][0], got) << "the gradient alone has the same bits";
  }
}

/// The same density in every Real, each lane at its own point near q, against the scalar double: to a relative
/// tolerance of `units` times the precision. Also the gradient alone, bit for bit.
template <class R, class F>
void check_lanes(const std::vector<double>& q, F density, double units = 64) {
  using T = number_of<R>;
  const int n = static_cast<int>(q.size());
  const auto at = [&](int i, int l) {
    return static_cast<double>(static_cast<T>(q[static_cast<std::size_t>(i)] + 0.03125 * l));
  };
  const auto got = run_target<Request::value_and_gradient, R>(n, at, density);
  const auto alone = run_target<Request::gradient, R>(n, at, density);
  const auto value = run_target<Request::value, R>(n, at, density);
  const double eps = units * std::numeric_limits<T>::epsilon();
  for (int l = 0; l < R::lanes; ++l) {
    const auto right = run_target<Request::value_and_gradient, Scalar<double>>(
        n, [&](int i, int) { return at(i, l); }, density);
    const std::size_t k = static_cast<std::size_t>(l);
    EXPECT_NEAR(got.value[k], right.value[0], eps * (1 + std::fabs(right.value[0]))) << "lane " << l;
    EXPECT_EQ(value.value[k], got.value[k]);
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_NEAR(got.gradient[i][k], right.gradient[i][0], eps * (1 + std::fabs(right.gradient[i][0])))
          << "component " << i << ", lane " << l;
      EXPECT_EQ(alone.gradient[i][k], got.gradient[i][k]);
    }
  }
}

/// The number type of a target.
template <class Target>
using number_in = number_of<typename std::remove_reference_t<Target>::real_type>;

/// Both, in every Real but the scalar double, against which the others are held.
template <class F>
void check_in_every_real(const std::vector<double>& q, F density, double units, double tolerance = 1e-7) {
  check_gradient_of(q, density, tolerance);
  check_lanes<Scalar<float>>(q, density, units);
  check_lanes<Pack<float>>(q, density, units);
  check_lanes<Pack<double>>(q, density, units);
}

}  // namespace manychain::test
