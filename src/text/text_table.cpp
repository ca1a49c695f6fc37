#include "text/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace manychain {
namespace {

/// In characters, not in bytes: a name may be Łódź.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& cells) {
  std::vector<std::size_t> width;
  for (const auto& line : cells) {
    width.resize(std::max(width.size(), line.size()), 0);
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], width_of(line[i]));
  }
  std::string text;
  for (const auto& line : cells) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(width[i] - width_of(line[i]), ' ');
      text += i == 0 ? line[i] + padding : "  " + padding + line[i];
    }
    text += '\n';
  }
  return text;
}

std::string number_with_error(double value, double error) {
  if (std::isnan(value)) return "nan";
  if (!std::isfinite(error) || error <= 0) return fmt::format("{:.4g}", value);
  const int decimals = 1 - int(std::floor(std::log10(error)));
  if (decimals > 7 || std::abs(value) >= 1e9) {
    // Too small or too large to write out: as many digits as the error leaves.
    const int digits = value == 0 ? 1 : int(std::floor(std::log10(std::abs(value)))) + decimals;
    return fmt::format("{:.{}e}", value, std::clamp(digits, 1, 8));
  }
  return fmt::format("{:.{}f}", value, std::max(decimals, 0));
}

}  // namespace manychain
