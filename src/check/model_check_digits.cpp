#include "check/model_check_digits.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "check/term_search.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;

constexpr std::size_t most_points = 3, most_parameters = 32;
const double smaller = std::log(1e-10);  // of the multiplier
/// The change of a derivative x whose digits are lost, relative to 1 + |x|: some 1e-6 is expected, and 1e-16 where none
/// are.
constexpr double lost = 1e-11;

/// Moves q to where the log multiplier of scaled parameter k is less by `smaller`, along its gradient; each step is
/// halved until it comes nearer. False: the multiplier does not become as small.
bool shrink_to_rows(ModelTerms& terms, std::size_t k, Numbers& q) {
  constexpr int most_steps = 40, most_halvings = 12;
  const auto log_multiplier = [&](const Numbers& at) { return terms.scaled(at.data())[k].log_multiplier; };
  double here = log_multiplier(q);
  const double wanted = here + smaller;
  Numbers slope(q.size()), moved(q.size());
  for (int step = 0; step < most_steps && here > wanted + 1; ++step) {
    terms.multiplier_slope(q.data(), k, slope.data());
    double square = 0;
    for (const double s : slope) square += s * s;
    if (!(square > 0 && std::isfinite(square))) return false;
    double length = (wanted - here) / square, there = HUGE_VAL;
    for (int halving = 0; halving < most_halvings; ++halving, length /= 2) {
      for (std::size_t i = 0; i < q.size(); ++i) moved[i] = q[i] + length * slope[i];
      there = log_multiplier(moved);
      if (std::fabs(there - wanted) < std::fabs(here - wanted)) break;
    }
    if (!(std::fabs(there - wanted) < std::fabs(here - wanted))) return false;
    q = moved;
    here = there;
  }
  return here <= wanted + 1;
}

enum class Seen { nothing, exact, loses };

/// One scaled parameter at one point.
class Digits {
 public:
  Digits(ModelTerms& terms, std::size_t k, Numbers q) : terms_(terms), k_(k), q_(std::move(q)) {}

  Seen find_loss() {
    if (!shrink_to_rows(terms_, k_, q_)) return Seen::nothing;
    count_ = terms_.values(q_.data()).size();
    Numbers change = changes(0, count_);
    if (!std::all_of(change.begin(), change.end(), [](double x) { return std::isfinite(x); })) return Seen::nothing;
    component_ = static_cast<std::size_t>(std::max_element(change.begin(), change.end()) - change.begin());
    return !change.empty() && change[component_] > lost ? Seen::loses : Seen::exact;
  }
  /// The statement that loses most, after find_loss().
  std::string statement() {
    terms_.values(q_.data());  // names are of this evaluation
    return statement_of(terms_.name(
        worst_of_terms(count_, [&](std::size_t first, std::size_t last) { return changes(first, last)[component_]; })));
  }

 private:
  /// Changes of derivatives of terms first to last - 1, relative to these.
  Numbers changes(std::size_t first, std::size_t last) {
    Numbers exact(q_.size()), rounded(q_.size());
    terms_.gradient(q_.data(), first, last, exact.data());
    terms_.round_scaled(k_);
    terms_.gradient(q_.data(), first, last, rounded.data());
    terms_.round_scaled(ModelTerms::none);
    for (std::size_t i = 0; i < exact.size(); ++i)
      rounded[i] = std::fabs(rounded[i] - exact[i]) / (1 + std::fabs(exact[i]));
    return rounded;
  }

  ModelTerms& terms_;
  std::size_t k_;
  Numbers q_;
  std::size_t count_ = 0, component_ = 0;
};

}  // namespace

std::vector<std::string> notes_on_lost_digits(ModelTerms& terms, const std::vector<CheckPoint>& points) {
  std::vector<std::string> notes;
  if (points.empty()) return notes;
  const std::vector<ScaledParameter> scaled = terms.scaled(points[0].q.data());
  for (std::size_t k = 0; k < std::min(scaled.size(), most_parameters); ++k) {
    std::string statement;
    for (std::size_t p = 0; p < std::min(points.size(), most_points); ++p) {
      Digits digits(terms, k, points[p].q);
      const Seen seen = digits.find_loss();
      if (seen == Seen::loses && statement.empty()) statement = digits.statement();
      if (seen != Seen::exact) continue;
      statement.clear();
      break;
    }
    if (statement.empty()) continue;
    notes.push_back(fmt::format(
        "{1} computes ({0} - offset) / multiplier, which loses its digits where the multiplier of {0} is small: write "
        "a "
        "density that is evaluated from what is sampled, such as normal({0}, mu, tau), and give it and "
        "offset_multiplier() the same names, auto tau = let(exp(log_tau)); or sample z and write mu + tau * z",
        scaled[k].name, statement));
  }
  return notes;
}

}  // namespace manychain
