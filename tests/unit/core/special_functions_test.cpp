// Special functions against mpmath, within the bounds that their header states, and what they do at the ends.
#include "manychain/core/special_functions.hpp"

#include "unit/core/reals.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

// Without memory of its own: GCC takes ten seconds for a table of 1900 vectors.
class Arguments {
 public:
  constexpr Arguments(double x) : values_{x, 0}, size_(1) {}  // as the table has them, {x}
  constexpr Arguments(double x, double y) : values_{x, y}, size_(2) {}
  double operator[](std::size_t k) const { return values_[k]; }
  double back() const { return values_[size_ - 1]; }
  std::size_t size() const { return size_; }

 private:
  double values_[2];
  std::size_t size_;
};
struct Reference {
  const char* function;
  Arguments arguments;
  long double value;
};
constexpr Reference table[] = {
#include "unit/core/reference_functions.inc"
};

/// Calls f on every point of the table, each in every lane of its turn, and holds the error to allowed(arguments,
/// value) eps.
template <class R, class F, class Allowed>
void check_function(const std::string& name, F f, Allowed allowed, double largest = 1e300) {
  using T = number_of<R>;
  std::vector<const Reference*> rows;
  for (const Reference& row : table)
    if (row.function == name && std::fabs(row.arguments[0]) <= largest) rows.push_back(&row);
  ASSERT_GE(rows.size(), 50u) << name;
  const double eps = std::numeric_limits<T>::epsilon(), least = std::numeric_limits<T>::min();
  double worst = 0;
  for (std::size_t first = 0; first < rows.size(); ++first) {
    const auto at = [&](int l) -> const Reference& {
      return *rows[(first + static_cast<std::size_t>(l)) % rows.size()];
    };
    const R got = f([&](std::size_t k) { return lanes_of<R>([&](int l) { return at(l).arguments[k]; }); });
    for (int l = 0; l < R::lanes; ++l) {
      const Reference& row = at(l);
      const double exact = static_cast<double>(row.value), bound = eps * allowed(row.arguments, exact) + least;
      const double error = std::fabs(double(lane(got, l)) - exact);
      if (std::isfinite(error)) worst = std::max(worst, error / bound);
      EXPECT_LE(error, bound) << name << "(" << row.arguments[0] << (row.arguments.size() > 1 ? ", " : "")
                              << row.arguments.back() << "), lane " << l;
    }
  }
  ::testing::Test::RecordProperty(name, std::to_string(worst));
  EXPECT_GT(worst, 0.001) << name << ": the bound says nothing";
}

#define MANYCHAIN_ONE(name) #name, [](auto x) { return name(x(0)); }
#define MANYCHAIN_TWO(name) #name, [](auto x) { return name(x(0), x(1)); }
auto relative(double bound) {
  return [bound](const Arguments&, double value) { return bound * std::fabs(value); };
}
auto absolute(double bound) {
  return [bound](const Arguments&, double) { return bound; };
}

TYPED_TEST(RealTest, NormalDistributionFunction) {
  using R = TypeParam;
  check_function<R>(MANYCHAIN_ONE(Phi), relative(8));
  check_function<R>(MANYCHAIN_ONE(log_Phi), relative(8));
  check_function<R>(MANYCHAIN_ONE(log_Phi_slope), relative(8));
  check_function<R>(MANYCHAIN_ONE(erfc), relative(8));
  check_function<R>(MANYCHAIN_ONE(erf), relative(4));
}
TYPED_TEST(RealTest, LogOfOneLessExponential) { check_function<TypeParam>(MANYCHAIN_ONE(log1m_exp), relative(4)); }
TYPED_TEST(RealTest, SineAndCosine) {
  check_function<TypeParam>(MANYCHAIN_ONE(sin), absolute(2), 1.1e5);
  check_function<TypeParam>(MANYCHAIN_ONE(cos), absolute(2), 1.1e5);
}
TYPED_TEST(RealTest, BesselFunction) {
  using R = TypeParam;
  check_function<R>(MANYCHAIN_ONE(log_bessel_i0), relative(16));
  const auto scaled = [](const Arguments& x, double value) { return 16 * (std::fabs(value) + std::min(x[0], 1.0)); };
  check_function<R>(MANYCHAIN_ONE(log_scaled_bessel_i0), scaled);
  check_function<R>(MANYCHAIN_ONE(bessel_i_ratio), relative(16));
}
TYPED_TEST(RealTest, DifferencesOfLogGammas) {
  using R = TypeParam;
  check_function<R>(MANYCHAIN_TWO(lgamma_difference), [](const Arguments& x, double) {
    return 8 * (1 + std::fabs(x[1] * std::log(x[0] + x[1])) + std::fabs(std::log(x[0])));
  });
  check_function<R>(MANYCHAIN_TWO(digamma_difference), [](const Arguments& x, double value) {
    return 8 * (std::fabs(value) + (x[0] < 8 ? 1 / x[0] + 1 / (x[0] + x[1]) : 1 / (x[0] * x[0])));
  });
  check_function<R>(MANYCHAIN_TWO(lbeta), [](const Arguments& x, double) {
    const double a = std::min(x[0], x[1]), b = std::max(x[0], x[1]);
    return 8 * (1 + std::fabs(std::lgamma(a)) + std::fabs(a * std::log(a + b)) + std::fabs(std::log(b)));
  });
}

// Nothing is NaN that has a limit, and what is NaN stays so.
TYPED_TEST(RealTest, EndsOfSpecialFunctions) {
  using R = TypeParam;
  using T = number_of<R>;
  const T infinity = std::numeric_limits<T>::infinity(), none = std::numeric_limits<T>::quiet_NaN();
  const T far = std::numeric_limits<T>::max();
  struct Case {
    T x, Phi, log_Phi, slope, erf, erfc;
  };
  for (const Case& c : {Case{infinity, 1, 0, 0, 1, 0}, Case{far, 1, 0, 0, 1, 0},
                        Case{-infinity, 0, -infinity, infinity, -1, 2}, Case{none, none, none, none, none, none}}) {
    const auto expect = [&](R got, T exact) {
      for (int l = 0; l < R::lanes; ++l) EXPECT_EQ(ulps(lane(got, l), exact), 0) << c.x << ": " << lane(got, l);
    };
    const R x = R(c.x);
    expect(Phi(x), c.Phi);
    expect(log_Phi(x), c.log_Phi);
    expect(log_Phi_slope(x), c.slope);
    expect(erf(x), c.erf);
    expect(erfc(x), c.erfc);
  }
  const auto nan = [](R x) {
    for (int l = 0; l < R::lanes; ++l) EXPECT_TRUE(std::isnan(lane(x, l)));
  };
  nan(sin(R(infinity)));
  nan(cos(R(none)));
  nan(sin(R(sizeof(T) == 4 ? 2e6 : 2e15)));
  nan(log_bessel_i0(R(none)));
  nan(log1m_exp(R(0.5)));
  EXPECT_EQ(lane(log1m_exp(R(0)), 0), -infinity);
  EXPECT_EQ(lane(log1m_exp(R(-infinity)), 0), 0);
  EXPECT_EQ(lane(lgamma_difference(R(3), R(0)), 0), 0);
}

// Large angles, beyond what the table has in single precision.
TYPED_TEST(RealTest, LargeAngles) {
  using R = TypeParam;
  using T = number_of<R>;
  const double top = sizeof(T) == 4 ? 1e5 : 1e9, eps = std::numeric_limits<T>::epsilon();
  each_lane<R>(
      mirrored(logarithmic_grid<T>(1, top, 5000)), [](R x) { return sin(x); },
      [&](T x, T got) { EXPECT_NEAR(double(got), double(std::sin(static_cast<long double>(x))), 2 * eps) << x; });
}

}  // namespace
}  // namespace manychain::test
