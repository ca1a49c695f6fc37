// The findings of calibrate(), for a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "calibration/calibration.hpp"
#include "text/table_rows.hpp"
#include "text/text_table.hpp"

namespace manychain {
namespace {

/// "4, 17 and 3 more"
std::string some_of(const std::vector<std::size_t>& numbers) {
  constexpr std::size_t most = 5;
  if (numbers.size() <= most) return fmt::format("{}", fmt::join(numbers, ", "));
  return fmt::format("{} and {} more", fmt::join(numbers.begin(), numbers.begin() + most, ", "), numbers.size() - most);
}

/// "a factor of 0.65 or 1.6", as far as there is one.
std::string factors(const diagnostics::RankPower& power) {
  if (std::isinf(power.wide)) return fmt::format("a factor below {:.2g}", power.narrow);
  return fmt::format("a factor below {:.2g} or above {:.2g}", power.narrow, power.wide);
}

}  // namespace

std::string CalibratedQuantity::in_words() const {
  if (!wrong) return "right";
  std::vector<std::string> words;
  // P-values up to this one are as rare as the rarest of the three, or nearly so.
  const double rare = std::max(1e-3, 10 * std::min({test.p_shift, test.p_width, test.p_shape}));
  if (test.p_width <= rare)
    words.push_back(fmt::format("too {} (sd x {:.2g})", test.sd_factor < 1 ? "narrow" : "wide", test.sd_factor));
  if (test.p_shift <= rare)
    words.push_back(fmt::format("too {} (by {:.2g} sd)", test.shift > 0 ? "low" : "high", std::fabs(test.shift)));
  if (words.empty()) words.push_back("of another shape");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string Calibration::table(std::size_t most) const {
  const auto count = static_cast<std::size_t>(
      std::count_if(quantities.begin(), quantities.end(), [](const CalibratedQuantity& of) { return of.wrong; }));
  std::string text;
  if (wrong)
    text +=
        fmt::format("WRONG: the posterior of {} of {} quantities is not that of the data that the model predicts.\n",
                    count, quantities.size());
  else if (passed)
    text += fmt::format("Passed: the ranks of {} quantities are uniform in {} simulations.\n", quantities.size(), used);
  else if (cancelled)
    text += fmt::format("Cancelled: in {} of {} simulations nothing wrong was seen.\n", used, simulations);
  else
    text += "Cannot tell: too many posteriors were not sampled or have not converged.\n";
  if (!failed.empty())
    text += fmt::format("{} of {} posteriors could not be sampled ({}): {}\n", failed.size(), simulations,
                        some_of(failed), failure);
  if (!not_converged.empty())
    text += fmt::format("{} of {} posteriors have not converged ({}); their ranks are counted. The first: {}\n",
                        not_converged.size(), used, some_of(not_converged), problem);
  if (divergent > 0) text += fmt::format("warning: {} of {} posteriors had divergences.\n", divergent, used);
  if (prior_divergences > 0)
    text += fmt::format(
        "warning: the prior was sampled with {} divergences; ranks may be off for that: see whether "
        "offset_multiplier() "
        "or another parametrisation ends them.\n",
        prior_divergences);
  if (refused > 0)
    text += fmt::format("note: the model refuses {} of its {} simulated data sets, which are left out: {}\n", refused,
                        simulations, refusal);
  if (used < 16) return text;

  std::vector<std::string> names;
  for (const CalibratedQuantity& of : quantities) names.push_back(of.name);
  const ShownRows shown = rows_to_show(
      names, most, [&](std::size_t a, std::size_t b) { return quantities[a].test.p < quantities[b].test.p; });
  std::vector<std::vector<std::string>> cells = {
      {"", fmt::format("mean rank ({:.1f})", static_cast<double>(chains - 1) / 2), "p", "the posterior is"}};
  for (const std::size_t q : shown.rows) {
    const CalibratedQuantity& of = quantities[q];
    cells.push_back(
        {of.name, fmt::format("{:.1f}", of.test.mean_rank), fmt::format("{:.2g}", of.test.p), of.in_words()});
  }
  text += '\n' + with_hidden(text_table(cells), shown, "deviation");
  if (shown.left_out() > 0) text += fmt::format("{} of {} rows are shown.\n", shown.rows.size(), quantities.size());
  text += fmt::format("\nA model that is right fails one time in {:.0f}.", 1 / calibration_level);
  if (used < 50 || chains < 128) return text + " So few simulations or chains find gross errors alone.\n";
  text += fmt::format(
      " An sd that is wrong by {}, or a mean by {:.2g} sd,\n"
      "is found with probability 0.95; more simulations find smaller errors.\n",
      factors(power), power.shift);
  return text;
}

}  // namespace manychain
