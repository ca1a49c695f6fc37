#include "foreign/parameter_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace manychain {
namespace {

/// "slope" of "slope[2,3]"; a name of another form is its own.
std::string array_of(const std::string& name) {
  const std::size_t bracket = name.find('[');
  return bracket == 0 || bracket == std::string::npos || name.back() != ']' ? name : name.substr(0, bracket);
}

/// {2, 3} of "slope[2,3]"; nothing if these are no indices of an array of at most `most` elements.
std::vector<std::size_t> shape_to(const std::string& name, std::size_t most) {
  std::vector<std::size_t> shape;
  std::size_t size = 1;
  const char* at = name.data() + name.find('[');
  const char* const end = name.data() + name.size() - 1;
  while (at < end) {
    std::size_t extent = 0;
    const auto [rest, error] = std::from_chars(at + 1, end, extent);
    if (error != std::errc() || (rest != end && *rest != ',') || extent == 0 || extent > most / size) return {};
    size *= extent;
    shape.push_back(extent);
    at = rest;
  }
  return shape;
}

}  // namespace

std::vector<Quantity> quantities_of(const std::vector<std::string>& names) {
  struct Stretch {
    std::string array;
    std::size_t first, end;
  };
  std::vector<Stretch> stretches;
  std::unordered_map<std::string, int> times;  // that an array's elements begin
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string array = array_of(names[i]);
    if (!stretches.empty() && stretches.back().array == array && array != names[i] &&
        stretches.back().array != names[i - 1]) {
      stretches.back().end = i + 1;
      continue;
    }
    ++times[array];
    stretches.push_back({std::move(array), i, i + 1});
  }
  std::vector<Quantity> quantities;
  for (const auto& [array, first, end] : stretches) {
    if (array != names[first] && times[array] == 1) {
      Layout one;
      one.quantities.push_back({array, shape_to(names[end - 1], end - first), first, false});
      if (one.quantities[0].size() == end - first) {
        const std::vector<std::string> expected = one.output_names();
        if (std::equal(expected.begin(), expected.end(), names.begin() + static_cast<std::ptrdiff_t>(first))) {
          quantities.push_back(std::move(one.quantities[0]));
          continue;
        }
      }
    }
    for (std::size_t i = first; i < end; ++i) quantities.push_back({names[i], {}, i, false});
  }
  return quantities;
}

}  // namespace manychain
