#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manychain/run/evidence.hpp"

namespace manychain {
namespace {

/// With two digits of the error.
std::string with_error(double value, double error) {
  const int digits =
      std::isfinite(error) && error > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 0, 6) : 3;
  return fmt::format("{:.{}f} +- {:.{}f}", value, digits, error, digits);
}

}  // namespace

std::string Evidence::table() const {
  std::string text = fmt::format("log Z = {}\n", with_error(log_evidence(), error()));
  text += fmt::format("  {}  from a reference to the posterior: {} particles, {} temperatures, barrier {:.1f}\n",
                      with_error(forwards.log_z, forwards.error), particles, temperatures, barrier);
  text += fmt::format("  {}  back, from draws of {} chains; the two {}\n", with_error(backwards.log_z, backwards.error),
                      chains, agree ? "agree" : "DISAGREE");
  if (prior_counts)
    text += fmt::format(
        "  {}  is the logarithm of the integral of the prior, which is subtracted: bounds cut it off, or it lacks a "
        "constant\n",
        with_error(prior.log_z, prior.error));
  text += as_written ? "  The density is taken as it is written: constants count as far as it has them.\n"
                     : "  All constants of the distributions count.\n";
  for (const std::string& mode : modes_in_words) text += "  A mode apart from others: " + mode + "\n";
  for (const std::string& warning : warnings) text += "Warning: " + warning + "\n";
  return text;
}

std::string bayes_factor_in_words(const Evidence& a, const Evidence& b) {
  const double log_factor = a.log_evidence() - b.log_evidence(), error = std::hypot(a.error(), b.error());
  std::string text = fmt::format("log Bayes factor of {} to {} = {}", a.model, b.model, with_error(log_factor, error));
  if (std::fabs(log_factor) < 700) text += fmt::format(": a factor of {:.3g}", std::exp(log_factor));
  text += "\n";
  if (!a.warnings.empty() || !b.warnings.empty()) text += "Warning: see what is said of each model.\n";
  if (a.as_written || b.as_written) text += "It has a meaning if both densities have all constants.\n";
  return text;
}

}  // namespace manychain
