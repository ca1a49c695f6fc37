#include "run/point_in_words.hpp"

#include <algorithm>
#include <cmath>

#include "manychain/chain/program.hpp"

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
  return "log density is " +
         (std::isfinite(log_density) ? std::string("finite but its gradient is not") : std::to_string(log_density)) +
         " at the starting point of chain " + std::to_string(chain) +
         " (unconstrained: " + point_in_words(model.layout(), q) + ")" + (said.empty() ? "" : ", because " + said);
}

}  // namespace manychain
