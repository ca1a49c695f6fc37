#include "own_model/language_names.hpp"

#include <algorithm>
#include <sstream>

#include "text/suggest.hpp"

namespace manychain::own_model {
namespace {

const std::string target = "target.";

template <class Calls>
std::vector<std::string> texts(const Calls& calls, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& call : calls)
    if (call.name == name && std::find(found.begin(), found.end(), call.text) == found.end())
      found.push_back(call.text);
  return found;
}
template <class Calls>
std::string nearest(const Calls& calls, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& call : calls) names.push_back(call.name);
  return closest(word, names);
}

}  // namespace

LanguageNames::LanguageNames(const std::string& table) {
  // Names in docs/models.md that have no row of their own.
  for (const char* text : {"real(name)", "real(name, constraint)", "vector(name, n)", "vector(name, n, constraint)",
                           "matrix(name, rows, columns)", "matrix(name, rows, columns, constraint)", "simplex(name, n)",
                           "ordered(name, n)", "integers(name, n, low, high)", "latent_integers(name, n, low, high)",
                           "observe(name, density)", "observe(name, n, body)", "sum_over(n, body)",
                           "derived(name, expression)", "derived(name, n, body)", "predict(name, distribution)",
                           "predict(name, n, body)", "let(expression)", "scan(n, first, step)"}) {
    const std::string call = text;
    members_.push_back({call.substr(0, call.find('(')), call, false});
  }
  std::istringstream lines(table);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 3, "## ") == 0) section = line.substr(3);
    if (line.compare(0, 3, "| `") != 0) continue;
    std::string call = line.substr(3, line.find('`', 3) - 3);
    if (section == "Constraints" && call.find("(name") != std::string::npos) continue;  // members, above
    const bool member = call.compare(0, target.size(), target) == 0;
    if (member) call = call.substr(target.size());
    const bool distribution = section == "Distributions" || section == "Generalised linear models";
    (member ? members_ : functions_).push_back({call.substr(0, call.find('(')), call, distribution});
  }
}

std::vector<std::string> LanguageNames::calls(const std::string& name) const { return texts(functions_, name); }

bool LanguageNames::is_distribution(const std::string& name) const {
  return std::any_of(functions_.begin(), functions_.end(),
                     [&](const Call& call) { return call.distribution && call.name == name; });
}

std::string LanguageNames::draws(const std::string& distribution) const {
  const std::vector<std::string> found = calls(distribution + "_distribution");
  return found.empty() ? "" : found.back();
}

std::string LanguageNames::nearest_function(const std::string& word) const { return nearest(functions_, word); }

std::vector<std::string> LanguageNames::target_calls(const std::string& member) const {
  return texts(members_, member);
}

std::string LanguageNames::nearest_target_member(const std::string& word) const { return nearest(members_, word); }

const std::vector<std::string>& LanguageNames::qualified() {
  static const std::vector<std::string> names = {"Size",
                                                 "Scalar",
                                                 "View",
                                                 "Matrix",
                                                 "DataReader",
                                                 "Column",
                                                 "lower",
                                                 "upper",
                                                 "interval",
                                                 "integer",
                                                 "offset_multiplier",
                                                 "dynamic",
                                                 "positive_ordered",
                                                 "unit_vector",
                                                 "sum_to_zero"};
  return names;
}

std::size_t arguments_of(const std::string& text) {
  const std::size_t begin = text.find('(');
  if (begin == std::string::npos) return 0;
  std::size_t count = 0;
  int depth = 0;
  bool any = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '>' || c == '}' || c == ']') {
      if (--depth == 0) break;
    } else if (c == ',' && depth == 1) {
      ++count;
    }
    if (i > begin && c != ' ') any = true;
  }
  return any ? count + 1 : 0;
}

}  // namespace manychain::own_model
