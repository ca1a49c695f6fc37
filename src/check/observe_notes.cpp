#include "check/observe_notes.hpp"

#include <fmt/format.h>

#include "text/suggest.hpp"

namespace manychain {

std::vector<std::string> observe_notes(const Layout& layout, const Data* data) {
  std::vector<std::string> notes;
  if (!data || data->names().empty()) return notes;
  for (const Observed& observed : layout.observed) {
    const Data::Variable* variable = data->find(observed.name);
    if (!variable) {
      notes.push_back(fmt::format("observe(\"{}\") has a name that no variable of the data has{}", observed.name,
                                  observed.name.empty() ? "" : did_you_mean(observed.name, data->names())));
      continue;
    }
    const std::size_t rows = variable->shape.empty() ? 1 : variable->shape.front();
    if (observed.rows != rows && observed.rows != variable->values.size())
      notes.push_back(fmt::format("observe(\"{}\") has {} terms, and {} of the data {}", observed.name, observed.rows,
                                  observed.name,
                                  variable->shape.size() > 1 ? fmt::format("{} rows", rows)
                                                             : fmt::format("{} values", variable->values.size())));
  }
  return notes;
}

}  // namespace manychain
