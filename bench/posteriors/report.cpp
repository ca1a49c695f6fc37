#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "manychain/core/error.hpp"

namespace manychain::posteriors {
namespace {

using Json = nlohmann::ordered_json;

/// The median over the runs that ended; a NaN counts as the smallest.
template <class Member>
double median(const Line& line, Member member) {
  std::vector<double> values;
  for (const Outcome& outcome : line.outcomes)
    if (outcome.error.empty()) values.push_back(static_cast<double>(outcome.*member));
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end(), [](double a, double b) { return std::isnan(a) ? !std::isnan(b) : a < b; });
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

template <class Member>
double largest(const Line& line, Member member) {
  double largest = 0;
  for (const Outcome& outcome : line.outcomes) {
    const double value = static_cast<double>(outcome.*member);
    if (outcome.error.empty() && !(value <= largest)) largest = value;  // a NaN stays
  }
  return largest;
}

template <class Holds>
std::size_t count(const Line& line, Holds holds) {
  return static_cast<std::size_t>(std::count_if(line.outcomes.begin(), line.outcomes.end(), holds));
}

std::size_t converged(const Line& line) {
  return count(line, [](const Outcome& o) { return o.converged; });
}
std::size_t means(const Line& line) {
  return count(line, [](const Outcome& o) { return o.means_agree; });
}
std::size_t sds(const Line& line) {
  return count(line, [](const Outcome& o) { return o.sds_agree; });
}
/// Said to have converged, and wrong.
std::size_t wrong(const Line& line) {
  return count(line, [](const Outcome& o) { return o.converged && !(o.means_agree && o.sds_agree); });
}

std::map<std::string, std::size_t> errors(const Line& line) {
  std::map<std::string, std::size_t> times;
  for (const Outcome& outcome : line.outcomes)
    if (!outcome.error.empty()) ++times[outcome.error];
  return times;
}

std::string share(std::size_t n, const Line& line) { return fmt::format("{}/{}", n, line.outcomes.size()); }
std::string whole(double x) { return std::isnan(x) ? "-" : fmt::format("{:.0f}", x); }
std::string measured(double x) { return std::isnan(x) ? "-" : fmt::format("{:.2f}", x); }

}  // namespace

void print_heading() {
  fmt::print("{:40}{:>10}{:>7}{:>7}{:>7}{:>9}{:>9}{:>8}{:>9}{:>9}{:>10}{:>7}\n", "posterior", "converged", "means",
             "sds", "wrong", "seconds", "worst", "R-hat", "bulk", "tail", "leapfrogs", "div.");
  std::fflush(stdout);
}

void print_line(const Line& line) {
  fmt::print("{:40}{:>10}{:>7}{:>7}{:>7}{:>9}{:>9}{:>8}{:>9}{:>9}{:>10}{:>7}\n", line.name,
             share(converged(line), line), share(means(line), line), share(sds(line), line), wrong(line),
             measured(median(line, &Outcome::seconds)), measured(largest(line, &Outcome::seconds)),
             fmt::format("{:.4f}", median(line, &Outcome::worst_nested_rhat)),
             whole(median(line, &Outcome::min_ess_bulk)), whole(median(line, &Outcome::min_ess_tail)),
             whole(median(line, &Outcome::gradients)), whole(median(line, &Outcome::divergences)));
  std::fflush(stdout);
}

void print_end(const std::vector<Line>& lines) {
  std::size_t all = 0, good = 0, bad = 0;
  for (const Line& line : lines) {
    all += line.outcomes.size();
    good += converged(line);
    bad += wrong(line);
    for (const auto& [error, times] : errors(line)) fmt::print("\n{}, {} times: {}", line.name, times, error);
    for (const Outcome& o : line.outcomes) {
      if (!o.error.empty() || (o.means_agree && o.sds_agree)) continue;
      fmt::print(
          "\n{}, seed {}{}: furthest from the reference are the mean of {} ({:.1f} errors) and the sd of {} ({:.1f} %)",
          line.name, o.seed, o.converged ? ", CONVERGED" : "", o.worst_mean_of, o.worst_mean, o.worst_sd_of,
          100 * o.worst_sd);
    }
  }
  fmt::print("\n\n{} of {} runs converged: nested R-hat < 1.01, bulk and tail ESS > {:.0f} of every output.\n", good,
             all, asked_ess);
  fmt::print(
      "{} of these are wrong. Right: of every parameter of the reference |mean - reference| < {:.0f} sqrt(mcse^2 + "
      "mcse_ref^2),\nmcse_ref = sd_ref / 100, and the sd within {:.0f} % of sd_ref.\n",
      bad, allowed_mean, 100 * allowed_sd);
  fmt::print(
      "Seconds: a process from start to end, median and largest. R-hat: nested, the largest of a run, median.\n"
      "Bulk, tail: the smallest ESS of a run, median. Leapfrogs: of a chain, warm-up included.\n");
}

void write_json(const std::string& path, const std::string& options, const std::vector<Line>& lines) {
  Json all = Json::array();
  for (const Line& line : lines) {
    Json runs = Json::array();
    for (const Outcome& o : line.outcomes) {
      if (!o.error.empty()) {
        runs.push_back({{"seed", o.seed}, {"error", o.error}, {"seconds", o.seconds}});
        continue;
      }
      Json quantities = Json::object();
      for (const Compared& q : o.quantities)
        quantities[q.of] = {
            {"mean_z", q.mean_z}, {"mean_error", q.mean_error}, {"sd_z", q.sd_z}, {"sd_error", q.sd_error}};
      runs.push_back({{"seed", o.seed},
                      {"converged", o.converged},
                      {"problems", o.problems},
                      {"warnings", o.warnings},
                      {"means_agree", o.means_agree},
                      {"sds_agree", o.sds_agree},
                      {"seconds", o.seconds},
                      {"worst_nested_rhat", o.worst_nested_rhat},
                      {"min_ess_bulk", o.min_ess_bulk},
                      {"min_ess_tail", o.min_ess_tail},
                      {"gradients_per_chain", o.gradients},
                      {"gradients_per_second", o.gradients_per_second},
                      {"min_ess_bulk", o.min_ess_bulk},
                      {"divergences", o.divergences},
                      {"worst_mean", {{"of", o.worst_mean_of}, {"errors", o.worst_mean}}},
                      {"worst_sd", {{"of", o.worst_sd_of}, {"relative", o.worst_sd}}},
                      {"quantities", std::move(quantities)}});
    }
    const double n = static_cast<double>(line.outcomes.size());
    all.push_back(
        {{"name", line.name},
         {"converged", static_cast<double>(converged(line)) / n},
         {"means_agree", static_cast<double>(means(line)) / n},
         {"sds_agree", static_cast<double>(sds(line)) / n},
         {"converged_and_wrong", wrong(line)},
         {"seconds", {{"median", median(line, &Outcome::seconds)}, {"worst", largest(line, &Outcome::seconds)}}},
         {"min_ess_bulk", median(line, &Outcome::min_ess_bulk)},
         {"min_ess_tail", median(line, &Outcome::min_ess_tail)},
         {"gradients_per_chain", median(line, &Outcome::gradients)},
         {"divergences", median(line, &Outcome::divergences)},
         {"runs", runs}});
  }
  const Json document = {{"program", "manychain_posteriors"},
                         {"version", MANYCHAIN_VERSION},
                         {"settings", options},
                         {"asked", {{"nested_rhat", 1.01}, {"ess", asked_ess}}},
                         {"allowed", {{"mean_in_errors", allowed_mean}, {"sd_relative", allowed_sd}}},
                         {"posteriors", all}};
  std::ofstream out(path);
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  out.close();
  if (!out) throw SamplingFailed(path + " cannot be written");
}

}  // namespace manychain::posteriors
