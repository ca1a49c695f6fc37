#include "text/table_rows.hpp"

#include <algorithm>
#include <numeric>

namespace manychain {
namespace {

bool is_element(const std::string& name) { return !name.empty() && name.back() == ']'; }

}  // namespace

std::vector<std::size_t> rows_to_show(const std::vector<std::string>& names, std::size_t most,
                                      const std::function<bool(std::size_t, std::size_t)>& worse) {
  std::vector<std::size_t> shown(names.size());
  std::iota(shown.begin(), shown.end(), std::size_t(0));
  if (most == 0 || shown.size() <= most) return shown;
  const auto elements =
      std::stable_partition(shown.begin(), shown.end(), [&](std::size_t i) { return !is_element(names[i]); });
  const std::size_t all = static_cast<std::size_t>(elements - shown.begin());
  // Room that there are no elements for is the scalars'.
  const std::size_t scalars = std::min(all, std::max((most + 1) / 2, most - std::min(most, shown.size() - all)));
  std::stable_sort(shown.begin(), elements, worse);
  std::stable_sort(elements, shown.end(), worse);
  shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(scalars), elements);
  shown.resize(most);
  std::sort(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(scalars));
  return shown;
}

std::vector<std::size_t> rows_called(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name || (names[i].rfind(name + '[', 0) == 0 && is_element(names[i]))) rows.push_back(i);
  return rows;
}

}  // namespace manychain
