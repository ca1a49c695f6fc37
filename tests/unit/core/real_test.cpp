// The operations of Real: exact, in every lane, whatever the neighbours hold.
#include "unit/core/reals.hpp"

#include <type_traits>

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

template <class T>
std::vector<T> awkward() {
  using L = std::numeric_limits<T>;
  return {0,
          1,
          T(-1),
          T(0.1),
          T(-2.5),
          3,
          T(1e20),
          T(-1e-20),
          L::max(),
          L::min(),
          -L::max(),
          L::denorm_min(),
          L::infinity(),
          -L::infinity(),
          L::quiet_NaN(),
          7,
          T(-0.75)};
}

template <class T>
bool same(T a, T b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// op on Reals against op on numbers, for all pairs of awkward values in all lanes.
template <class R, class Op, class Exact>
void check_pairs(Op op, Exact exact) {
  using T = number_of<R>;
  const auto xs = awkward<T>();
  const int n = static_cast<int>(xs.size());
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      const auto left = [&](int i) { return xs[static_cast<std::size_t>((a + i) % n)]; };
      const auto right = [&](int i) { return xs[static_cast<std::size_t>((b + 2 * i) % n)]; };
      const R got = op(lanes_of<R>(left), lanes_of<R>(right));
      for (int i = 0; i < R::lanes; ++i)
        ASSERT_TRUE(same(lane(got, i), static_cast<T>(exact(left(i), right(i)))))
            << left(i) << ", " << right(i) << " in lane " << i << ": " << lane(got, i);
    }
  }
}

TYPED_TEST(RealTest, ArithmeticIsIeeeInEveryLane) {
  using R = TypeParam;
  using T = number_of<R>;
  check_pairs<R>([](R a, R b) { return a + b; }, [](T a, T b) { return a + b; });
  check_pairs<R>([](R a, R b) { return a - b; }, [](T a, T b) { return a - b; });
  check_pairs<R>([](R a, R b) { return a * b; }, [](T a, T b) { return a * b; });
  check_pairs<R>([](R a, R b) { return a / b; }, [](T a, T b) { return a / b; });
  check_pairs<R>([](R a, R) { return -a; }, [](T a, T) { return -a; });
  check_pairs<R>([](R a, R b) { return a += b, a; }, [](T a, T b) { return a + b; });
  check_pairs<R>([](R a, R b) { return a -= b, a; }, [](T a, T b) { return a - b; });
  check_pairs<R>([](R a, R b) { return a *= b, a; }, [](T a, T b) { return a * b; });
}

TYPED_TEST(RealTest, ComparisonsAndSelectGoLaneByLane) {
  using R = TypeParam;
  using T = number_of<R>;
  const auto as = [](auto mask) { return select(mask, R(1), R(2)); };
  check_pairs<R>([&](R a, R b) { return as(a < b); }, [](T a, T b) { return a < b ? 1 : 2; });
  check_pairs<R>([&](R a, R b) { return as(a <= b); }, [](T a, T b) { return a <= b ? 1 : 2; });
  check_pairs<R>([&](R a, R b) { return as(a > b); }, [](T a, T b) { return a > b ? 1 : 2; });
  check_pairs<R>([&](R a, R b) { return as(a >= b); }, [](T a, T b) { return a >= b ? 1 : 2; });
  check_pairs<R>([&](R a, R b) { return as(a == b); }, [](T a, T b) { return a == b ? 1 : 2; });
  check_pairs<R>([&](R a, R b) { return as(!(a < b)); }, [](T a, T b) { return !(a < b) ? 1 : 2; });
  check_pairs<R>([&](R a, R b) { return as(a < b && b > R(0)); }, [](T a, T b) { return a < b && b > 0 ? 1 : 2; });
  check_pairs<R>([&](R a, R b) { return as(a < b || a == R(7)); }, [](T a, T b) { return a < b || a == 7 ? 1 : 2; });
  check_pairs<R>([&](R a, R) { return as(isfinite(a)); }, [](T a, T) { return std::isfinite(a) ? 1 : 2; });
  check_pairs<R>([](R a, R b) { return select(a < b, a, b); }, [](T a, T b) { return a < b ? a : b; });
}

TYPED_TEST(RealTest, MinMaxAbsFloorAndSqrtAreExact) {
  using R = TypeParam;
  using T = number_of<R>;
  // NaN: the first argument stays unless the second is beyond it, in scalars and packs alike.
  check_pairs<R>([](R a, R b) { return min(a, b); }, [](T a, T b) { return b < a ? b : a; });
  check_pairs<R>([](R a, R b) { return max(a, b); }, [](T a, T b) { return a < b ? b : a; });
  check_pairs<R>([](R a, R) { return abs(a); }, [](T a, T) { return std::fabs(a); });
  check_pairs<R>([](R a, R) { return floor(a); }, [](T a, T) { return std::floor(a); });
  check_pairs<R>([](R a, R) { return sqrt(a); }, [](T a, T) { return std::sqrt(a); });
}

TYPED_TEST(RealTest, AnyAndAllSeeEveryLane) {
  using R = TypeParam;
  const R index = lanes_of<R>([](int i) { return i; });
  EXPECT_TRUE(all(index >= R(0)));
  EXPECT_FALSE(any(index < R(0)));
  for (int i = 0; i < R::lanes; ++i) {
    EXPECT_TRUE(any(index == R(i))) << i;
    EXPECT_EQ(all(index == R(i)), R::lanes == 1) << i;
    EXPECT_FALSE(all(!(index == R(i)))) << i;
    EXPECT_TRUE(holds<R>(index == R(i), i));
  }
}

TYPED_TEST(RealTest, FmaIsRoundedOnce) {
  using R = TypeParam;
  using T = number_of<R>;
  if (R::lanes > 1 && std::string(MANYCHAIN_ISA_NAME) == "baseline") GTEST_SKIP() << "no instruction for it";
  const T eps = std::numeric_limits<T>::epsilon();
  // (1 + eps)(1 - eps) - 1 = -eps^2: a product that is rounded first gives 0.
  const R fused = fma(R(1 + eps), R(1 - eps), R(-1));
  for (int i = 0; i < R::lanes; ++i) EXPECT_EQ(lane(fused, i), -eps * eps);
  check_pairs<R>([](R a, R b) { return fma(a, b, R(0.3)); }, [](T a, T b) { return std::fma(a, b, T(0.3)); });
}

TYPED_TEST(RealTest, ProductsAndSumsAreNotContracted) {
  using R = TypeParam;
  using T = number_of<R>;
  const T eps = std::numeric_limits<T>::epsilon();
  const R a = lanes_of<R>([&](int) { return 1 + eps; }), b = lanes_of<R>([&](int) { return 1 - eps; });
  const R rounded_twice = a * b - R(1);
  for (int i = 0; i < R::lanes; ++i) EXPECT_EQ(lane(rounded_twice, i), 0);
}

TYPED_TEST(RealTest, LiteralsNeverWiden) {
  using R = TypeParam;
  R x = R(3);
  static_assert(std::is_same_v<decltype(x * 0.5), R>);
  static_assert(std::is_same_v<decltype(0.5 + x), R>);
  static_assert(std::is_same_v<decltype(1 - x), R>);
  static_assert(std::is_same_v<decltype(select(x < 0.5, x, 0.0)), R>);
  static_assert(std::is_same_v<decltype(select(x < 0.5, 1.0, x)), R>);
  static_assert(std::is_same_v<decltype(max(x, 0.0)), R>);
  static_assert(std::is_same_v<decltype(x < 0.5), mask_of<R>>);
  static_assert(sizeof(R) == R::lanes * sizeof(number_of<R>));
  EXPECT_EQ(lane(x * 0.1, 0), number_of<R>(3) * number_of<R>(0.1));
}

// Data are Scalars, chains are packs: they meet without a cast, and a mask of either chooses between both.
TYPED_TEST(RealTest, DataMeetChains) {
  using R = TypeParam;
  using S = Scalar<number_of<R>>;
  const R x = lanes_of<R>([](int i) { return i; });
  const S y(2.5);
  static_assert(std::is_same_v<decltype(x + y), R> && std::is_same_v<decltype(y * x), R>);
  const R by_chain = select(x > y, y, S(-1)), by_data = select(y > S(2), x, R(-1));
  const R literals = R(select(x > y, 1.0, 2.0)), mixed = R(select(x > y, y, 0.0));
  for (int i = 0; i < R::lanes; ++i) {
    EXPECT_EQ(lane(by_chain, i), i > 2.5 ? 2.5 : -1);
    EXPECT_EQ(lane(by_data, i), i);
    EXPECT_EQ(lane(literals, i), i > 2.5 ? 1 : 2);
    EXPECT_EQ(lane(mixed, i), i > 2.5 ? 2.5 : 0);
  }
}

}  // namespace
}  // namespace manychain::test
