// Intervals of predictions: their quantiles, the range that they are drawn in, what lies outside, and pictures of
// vectors of any length.
#include <gtest/gtest.h>

#include <cmath>

#include "report/prediction_intervals.hpp"
#include "unit/report/made_draws.hpp"

namespace {

using namespace manychain;
using namespace manychain::report;

constexpr std::size_t chains = 2, draws = 51;

/// The numbers 0, 0.01, ..., 1.01 times `spread`, about the element's number.
io::Prediction ramp(const std::vector<double>& observed, double spread = 1) {
  return prediction_of("y", observed, chains, draws, [&](std::size_t e, std::size_t c, std::size_t d) {
    return double(e) + spread * (double(c * draws + d) / 100 - 0.505);
  });
}

std::vector<double> middles(std::size_t count) {
  std::vector<double> all;
  for (std::size_t e = 0; e < count; ++e) all.push_back(double(e));
  return all;
}

std::vector<Interval> intervals_of(const io::Prediction& one) {
  std::size_t lost = 0;
  return report::intervals_of(one, lost);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Intervals, AreQuantilesOfWhatIsFinite) {
  io::Prediction one = prediction_of("y", {0, 0}, 1, 103, [](std::size_t e, std::size_t, std::size_t d) {
    return e == 1 || d == 7 ? NAN : d == 50 ? INFINITY : double(d < 7 ? d : d < 50 ? d - 1 : d - 2);
  });
  std::size_t lost = 0;
  const std::vector<Interval> intervals = report::intervals_of(one, lost);
  EXPECT_EQ(lost, 2u + 103u);
  EXPECT_DOUBLE_EQ(intervals[0].lowest, 1);
  EXPECT_DOUBLE_EQ(intervals[0].low, 5);
  EXPECT_DOUBLE_EQ(intervals[0].lower, 25);
  EXPECT_DOUBLE_EQ(intervals[0].median, 50);
  EXPECT_DOUBLE_EQ(intervals[0].upper, 75);
  EXPECT_DOUBLE_EQ(intervals[0].high, 95);
  EXPECT_DOUBLE_EQ(intervals[0].highest, 99);
  EXPECT_TRUE(std::isnan(intervals[1].median));
  EXPECT_FALSE(intervals[1].contains(0));
}

TEST(Range, HoldsAllDataAndIsNotThatOfOneWildElement) {
  io::Prediction one = ramp(middles(12));
  one.observed[11] = 40;
  Range range = range_of(one, intervals_of(one), &Interval::low, &Interval::high);
  EXPECT_NEAR(range.low, -0.4545, 1e-9) << "all is in it";
  EXPECT_EQ(range.high, 40);
  const auto wild = std::make_shared<std::vector<double>>(one.values.get(), one.values.get() + 12 * chains * draws);
  for (std::size_t i = 0; i < chains * draws; ++i) (*wild)[3 * chains * draws + i] *= 1e6;
  one.values = {wild, wild->data()};
  range = range_of(one, intervals_of(one), &Interval::low, &Interval::high);
  EXPECT_LT(range.high, 100);
  EXPECT_GE(range.high, 40);
  EXPECT_TRUE(contains(interval_figures(one, intervals_of(one)), "some intervals leave the picture"));
  one.observed.assign(12, NAN);
  EXPECT_TRUE(range_of(one, intervals_of(one), &Interval::low, &Interval::high).usable()) << "no data";
}

TEST(ObservedOutside, IsNamedFarthestFirst) {
  io::Prediction one = ramp(middles(9));
  EXPECT_EQ(observed_outside(one, intervals_of(one)), "");
  for (const std::size_t e : {1, 4, 7}) one.observed[e] += double(e);
  one.observed[5] = NAN;
  EXPECT_EQ(observed_outside(one, intervals_of(one)), "y[8], [5], [2]");
  for (std::size_t e = 0; e < 9; ++e) one.observed[e] -= 100;
  EXPECT_TRUE(contains(observed_outside(one, intervals_of(one)), " and 3 more"));
}

TEST(IntervalFigures, OfAnyLength) {
  for (const std::size_t count : {1, 20, 21, 41, 120}) {
    const io::Prediction one = ramp(middles(count));
    const std::string html = interval_figures(one, intervals_of(one));
    std::size_t dots = 0;
    for (std::size_t at = html.find("class=\"seen\""); at != std::string::npos;
         at = html.find("class=\"seen\"", at + 1))
      ++dots;
    EXPECT_EQ(dots, count > 20 ? 2 * count : count) << "of wide and of narrow windows";
    EXPECT_EQ(contains(html, "class=\"narrow\""), count > 20);
  }
  for (const std::size_t count : {121, 5000}) {
    const io::Prediction one = ramp(middles(count));
    const std::string html = interval_figures(one, intervals_of(one));
    EXPECT_TRUE(contains(html, ">elements, by predicted median</text>"));
    EXPECT_EQ(contains(html, "one in 13 elements is shown"), count == 5000);
    EXPECT_LT(html.size(), 100000u);
  }
  io::Prediction none = ramp(middles(200), NAN);
  none.observed.assign(200, NAN);
  EXPECT_EQ(interval_figures(none, intervals_of(none)), "");
}

}  // namespace
