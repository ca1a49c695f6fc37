// A verdict in words.
#include <fmt/format.h>

#include "manychain/diagnostics/verdict.hpp"

namespace manychain::diagnostics {

bool Verdict::sound() const { return converged && texts(Severity::warning).empty(); }

std::vector<std::string> Verdict::texts(Severity severity) const {
  std::vector<std::string> texts;
  for (const Finding& finding : findings)
    if (finding.severity == severity) texts.push_back(finding.text());
  return texts;
}

std::string Verdict::text(bool advice) const {
  constexpr const char* marks[] = {"-", "warning:", "note:"};
  std::string text = headline + '\n';
  for (const Finding& finding : findings) {
    text += fmt::format("  {} {}\n", marks[static_cast<int>(finding.severity)], finding.what);
    if (advice && !finding.advice.empty()) text += fmt::format("    {}\n", finding.advice);
  }
  return text;
}

}  // namespace manychain::diagnostics
