// Every Real, lane by lane: what the tests of chain code share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "manychain/core/math.hpp"
#include "manychain/core/pack.hpp"

namespace manychain::test {

template <class T>
struct RealTest : ::testing::Test {};
#ifndef MANYCHAIN_TEST_OTHER_REALS
using TestedReals = ::testing::Types<Scalar<double>, Pack<float>>;
#else  // the executable of the full suite that has other kinds of Real in each typed test, and nothing else
#ifdef MANYCHAIN_TEST_PACKS_ALONE
using TestedReals = ::testing::Types<Pack<double>>;
#else
using TestedReals = ::testing::Types<Scalar<float>, Pack<double>>;
#endif
#undef TEST
#define TEST(suite, name) \
  template <class>        \
  [[maybe_unused]] void left_out_##suite##_##name()
#endif

struct RealName {
  template <class R>
  static std::string GetName(int) {
    return std::string(R::lanes == 1 ? "Scalar" : "Pack") + (sizeof(number_of<R>) == 4 ? "Float" : "Double");
  }
};

template <class R>
struct alignas(64) Lanes {
  number_of<R> x[R::lanes];
};

/// A Real whose lane i is f(i).
template <class R, class F>
R lanes_of(F f) {
  Lanes<R> memory;
  for (int i = 0; i < R::lanes; ++i) memory.x[i] = static_cast<number_of<R>>(f(i));
  R x;
  load(x, memory.x);
  return x;
}

template <class R>
number_of<R> lane(R x, int i) {
  Lanes<R> memory;
  store(x, memory.x);
  return memory.x[i];
}

template <class R>
bool holds(mask_of<R> mask, int i) {
  return lane(select(mask, R(1), R(0)), i) == 1;
}

/// Calls check(x, f(x)) for every x, each in every lane of its turn: neighbours in a pack are other values.
template <class R, class F, class Check>
void each_lane(const std::vector<number_of<R>>& xs, F f, Check check) {
  const int n = static_cast<int>(xs.size());
  for (int first = 0; first < n; ++first) {
    const auto at = [&](int i) { return xs[static_cast<std::size_t>((first + i) % n)]; };
    const R y = f(lanes_of<R>(at));
    for (int i = 0; i < R::lanes; ++i) check(at(i), lane(y, i));
  }
}

/// |got - exact| in units in the last place of `exact`, of the smallest normal number below that.
template <class T>
double ulps(T got, long double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isinf(static_cast<T>(exact)) || std::isinf(got)) return got == static_cast<T>(exact) ? 0 : HUGE_VAL;
  int exponent = 0;
  std::frexp(std::fmax(std::fabs(exact), static_cast<long double>(std::numeric_limits<T>::min())), &exponent);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

/// `n` numbers from low to high, evenly spaced.
template <class T>
std::vector<T> grid(double low, double high, int n) {
  std::vector<T> x;
  for (int i = 0; i < n; ++i) x.push_back(static_cast<T>(low + (high - low) * i / (n - 1)));
  return x;
}
/// `n` numbers from low to high, evenly spaced in the logarithm.
template <class T>
std::vector<T> logarithmic_grid(double low, double high, int n) {
  std::vector<T> x;
  for (int i = 0; i < n; ++i) x.push_back(static_cast<T>(low * std::pow(high / low, double(i) / (n - 1))));
  return x;
}
/// Both signs of each.
template <class T>
std::vector<T> mirrored(std::vector<T> x) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) x.push_back(-x[i]);
  return x;
}

}  // namespace manychain::test
