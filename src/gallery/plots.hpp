// Pictures in letters, for a terminal.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace manychain::gallery {

/// Bars of `shares`, a column each, `height` lines, and a dot where `known` is. The axis below goes from `low` to
/// `high`.
std::vector<std::string> histogram(const std::vector<double>& shares, const std::vector<double>& known, int height,
                                   double low, double high);

/// The path through the points {x, y}, parallel to one axis after another: first to the new x, then to the new y. 'o'
/// is where it begins, '*' where it ends; what lies outside the window is left out.
std::vector<std::string> staircase(const std::vector<std::array<double, 2>>& points, std::array<double, 2> low,
                                   std::array<double, 2> high, int width, int height);

}  // namespace manychain::gallery
