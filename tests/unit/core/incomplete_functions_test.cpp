// Incomplete gamma and beta functions and their derivatives against mpmath, within the bounds that their header states.
#include "manychain/core/incomplete_functions.hpp"

#include "unit/core/reals.hpp"

namespace manychain::test {
namespace {

#include "unit/core/reference_incomplete.inc"

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

/// Each row in every lane of its turn. f(arguments) gives the lower and the upper tail; `large` is what the errors grow
/// with, and Q or I that part of one that a difference may leave.
template <class R, int Shapes, class F, class Large, class Left>
void check_rows(const std::vector<std::vector<double>>& rows, F f, Large large, Left left) {
  constexpr std::size_t arguments = Shapes + 1;
  const double eps = std::numeric_limits<number_of<R>>::epsilon();
  double worst = 0;
  for (std::size_t first = 0; first < rows.size(); ++first) {
    const auto row = [&](int l) -> const std::vector<double>& {
      return rows[(first + static_cast<std::size_t>(l)) % rows.size()];
    };
    const auto got = f([&](std::size_t k) { return lanes_of<R>([&](int l) { return row(l)[k]; }); });
    for (int l = 0; l < R::lanes; ++l)
      for (const bool upper : {false, true}) {
        const auto& tail = upper ? got.second : got.first;
        const std::vector<double>& exact = row(l);
        const double size = large(exact), value = exact[arguments + (upper ? 1 : 0)];
        const double lost = left(exact, upper) ? std::exp(-value) : 1;
        const auto check = [&](double number, double right, double bound, int what) {
          const double error = std::fabs(number - right);
          worst = std::max(worst, error / bound);
          EXPECT_LE(error, bound) << "lane " << l << (upper ? ", upper, " : ", lower, ") << what << ": " << exact[0]
                                  << ", " << exact[1] << ", " << exact[arguments - 1] << ": " << right;
        };
        check(double(lane(tail.value, l)), value, 16 * eps * lost * (1 + std::fabs(value) + size), 0);
        for (int k = 0; k < Shapes + 1; ++k) {
          const double right = exact[arguments + 2 + static_cast<std::size_t>(upper ? Shapes + 1 + k : k)];
          check(double(lane(tail.slope[k], l)), right, 16 * eps * lost * (1 + (1 + size) * std::fabs(right)), k + 1);
        }
      }
  }
  EXPECT_GT(worst, 0.01) << "the bound says nothing";
  ::testing::Test::RecordProperty("worst", std::to_string(worst));
}

TYPED_TEST(RealTest, IncompleteGamma) {
  using R = TypeParam;
  ASSERT_GT(incomplete_gamma.size(), 70u);
  check_rows<R, 1>(
      incomplete_gamma,
      [](auto x) {
        return std::pair(detail::log_incomplete_gamma<false>(x(0), x(1)),
                         detail::log_incomplete_gamma<true>(x(0), x(1)));
      },
      [](const auto& row) { return std::fabs(row[1] - row[0]); },
      [](const auto& row, bool upper) { return upper && row[0] < 1 && row[1] < 1; });
}

TYPED_TEST(RealTest, IncompleteBeta) {
  using R = TypeParam;
  ASSERT_GT(incomplete_beta.size(), 150u);
  check_rows<R, 2>(
      incomplete_beta,
      [](auto at) {
        const R a = at(0), b = at(1), x = at(2), y = R(1) - x, log_x = log(x), log_y = log1p(-x);
        return std::pair(detail::log_incomplete_beta<false>(a, b, x, y, log_x, log_y),
                         detail::log_incomplete_beta<true>(a, b, x, y, log_x, log_y));
      },
      [](const auto& row) { return std::fabs(row[0] * (1 - row[2]) - row[1] * row[2]); },
      [](const auto& row, bool upper) {
        const bool above = row[2] > row[0] / (row[0] + row[1]);  // the mean
        return above != upper && row[upper ? 0 : 1] < 1;
      });
}

}  // namespace
}  // namespace manychain::test
