#include "check/hierarchy_in_words.hpp"

#include <algorithm>

namespace manychain {
namespace {

using Names = std::vector<std::string>;

void add(Names& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}
std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::vector<std::string> hierarchy_in_words(const Layout& layout) {
  const auto parameter = [&](std::size_t component) {
    const std::string& name = layout.unconstrained_names[component];
    return name.substr(0, name.find('['));
  };
  struct Row {
    std::string leaf;
    Names hypers;
  };
  std::vector<Row> rows;  // a parameter each
  for (const DependentScale& dependent : layout.dependent_scales) {
    const std::string leaf = parameter(dependent.component);
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.leaf == leaf; });
    if (row == rows.end()) row = rows.insert(row, {leaf, {}});
    for (const std::size_t k : dependent.hypers) add(row->hypers, parameter(k));
  }
  std::vector<std::string> sentences;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Names leaves;
    for (const Row& row : rows)
      if (row.hypers == rows[r].hypers) add(leaves, row.leaf);
    if (leaves.front() != rows[r].leaf) continue;
    sentences.push_back("the scale of " + joined(leaves) + " depends on " + joined(rows[r].hypers));
  }
  return sentences;
}

}  // namespace manychain
