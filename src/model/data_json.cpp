#include "model/data_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace manychain {
namespace {

std::string number(double value, bool integer) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (integer && std::fabs(value) <= 0x1p53) return fmt::format("{:.0f}", value);
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// The elements from `at` on of the dimensions from `level` on.
void append(const Data::Variable& variable, std::size_t level, std::size_t& at, std::string& text) {
  if (level == variable.shape.size()) {
    text += number(variable.values[at++], variable.integer);
    return;
  }
  text += '[';
  for (std::size_t k = 0; k < variable.shape[level]; ++k) {
    if (k > 0) text += ", ";
    append(variable, level + 1, at, text);
  }
  text += ']';
}

}  // namespace

std::string json_of(const Data& data) {
  std::string text = "{";
  const auto name_it = [&](const std::string& name) {
    if (text.size() > 1) text += ", ";
    text += nlohmann::json(name).dump() + ": ";
  };
  for (const std::string& name : data.names()) {
    name_it(name);
    std::size_t at = 0;
    append(*data.find(name), 0, at, text);
  }
  if (const std::optional<std::size_t> rows = data.rows(); rows && !data.find("N")) {
    name_it("N");
    text += std::to_string(*rows);
  }
  return text + '}';
}

}  // namespace manychain
