#include "gallery/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace manychain::gallery {
namespace {

std::string axis(double low, double high, std::size_t width) {
  const std::string left = fmt::format("{:g}", low), right = fmt::format("{:g}", high);
  return left + std::string(width - std::min(width, left.size() + right.size()), ' ') + right;
}

}  // namespace

std::vector<std::string> histogram(const std::vector<double>& shares, const std::vector<double>& known, int height,
                                   double low, double high) {
  const double most =
      std::max(*std::max_element(shares.begin(), shares.end()), *std::max_element(known.begin(), known.end()));
  std::vector<std::string> lines;
  for (int line = height; line > 0; --line) {
    std::string text = "  |";
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const int curve = static_cast<int>(std::lround(known[i] / most * height));
      const bool bar = shares[i] / most * height >= line - 0.5;
      text += curve == line ? '.' : bar ? '#' : ' ';
    }
    lines.push_back(text.substr(0, text.find_last_not_of(' ') + 1));
  }
  lines.push_back("  +" + std::string(shares.size(), '-'));
  lines.push_back("   " + axis(low, high, shares.size()));
  return lines;
}

std::vector<std::string> staircase(const std::vector<std::array<double, 2>>& points, std::array<double, 2> low,
                                   std::array<double, 2> high, int width, int height) {
  std::vector<std::string> cells(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), ' '));
  const auto column = [&](double x) { return static_cast<int>(std::floor((x - low[0]) / (high[0] - low[0]) * width)); };
  const auto row = [&](double y) { return static_cast<int>(std::floor((high[1] - y) / (high[1] - low[1]) * height)); };
  const auto put = [&](int c, int r, char mark) {
    if (c < 0 || c >= width || r < 0 || r >= height) return;
    char& cell = cells[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    const bool crosses = (cell == '-' && mark == '|') || (cell == '|' && mark == '-');
    cell = crosses || cell == '+' ? '+' : mark;
  };
  for (std::size_t k = 1; k < points.size(); ++k) {
    const int from = column(points[k - 1][0]), to = column(points[k][0]);
    const int above = row(points[k - 1][1]), below = row(points[k][1]);
    for (int c = std::min(from, to); c <= std::max(from, to); ++c) put(c, above, '-');
    for (int r = std::min(above, below); r <= std::max(above, below); ++r) put(to, r, '|');
    put(to, above, '+');
  }
  const auto mark = [&](const std::array<double, 2>& point, char letter) {
    const int c = column(point[0]), r = row(point[1]);
    if (c >= 0 && c < width && r >= 0 && r < height)
      cells[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] = letter;
  };
  mark(points.front(), 'o');
  mark(points.back(), '*');
  std::vector<std::string> lines;
  for (const std::string& line : cells) lines.push_back("  |" + line.substr(0, line.find_last_not_of(' ') + 1));
  lines.push_back("  +" + std::string(static_cast<std::size_t>(width), '-'));
  lines.push_back("   " + axis(low[0], high[0], static_cast<std::size_t>(width)));
  return lines;
}

}  // namespace manychain::gallery
