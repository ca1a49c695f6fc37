#include "gallery/gallery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "manychain/montecarlo/estimate.hpp"

namespace manychain::gallery {
namespace {

/// Six digits, or as many as a small error leaves meaning.
std::string number(double x, double error = 0) {
  if (error > 0 && std::isfinite(x) && x != 0) {
    const double digits = std::floor(std::log10(std::fabs(x)) - std::log10(error)) + 2;  // -inf of an infinite error
    return fmt::format("{:.{}g}", x, static_cast<int>(std::clamp(digits, 3.0, 12.0)));
  }
  return fmt::format("{:.8g}", x);
}

Check scored(const std::string& what, double known, double got, double standard_error, double score) {
  Check check{what, number(known, standard_error), number(got, standard_error), standard_error, score, 0, false};
  check.passed = std::fabs(score) <= threshold;  // false for NaN
  return check;
}

/// The columns as wide as their widest cell; numbers flush right, columns of words and the first one flush left.
std::string to_text(const Table& table) {
  const std::size_t columns = table.columns.size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> words(columns, true);
  for (std::size_t c = 0; c < columns; ++c) {
    widths[c] = table.columns[c].size();
    for (const auto& row : table.rows) {
      widths[c] = std::max(widths[c], row[c].size());
      words[c] = words[c] && (row[c].empty() || std::isalpha(static_cast<unsigned char>(row[c][0])));
    }
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string padded = " ";
    for (std::size_t c = 0; c < columns; ++c) {
      padded += c == 0 || words[c] ? fmt::format(" {:<{}} ", cells[c], widths[c])
                                   : fmt::format(" {:>{}} ", cells[c], widths[c]);
    }
    text += padded.substr(0, padded.find_last_not_of(' ') + 1) + "\n";
  };
  line(table.columns);
  for (const auto& row : table.rows) line(row);
  return text;
}

}  // namespace

Check exact(const std::string& what, double known, double got, double tolerance) {
  Check check{what, number(known), number(got), 0, 0, tolerance, false};
  check.passed = std::fabs(got - known) <= tolerance;
  return check;
}

Check monte_carlo(const std::string& what, double known, double got, double standard_error, double freedom) {
  const double t = (got - known) / standard_error;
  // An error of zero is none that could be known, and an infinite one would let everything pass.
  if (!(standard_error > 0 && std::isfinite(standard_error)))
    return scored(what, known, got, standard_error, std::nan(""));
  const double z = std::isinf(freedom)
                       ? t
                       : std::copysign(std::sqrt(freedom * std::log1p(t * t / freedom)) * (1 - 0.75 / freedom), t);
  return scored(what, known, got, standard_error, z);
}

Check within_tails(const std::string& what, double known, double got, double standard_deviation, double below,
                   double above) {
  const double tail = std::fmin(std::fmin(below, above), 0.5);
  const bool possible = tail > 0 && !std::isnan(below) && !std::isnan(above);
  const double z = possible ? montecarlo::normal_quantile(tail) : std::nan("");
  return scored(what, known, got, standard_deviation, below < above ? z : -z);
}

Check variance_ratio(const std::string& what, double got, double n) {
  const double spread = 2 / (9 * n);
  return scored(what, 1, got, std::sqrt(2 / n), (std::cbrt(got) - (1 - spread)) / std::sqrt(spread));
}

Check same(const std::string& what, const std::string& known, const std::string& got) {
  return {what, known, got, 0, 0, 0, known == got};
}

Check less(const std::string& what, double smaller, double larger) {
  return {what, "less",          fmt::format("{:.4g} {} {:.4g}", smaller, smaller < larger ? "<" : ">=", larger), 0, 0,
          0,    smaller < larger};
}

bool Report::passed() const {
  return !checks.empty() && std::all_of(checks.begin(), checks.end(), [](const Check& c) { return c.passed; });
}

std::string to_text(const Report& report) {
  std::string text;
  for (const std::string& line : report.lines) text += line + "\n";
  for (const Table& table : report.tables) text += "\n" + to_text(table);
  for (const Table& table : report.timings) text += "\n" + to_text(table);
  Table checks{{"", "known", "got", "error", "off by", "verdict"}, {}};
  std::size_t wrong = 0;
  for (const Check& check : report.checks) {
    const bool estimate = check.standard_error > 0 || std::isnan(check.score);
    checks.rows.push_back({check.what, check.known, check.got,
                           estimate              ? fmt::format("{:.2g}", check.standard_error)
                           : check.tolerance > 0 ? fmt::format("<= {:.2g}", check.tolerance)
                                                 : "",
                           estimate ? fmt::format("{:.1f} se", std::fabs(check.score)) : "",
                           check.passed ? "agrees" : "DIFFERS"});
    wrong += !check.passed;
  }
  text += "\n" + to_text(checks) + "\n";
  if (report.checks.empty()) return text + "Wrong: nothing was checked.\n";
  if (wrong > 0) return text + fmt::format("Wrong: {} of {} answers differ.\n", wrong, report.checks.size());
  return text + fmt::format("Right: {} of {} answers agree.\n", report.checks.size(), report.checks.size());
}

Settings settings_for(const GalleryOptions& options) {
  Settings settings;
  settings.backend = options.backend;
  settings.threads = options.threads;
  settings.seed = options.seed;
  settings.precision = options.precision;
  return settings;
}

}  // namespace manychain::gallery
