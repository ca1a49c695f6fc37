// One evaluation of an expression or a model at a point, in any Real: value and gradient, lane by lane.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "manychain/model/language/layout_of.hpp"
#include "manychain/random/philox_pack.hpp"
#include "unit/core/reals.hpp"

namespace manychain::test {

template <class R>
struct Outcome {
  std::vector<std::vector<number_of<R>>> gradient;  // [component][lane]
  std::vector<number_of<R>> value;                  // [lane]
};

/// Values at a point of each component and lane: q(component, lane).
using Point = std::function<double(int, int)>;

/// The memory in which a target of n parameters works. It stands apart from the density, of which there are thousands:
/// a test compiles in half the time.
template <class R>
struct TargetMemory {
  std::vector<R> position, slope, scratch;
  Strided<R> p, g;

  TargetMemory(int n, const Point& q)
      : position(static_cast<std::size_t>(n + 1)),
        slope(static_cast<std::size_t>(n + 1), R(0)),
        scratch(static_cast<std::size_t>(16 * n + 1024)),
        p{position.data(), 1},
        g{slope.data(), 1} {
    for (int i = 0; i < n; ++i) position[static_cast<std::size_t>(i)] = lanes_of<R>([&](int l) { return q(i, l); });
  }
  Arena<R> arena() { return {Strided<R>{scratch.data(), 1}, 0}; }
  Outcome<R> outcome(R log_density, int used) const {
    EXPECT_EQ(used, 0) << "every piece of the arena is given back";
    Outcome<R> outcome;
    for (int l = 0; l < R::lanes; ++l) outcome.value.push_back(lane(log_density, l));
    for (std::size_t i = 0; i + 1 < slope.size(); ++i) {
      outcome.gradient.emplace_back();
      for (int l = 0; l < R::lanes; ++l) outcome.gradient.back().push_back(lane(slope[i], l));
    }
    return outcome;
  }
};

/// Adds density(target) to a target of n parameters, whose values are q(component, lane).
template <Request request = Request::value_and_gradient, class R, class F>
Outcome<R> run_target(int n, const Point& q, F density) {
  TargetMemory<R> memory(n, q);
  Target<R, Strided<R>, Strided<R>, request> target(memory.p, memory.g, memory.arena());
  density(target);
  return memory.outcome(target.log_density().value(), target.arena().used);
}

/// The gradient `exact` against differences of value(point) at q, `alone` and `value` against it bit for bit.
inline void compare_with_differences(const std::vector<double>& q, const Outcome<Scalar<double>>& exact,
                                     const Outcome<Scalar<double>>& alone,
                                     const std::function<double(const Point&)>& value, double tolerance) {
  EXPECT_EQ(value([&](int i, int) { return q[static_cast<std::size_t>(i)]; }), exact.value[0]);
  for (std::size_t k = 0; k < q.size(); ++k) {
    const double h = 1e-3;
    const auto f = [&](double step) {
      return value([&](int i, int) {
        const auto at = static_cast<std::size_t>(i);
        return q[at] + (at == k ? step : 0.0);
      });
    };
    const double difference = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
    const double got = exact.gradient[k][0];
    EXPECT_NEAR(got, difference, tolerance * std::max(1.0, std::fabs(difference))) << "component " << k;
    EXPECT_EQ(alone.gradient[k][0], got) << "the gradient alone has the same bits";
  }
}

/// Compares the gradient of density(target) with differences of its value, in double, at q.
template <class F>
void check_gradient_of(const std::vector<double>& q, F density, double tolerance = 1e-7) {
  using R = Scalar<double>;
  const int n = static_cast<int>(q.size());
  const Point at = [&q](int i, int) { return q[static_cast<std::size_t>(i)]; };
  compare_with_differences(
      q, run_target<Request::value_and_gradient, R>(n, at, density), run_target<Request::gradient, R>(n, at, density),
      [&](const Point& point) { return run_target<Request::value, R>(n, point, density).value[0]; }, tolerance);
}

/// Each lane of `got` at its own point against reference(point), to a relative tolerance of `eps`; `alone` and `value`
/// against it bit for bit.
template <class R>
void compare_lanes(int n, const Outcome<R>& got, const Outcome<R>& alone, const Outcome<R>& value,
                   const std::function<Outcome<Scalar<double>>(const Point&)>& reference, const Point& at, double eps) {
  for (int l = 0; l < R::lanes; ++l) {
    const auto right = reference([&](int i, int) { return at(i, l); });
    const std::size_t k = static_cast<std::size_t>(l);
    EXPECT_NEAR(got.value[k], right.value[0], eps * (1 + std::fabs(right.value[0]))) << "lane " << l;
    EXPECT_EQ(value.value[k], got.value[k]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      EXPECT_NEAR(got.gradient[i][k], right.gradient[i][0], eps * (1 + std::fabs(right.gradient[i][0])))
          << "component " << i << ", lane " << l;
      EXPECT_EQ(alone.gradient[i][k], got.gradient[i][k]);
    }
  }
}

/// Compares a density in R, each lane at its own point near q, with the scalar double: to a relative tolerance of
/// `units` times the precision. With `each_request` also the gradient alone and the value alone, bit for bit.
template <class R, bool each_request = true, class F>
void check_lanes(const std::vector<double>& q, F density, double units = 64) {
  using T = number_of<R>;
  const int n = static_cast<int>(q.size());
  const Point at = [&q](int i, int l) {
    return static_cast<double>(static_cast<T>(q[static_cast<std::size_t>(i)] + 0.03125 * l));
  };
  const auto reference = [&](const Point& point) {
    return run_target<Request::value_and_gradient, Scalar<double>>(n, point, density);
  };
  const double eps = units * std::numeric_limits<T>::epsilon();
  const auto got = run_target<Request::value_and_gradient, R>(n, at, density);
  if constexpr (each_request)
    compare_lanes<R>(n, got, run_target<Request::gradient, R>(n, at, density),
                     run_target<Request::value, R>(n, at, density), reference, at, eps);
  else
    compare_lanes<R>(n, got, got, got, reference, at, eps);
}

/// The number type of a target.
template <class Target>
using number_in = number_of<typename std::remove_reference_t<Target>::real_type>;

/// Both, in every Real but the scalar double, against which the others are held. The gradient alone and the value alone
/// have the same bits in a scalar and in a pack: each of them is a second of compiling for a large density, and does
/// not depend on the number type.
template <class F>
void check_in_every_real(const std::vector<double>& q, F density, double units, double tolerance = 1e-7) {
  check_gradient_of(q, density, tolerance);
  check_lanes<Pack<float>>(q, density, units);
  check_lanes<Scalar<float>, false>(q, density, units);
  check_lanes<Pack<double>, false>(q, density, units);
}

}  // namespace manychain::test
