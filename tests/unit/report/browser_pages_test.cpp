// Pages that ask much of a layout, written to a folder for tests/cli/report_page.py: long names, 256 chains, vectors of
// predictions of all lengths.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "report/report.hpp"
#include "unit/report/made_draws.hpp"

namespace {

using namespace manychain;
using namespace manychain::report;

constexpr std::size_t chains = 256, draws = 60, superchains = 16;

class Normal {
 public:
  double operator()() { return normal_(engine_); }

 private:
  std::mt19937 engine_{20};
  std::normal_distribution<double> normal_;
};

std::vector<double> observed(std::size_t count, Normal& normal, bool whole) {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = 10 + 5 * std::sin(0.3 * double(i)) + 2 * normal();
    all.push_back(whole ? std::round(x) : x);
  }
  return all;
}

DrawsFile run_of_many_chains(Normal& normal, const io::Prediction& predicted) {
  std::vector<std::string> names = {"mu", "a.name.with.dots.as.other.programs.write.them", "far", "count", "constant"};
  for (const std::string& name : elements_of("log_odds_of_treatment_by_hospital_and_year", 3)) names.push_back(name);
  names.push_back("covariance_of_random_effects[12,3]");
  const std::size_t first = names.size();
  names.insert(names.end(), predicted.elements.begin(), predicted.elements.end());
  DrawsFile file = file_of(names, chains, draws, [&](std::size_t q, std::size_t c, std::size_t d) -> double {
    if (q >= first) return predicted.values[((q - first) * chains + c) * draws + d];
    if (q == 1 && c % superchains == 5) return normal() + 3;  // a superchain elsewhere
    if (q == 2) return 1e6 + 1e-3 * std::exp(3 * normal());
    if (q == 3) return std::round(2 + normal());
    return q == 4 ? 3 : normal();
  });
  file.stat_names = {"energy", "diverging", "step_size", "n_steps", "acceptance_rate"};
  file.stats = file_of(file.stat_names, chains, draws, [&](std::size_t s, std::size_t c, std::size_t d) -> double {
                 return s == 0 ? -1e4 + 3 * normal() : s == 1 ? double(c == 7 && d < 3) : s == 2 ? 0.28 : 0.9;
               }).values;
  diagnostics::RunFacts& run = file.run.emplace();
  run.sampler = "hmc";
  run.momenta = true;
  run.step_size = 0.28;
  run.superchains = superchains;
  run.draws = draws;
  run.warmup = 100;
  run.divergences = 3;
  run.divergent_chains = {7};
  run.constants = {"constant"};
  file.about = {{"model", "hospitals_with_many_covariates_and_a_long_name"},
                {"sampler", "hmc"},
                {"created_at", "2026-11-22T22:40:11+00:00"},
                {"device", "A processor of a name that takes more than one line of a narrow window"},
                {"backend", "cpu"},
                {"settings", "--chains 256 --warmup 100 --draws 60 --target-acceptance 0.8 --superchains 16 --seed 7"},
                {"manychain_run", R"({"sampler":"hmc","warmup":100,"draws":60,"superchains":16,"divergences":3})"},
                {"word", std::string(200, 'x')}};
  return file;
}

void write(const std::string& name, const std::string& html) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << html;
  EXPECT_TRUE(is_report(path));
  EXPECT_LT(html.size(), 2000000u);
}

TEST(BrowserPages, OfManyChainsAndPredictions) {
  Normal normal;
  io::Predictions predictions;
  const auto add = [&](const std::string& name, std::size_t count, bool whole, double spread) {
    const std::vector<double> data = observed(count, normal, whole);
    const auto predict = [&](std::size_t e, std::size_t, std::size_t) {
      const double x = 10 + 5 * std::sin(0.3 * double(e)) + spread * normal();
      return whole ? std::round(x) : x;
    };
    predictions.all.push_back(prediction_of(name, data, chains, draws, predict));
  };
  add("cases_by_month", 36, true, 2);
  predictions.all[0].observed[4] = NAN;  // a missing value
  add("a_single_number", 1, false, 2);
  add("two", 2, false, 2);
  add("weights_of_newborns_in_hospitals", 100, false, 1);
  add("series", 700, false, 2);
  // One element may be anything.
  predictions.all.push_back(prediction_of(
      "wild", observed(12, normal, false), chains, draws,
      [&](std::size_t e, std::size_t, std::size_t) { return e == 3 ? 1e4 * normal() : 10 + 2 * normal(); }));
  predictions.log_likelihoods = {"cases_by_month"};
  Diagnosis diagnosis = diagnose(run_of_many_chains(normal, predictions.all[0]), 1);
  TableOptions options;
  options.rows = 0;
  write("many.html", page(diagnosis, predictions, options, 1));
}

TEST(BrowserPages, OfFewChains) {
  Normal normal;
  DrawsFile file = file_of({"x", "y"}, 4, 500,
                           [&](std::size_t, std::size_t c, std::size_t) { return normal() + (c == 2 ? 0.5 : 0); });
  file.chain_names = {"bern1.csv", "bern2.csv", "a_file_of_a_rather_long_name_in_the_folder_of_a_user.csv", "4.csv"};
  write("few.html", page(diagnose(std::move(file), 1), {}, {}, 1));
}

}  // namespace
