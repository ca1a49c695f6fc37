// One evaluation of an expression or a model at a point, in any Real: value and gradient, lane by lane.
#pragma once

#include <algorithm>
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

/// A reference to a function: one that is made of a temporary must not outlive the statement. A std::function of each
/// lambda of a test would be a dozen functions to compile.
template <class Signature>
class Called;
template <class Result, class... Arguments>
class Called<Result(Arguments...)> {
 public:
  template <class F>
  Called(const F& f)
      : function_(&f), call_([](const void* function, Arguments... arguments) -> Result {
          return (*static_cast<const F*>(function))(arguments...);
        }) {}
  Result operator()(Arguments... arguments) const { return call_(function_, arguments...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Arguments...);
};

/// Values at a point of each component and lane: q(component, lane).
using Point = Called<double(int, int)>;

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

/// A density that is added to targets of one kind. What evaluates it does not have its type, and is compiled once.
template <Request request, class R>
class Density {
  using TargetOf = Target<R, Strided<R>, Strided<R>, request>;

 public:
  template <class F>
  Density(const F& f) : add_(f) {}

  /// Adds it to a target of n parameters, whose values are q(component, lane).
  Outcome<R> operator()(int n, const Point& q) const {
    TargetMemory<R> memory(n, q);
    TargetOf target(memory.p, memory.g, memory.arena());
    add_(target);
    return memory.outcome(target.log_density().value(), target.arena().used);
  }

 private:
  Called<void(TargetOf&)> add_;
};

/// Adds density(target) to a target of n parameters, whose values are q(component, lane).
template <Request request = Request::value_and_gradient, class R, class F>
Outcome<R> run_target(int n, const Point& q, const F& density) {
  return Density<request, R>(density)(n, q);
}

/// The gradient of `density` against differences of its value at q; `alone` and `value` against it bit for bit.
inline void compare_with_differences(const std::vector<double>& q,
                                     const Density<Request::value_and_gradient, Scalar<double>>& density,
                                     const Density<Request::gradient, Scalar<double>>& alone,
                                     const Density<Request::value, Scalar<double>>& value, double tolerance) {
  const int n = static_cast<int>(q.size());
  const auto at = [&q](int i, int) { return q[static_cast<std::size_t>(i)]; };
  const Outcome<Scalar<double>> exact = density(n, at), gradient = alone(n, at);
  EXPECT_EQ(value(n, at).value[0], exact.value[0]);
  for (std::size_t k = 0; k < q.size(); ++k) {
    const double h = 1e-3;
    const auto f = [&](double step) {
      return value(n, [&](int i, int) { return at(i, 0) + (static_cast<std::size_t>(i) == k ? step : 0.0); }).value[0];
    };
    const double difference = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
    const double got = exact.gradient[k][0];
    EXPECT_NEAR(got, difference, tolerance * std::max(1.0, std::fabs(difference))) << "component " << k;
    EXPECT_EQ(gradient.gradient[k][0], got) << "the gradient alone has the same bits";
  }
}

/// Compares the gradient of density(target) with differences of its value, in double, at q.
template <class F>
void check_gradient_of(const std::vector<double>& q, const F& density, double tolerance = 1e-7) {
  compare_with_differences(q, density, density, density, tolerance);
}

/// Each lane's own point near q, in the precision of R. It refers to q.
template <class R>
auto lanes_near(const std::vector<double>& q) {
  return [&q](int i, int l) {
    return static_cast<double>(static_cast<number_of<R>>(q[static_cast<std::size_t>(i)] + 0.03125 * l));
  };
}

/// Each lane of `got`, which is at lanes_near(q), against `reference` there, to a relative tolerance of `units` times
/// the precision.
template <class R>
void compare_lanes(const std::vector<double>& q, const Outcome<R>& got,
                   const Density<Request::value_and_gradient, Scalar<double>>& reference, double units) {
  const double eps = units * std::numeric_limits<number_of<R>>::epsilon();
  for (int l = 0; l < R::lanes; ++l) {
    const auto at = lanes_near<R>(q);
    const auto right = reference(static_cast<int>(q.size()), [&](int i, int) { return at(i, l); });
    const std::size_t k = static_cast<std::size_t>(l);
    EXPECT_NEAR(got.value[k], right.value[0], eps * (1 + std::fabs(right.value[0]))) << "lane " << l;
    for (std::size_t i = 0; i < q.size(); ++i)
      EXPECT_NEAR(got.gradient[i][k], right.gradient[i][0], eps * (1 + std::fabs(right.gradient[i][0])))
          << "component " << i << ", lane " << l;
  }
}

/// Compares `density` in R, each lane at its own point near q, with the scalar double, and the gradient alone and the
/// value alone with it bit for bit.
template <class R>
void compare_each_request(const std::vector<double>& q, const Density<Request::value_and_gradient, R>& density,
                          const Density<Request::gradient, R>& alone, const Density<Request::value, R>& value,
                          const Density<Request::value_and_gradient, Scalar<double>>& reference, double units) {
  const int n = static_cast<int>(q.size());
  const auto at = lanes_near<R>(q);
  const Outcome<R> got = density(n, at), gradient = alone(n, at);
  compare_lanes<R>(q, got, reference, units);
  EXPECT_EQ(value(n, at).value, got.value);
  EXPECT_EQ(gradient.gradient, got.gradient);
}

/// Compares a density in R, each lane at its own point near q, with the scalar double: to a relative tolerance of
/// `units` times the precision. With `each_request` also the gradient alone and the value alone, bit for bit.
template <class R, bool each_request = true, class F>
void check_lanes(const std::vector<double>& q, const F& density, double units = 64) {
  if constexpr (each_request)
    compare_each_request<R>(q, density, density, density, density, units);
  else
    compare_lanes<R>(q,
                     run_target<Request::value_and_gradient, R>(static_cast<int>(q.size()), lanes_near<R>(q), density),
                     density, units);
}

/// The number type of a target.
template <class Target>
using number_in = number_of<typename std::remove_reference_t<Target>::real_type>;

/// Both, in every Real but the scalar double, against which the others are held. The gradient alone and the value alone
/// have the same bits in a scalar and in a pack: each of them is a second of compiling for a large density, and does
/// not depend on the number type.
template <class F>
void check_in_every_real(const std::vector<double>& q, const F& density, double units, double tolerance = 1e-7) {
  check_gradient_of(q, density, tolerance);
  check_lanes<Pack<float>>(q, density, units);
  check_lanes<Scalar<float>, false>(q, density, units);
  check_lanes<Pack<double>, false>(q, density, units);
}

}  // namespace manychain::test
