// Terms that lose the digits of a parameter with offset_multiplier() are noted by name, and no others. This unit is
// compiled as the generated one that checks.
#define MANYCHAIN_CHECKED
#include "check/model_check_digits.hpp"

#include <gtest/gtest.h>

#include "manychain/chain/check_model.hpp"
#include "manychain/chain/terms_of.hpp"
#include "manychain/model.hpp"

namespace manychain {
namespace {

enum Form : int {
  own,            // the forms that are evaluated from what is sampled
  other_scale,    // a scale that does not vanish with the multiplier
  no_offset,      // an offset of zero, from which nothing is subtracted
  bounded_scale,  // a multiplier that does not vanish
  variance_of_product,
  let_exp,
  skew,
  centred,
  absolute,
  made_twice,
  twice_the_scale,
  neighbours,
  steep  // a multiplier that is a square: its logarithm has no constant slope
};

template <class Number, int form>
struct Groups {
  View<const Number> y;
  void data(DataReader& in) { in("y", y, Size<>(4)); }
  template <class Target>
  void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    auto log_kappa = target.real("log_kappa");
    auto width = target.real("width", interval(0.5, 3));
    auto root = target.real("root");
    auto alpha = target.real("alpha", lower(0));
    auto x = target.vector("x", 4, offset_multiplier(mu, tau));
    auto one = target.real("one", offset_multiplier(2.0 * mu + 1, tau));
    auto flat = target.vector("flat", 4, offset_multiplier(0, tau));
    auto wide = target.vector("wide", 4, offset_multiplier(mu, width));
    auto twice = target.vector("twice", 4, offset_multiplier(mu, exp(log_kappa)));
    auto squared = target.vector("squared", 4, offset_multiplier(mu, square(root)));
    auto table = target.matrix("table", 2, 2, offset_multiplier(mu, tau));
    target += normal(mu, 0, 5) + half_cauchy(tau, 5) + normal(log_kappa, 0, 1) + normal(root, 0, 1);
    target += gamma(alpha, 2, 1);
    target.observe("y", normal(y, x, alpha));
    target.observe("y2", 4, [&](auto j, auto& term) { term += student_t(y[j], 3, flat[j] + wide[j], tau); });
    target.observe("y3", normal(y, twice + squared * one + table[0][1], 1));
    if constexpr (form == own) {
      target += normal(x, mu, tau) + logistic(one, 2.0 * mu + 1, tau) + cauchy(table, mu, tau);
      target += normal_variance(x, mu, square(tau)) + student_t(squared, alpha, mu, square(root));
      target.sum_over(4, [&](auto j, auto& term) { term += lognormal(exp(x[j]), mu, tau) + gumbel(flat[j], 0, tau); });
      target += lognormal(exp(x), mu, tau) + double_exponential(x, mu, tau);
    }
    if constexpr (form == other_scale)
      target += skew_normal(x, mu, 1, alpha) + normal(x, 0, tau) + normal(one, mu, 0.1);
    if constexpr (form == no_offset) target += skew_normal(flat, 0, tau, 0);
    if constexpr (form == bounded_scale) target += skew_normal(wide, mu, width, 0);
    if constexpr (form == variance_of_product) target += normal_variance(x, mu, tau * tau);
    if constexpr (form == let_exp) {
      auto big = target.let(exp(x));
      target += lognormal(big, mu, tau);
    }
    if constexpr (form == skew)
      target.sum_over(4, [&](auto j, auto& term) { term += skew_normal(x[j], mu, tau, 0) + normal(x[j], mu, tau); });
    if constexpr (form == centred) target += normal(x - mu, 0, tau);
    if constexpr (form == absolute) target += double_exponential(x - mu, 0, tau);
    if constexpr (form == made_twice) target += normal(twice, mu, exp(log_kappa));
    if constexpr (form == twice_the_scale) target += normal(one, 2.0 * mu + 1, 2 * tau);
    if constexpr (form == neighbours) target += normal(table[0], table[1], tau);
    if constexpr (form == steep) target += skew_normal(squared, mu, square(root), 0);
  }
};

/// The notes at three points, "what loses | of which".
template <int form>
std::string noted() {
  using Model = Groups<CheckedNumber, form>;
  Data data;
  data.set("y", {1.3, -0.4, 2.2, 0.1});
  const HostModel<Model> host{data};
  const Layout layout = layout_of(host.model);
  std::vector<CheckPoint> points(3);
  for (std::size_t p = 0; p < points.size(); ++p)
    for (std::size_t i = 0; i < layout.dimension; ++i)
      points[p].q.push_back(1.9 * std::sin(static_cast<double>(1 + i + 7 * p)));
  std::string text;
  for (const std::string& note : notes_on_lost_digits(*terms_of<Model>(data, layout), points)) {
    const std::size_t of = note.find(" computes ("), end = note.find(" - offset)");
    EXPECT_NE(note.find("loses its digits where the multiplier of "), std::string::npos) << note;
    text += note.substr(0, of) + " | " + note.substr(of + 11, end - of - 11) + "; ";
  }
  return text;
}

TEST(LostDigits, AreNotNotedOfWhatHoldsThem) {
  EXPECT_EQ(noted<own>(), "");
  EXPECT_EQ(noted<other_scale>(), "");
  EXPECT_EQ(noted<no_offset>(), "");
  EXPECT_EQ(noted<bounded_scale>(), "");
}
// The statements before are one of four and one priors, and three of data.
TEST(LostDigits, AreNotedByNameAndStatement) {
  const std::string added = "statement 6 (target +=)";
  EXPECT_EQ(noted<variance_of_product>(), added + " | x; ");
  EXPECT_EQ(noted<let_exp>(), added + " | x; ");
  EXPECT_EQ(noted<skew>(), "statement 6, sum_over | x; ");
  EXPECT_EQ(noted<centred>(), added + " | x; ");
  EXPECT_EQ(noted<absolute>(), added + " | x; ");
  EXPECT_EQ(noted<made_twice>(), added + " | twice; ");
  EXPECT_EQ(noted<twice_the_scale>(), added + " | one; ");
  EXPECT_EQ(noted<neighbours>(), added + " | table; ");
  EXPECT_EQ(noted<steep>(), added + " | squared; ");
}

}  // namespace
}  // namespace manychain
