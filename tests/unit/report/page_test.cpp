// The page: escaping, axes, and what stands on it of draws that are no good.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <regex>

#include "manychain/core/error.hpp"
#include "report/report.hpp"
#include "report/sections.hpp"
#include "report/svg.hpp"
#include "unit/report/made_draws.hpp"

namespace {

using namespace manychain;
using namespace manychain::report;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Escaped, LeavesNoMarkup) {
  EXPECT_EQ(escaped("<b>&\"x'"), "&lt;b&gt;&amp;&quot;x&#39;");
  EXPECT_EQ(escaped("\xce\xb8[1]"), "\xce\xb8[1]") << "UTF-8 stays";
  EXPECT_EQ(escaped("a\xff\xce"
                    "b\xc0\x80\x1b"),
            "a??b???")
      << "what is none does not";
}

TEST(Breakable, EndsLinesWithinNamesAtTheirJointsAlone) {
  EXPECT_EQ(breakable("log_odds[12,3]"), "log_<wbr>odds<wbr>[12,<wbr>3]");
  EXPECT_EQ(breakable("a.b_c<"), "a.<wbr>b_<wbr>c&lt;");
  EXPECT_EQ(breakable("bern1.csv"), "bern1.<wbr>csv");
  EXPECT_EQ(breakable("1.01 of 2.35.0, 0.9."), "1.01 of 2.35.0, 0.9.") << "numbers stay";
  EXPECT_EQ(breakable("\xce\xb8_1"), "\xce\xb8_<wbr>1");
  EXPECT_EQ(breakable("raise --target-acceptance (now 0.8)"),
            "raise <span class=\"option\">--target-acceptance</span> (now 0.8)");
}

TEST(Ticks, AreRoundAndWithinTheScale) {
  const auto labels = [](const Ticks& ticks) {
    std::string all;
    for (const auto& [at, label] : ticks.marks) all += label + " ";
    return all + ticks.offset;
  };
  EXPECT_EQ(labels(ticks({-0.1, 1.05}, 5)), "0 0.5 1.0 ");
  EXPECT_EQ(labels(ticks({0, 100}, 5)), "0 20 40 60 80 100 ");
  EXPECT_EQ(labels(ticks({-0.5, 1.5}, 5, true)), "0 1 ");
  EXPECT_EQ(labels(ticks({1e6 - 0.003, 1e6 + 0.003}, 5)), "-0.002 0 0.002 + 1.000000000e+06");
  EXPECT_TRUE(ticks({1, 1}, 5).marks.empty());
  EXPECT_TRUE(ticks({0, INFINITY}, 5).marks.empty());
}

TEST(Page, NeedsNothingButItself) {
  const std::string html = page(diagnosis_of({"a", "x[1]", "x[2]"}, 4, 100, wave), {}, {}, 1);
  EXPECT_FALSE(contains(html, "<script"));
  EXPECT_FALSE(contains(html, "<link"));
  EXPECT_FALSE(contains(html, "http"));
  EXPECT_FALSE(contains(html, "url("));
  EXPECT_FALSE(contains(html, "some/folder")) << "a page that is mailed names no folder";
  EXPECT_TRUE(contains(html, "draws.csv"));
}

TEST(Page, SaysWhatTheVerdictSays) {
  const Diagnosis diagnosis = diagnosis_of(
      {"a"}, 4, 100, [](std::size_t, std::size_t c, std::size_t d) { return wave(0, c, d) + (c == 0 ? 5 : 0); });
  ASSERT_FALSE(diagnosis.verdict.converged);
  const std::string html = page(diagnosis, {}, {}, 1);
  EXPECT_TRUE(contains(html, "class=\"failed\""));
  EXPECT_TRUE(contains(html, ">NOT converged:<"));
  EXPECT_TRUE(contains(html, "R-hat: not below 1.01 for 1 of 1 quantities (a)"));
  EXPECT_TRUE(contains(html, "<td class=\"bad\" title=\"R-hat is not below 1.01\">"));
}

// Antithetic chains of superchains: their bulk ESS is at its upper limit, and that of the mean is judged and shown.
TEST(Page, MarksTheEssThatIsShown) {
  constexpr std::size_t chains = 128, draws = 80, all = chains * draws;
  const auto page_with_ess_of_mean = [&](double ess) {
    Diagnosis diagnosis = diagnosis_of({"a"}, chains, draws, wave);
    diagnostics::RunFacts& run = diagnosis.file.run.emplace();
    run.superchains = 16;
    run.draws = draws;
    diagnostics::QuantitySummary& s = diagnosis.summary[0];
    s.rhat_nested = 1;
    s.ess_bulk = all * std::log10(all);
    s.ess_tail = NAN;
    s.khat = 0.1;
    s.mcse_mean = s.sd / std::sqrt(ess);
    return page(diagnosis, {}, {}, 1);
  };
  const std::string few = page_with_ess_of_mean(100);
  EXPECT_TRUE(contains(few, "<td class=\"bad\" title=\"bulk ESS is not above 400\">100</td>"));
  EXPECT_FALSE(contains(few, "title=\"tail ESS")) << "the verdict only notes one that is not defined";
  const std::string enough = page_with_ess_of_mean(1000);
  EXPECT_TRUE(contains(enough, "<td>1000</td>"));
  EXPECT_FALSE(contains(enough, "class=\"bad\""));
}

TEST(Page, EscapesNamesEverywhere) {
  const std::string html = page(diagnosis_of({"<script>\"'&"}, 4, 100, wave), {}, {}, 1);
  EXPECT_FALSE(contains(html, "<script"));
  EXPECT_TRUE(contains(html, "<h3>&lt;script&gt;&quot;&#39;&amp;</h3>"));
}

TEST(Page, HasNoNumberThatIsNoneInAPicture) {
  const Diagnosis diagnosis = diagnosis_of(
      {"lost", "none", "constant", "far", "two"}, 4, 60, [](std::size_t q, std::size_t c, std::size_t d) -> double {
        if (q == 0) return c == 1 && d < 3 ? NAN : c == 2 && d == 5 ? INFINITY : wave(q, c, d);
        if (q == 1) return NAN;
        if (q == 2) return 3;
        if (q == 3) return d % 2 ? 1.7e308 : -1.7e308;
        return double(d % 2);
      });
  const std::string html = page(diagnosis, {}, {}, 1);
  EXPECT_TRUE(contains(html, "4 of 240 draws are not finite (3 NaN, 1 infinite), in 2 of 4 chains (1, 2)."));
  EXPECT_TRUE(contains(html, "No draw is finite: 240 are NaN, 0 infinite."));
  EXPECT_TRUE(contains(html, "Constant: all draws are 3."));
  EXPECT_TRUE(contains(html, "too far apart for a picture"));
  const std::regex coordinates(R"re( (d|x|y|cx|cy)="[^"]*(nan|inf)[^"]*")re");
  EXPECT_FALSE(std::regex_search(html, coordinates));
}

TEST(Page, ShowsWhatItIsAskedFor) {
  std::vector<std::string> names = {"a"};
  for (int i = 1; i <= 60; ++i) names.push_back("x[" + std::to_string(i) + "]");
  const Diagnosis diagnosis = diagnosis_of(names, 4, 30, wave);
  TableOptions options;
  options.rows = 5;
  const std::string some = page(diagnosis, {}, options, 1);
  EXPECT_TRUE(contains(some, "<h3>a</h3>")) << "scalars first";
  EXPECT_TRUE(contains(some, "... 56 more of x, none with a larger R-hat"));
  EXPECT_TRUE(contains(some, "5 of 61 quantities are shown"));
  options.show = {"x[3]", "x[3]"};
  const std::string one = page(diagnosis, {}, options, 1);
  EXPECT_FALSE(contains(one, "<h3>a</h3>"));
  EXPECT_EQ(one.find("<h3>x<wbr>[3]</h3>"), one.rfind("<h3>x<wbr>[3]</h3>")) << "pictures once";
  options.show = {"z"};
  EXPECT_THROW(page(diagnosis, {}, options, 1), BadInput);
}

TEST(Page, IsSmallAndTheSameForAnyNumberOfThreads) {
  std::vector<std::string> names;
  for (int i = 1; i <= 50; ++i) names.push_back("quantity_" + std::to_string(i));
  Diagnosis diagnosis = diagnosis_of(names, 128, 80, wave);
  diagnosis.file.run.emplace().superchains = 16;
  TableOptions options;
  options.rows = 50;
  const std::string one = page(diagnosis, {}, options, 1);
  EXPECT_LT(one.size(), 2000000u);
  EXPECT_EQ(one, page(diagnosis, {}, options, 2));
}

TEST(Page, ComparesPredictionsWithWhatWasObserved) {
  const Diagnosis diagnosis = diagnosis_of({"y_rep[1]", "y_rep[2]"}, 4, 100, wave);
  io::Predictions predictions;
  predictions.all.push_back(prediction_of("y", {0.1, 7}, 4, 100, wave));
  const std::string html = page(diagnosis, predictions, {}, 1);
  EXPECT_TRUE(contains(html, "1 of 2 observed values lie between the 5 and the 95 % quantile of their predictions."));
  EXPECT_TRUE(contains(html, "class=\"seen outside\""));
}

TEST(Page, NamesTheGroupOfChainsWhoseRanksAreFarthestOff) {
  const std::string html =
      page(diagnosis_of({"a"}, 4, 200,
                        [](std::size_t q, std::size_t c, std::size_t d) { return wave(q, c, d) + (c == 2 ? 1 : 0); }),
           {}, {}, 1);
  EXPECT_TRUE(contains(html, "<figcaption>Ranks; bold: chain 2</figcaption>"));
  EXPECT_TRUE(contains(html, ">rank among all draws, %</text>"));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Page, HasOnePictureOfAVectorOfPredictions) {
  const io::Prediction long_one = prediction_of("y", std::vector<double>(36, 0.1), 4, 50, wave);
  const io::Prediction short_one = prediction_of("z", {0.1, 0.2}, 4, 50, wave);
  std::vector<std::string> names = {"a"};
  names.insert(names.end(), long_one.elements.begin(), long_one.elements.end());
  names.insert(names.end(), short_one.elements.begin(), short_one.elements.end());
  const Diagnosis diagnosis = diagnosis_of(names, 4, 50, wave);
  io::Predictions predictions;
  predictions.all = {long_one, short_one};
  const std::string html = page(diagnosis, predictions, {}, 1);
  EXPECT_EQ(count_of(html, "class=\"quantity\""), 3u) << "a and the elements of z_rep";
  EXPECT_EQ(count_of(html, "<a href=\"#p0\">y_<wbr>rep<wbr>["), 36u) << "rows of the table lead to it";
  EXPECT_TRUE(contains(html, "<h3 id=\"p0\">y_<wbr>rep and the observed y</h3>"));
  EXPECT_EQ(count_of(html, "class=\"broad\""), 1u);
  EXPECT_EQ(count_of(html, "class=\"narrow\""), 1u);
  TableOptions options;
  options.show = {"y_rep[7]"};
  EXPECT_TRUE(contains(page(diagnosis, predictions, options, 1), "<h3>y_<wbr>rep<wbr>[7]</h3>"))
      << "what is asked for has its own";
}

TEST(IsReport, KnowsAPageAgain) {
  const std::string path = testing::TempDir() + "manychain_is_report.html";
  std::ofstream(path) << page(diagnosis_of({"a"}, 4, 20, wave), {}, {}, 1);
  EXPECT_TRUE(is_report(path));
  std::ofstream(path) << "<!DOCTYPE html>\n<html lang=\"en\">\n<p>My thesis.</p>";
  EXPECT_FALSE(is_report(path));
  std::remove(path.c_str());
  EXPECT_FALSE(is_report(path));
}

}  // namespace
