#include "check/point_in_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "check/term_search.hpp"
#include "manychain/chain/program.hpp"
#include "text/unsigned_nan.hpp"

namespace manychain {

std::string point_in_words(const Layout& layout, const std::vector<double>& q) {
  std::string words;
  for (std::size_t i = 0; i < std::min<std::size_t>(q.size(), 8); ++i)
    words += (i ? ", " : "") + layout.unconstrained_names[i] + " = " + std::to_string(q[i]);
  return q.size() > 8 ? words + ", ..." : words;
}

std::string why_no_start(const Model& model, const std::vector<double>& q, std::size_t chain) {
  model.bound().take_rejections();  // those of other points
  const double log_density = model.bound().density(q.data(), nullptr);
  const std::string said = model.bound().take_rejections().message;
  const std::string value =
      std::isfinite(log_density) ? "finite but its gradient is not" : std::to_string(unsigned_nan(log_density));
  return "log density is " + value + " at the starting point of chain " + std::to_string(chain) +
         " (unconstrained: " + point_in_words(model.layout(), q) + ")" + (said.empty() ? "" : ", because " + said);
}

std::string where_to_look(const Model& model, const std::vector<double>& q) {
  const std::string closer = "manychain check looks closer";
  const NonfiniteTerm term = nonfinite_term(model, q.data());
  if (term.name.empty()) return closer;
  return fmt::format("the first term that is not finite there is {}, {}; {}", term.name, term.value, closer);
}

}  // namespace manychain
