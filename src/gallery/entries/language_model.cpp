// A Markov chain of words: fitted to a text, and new text drawn from it.
#include "manychain/markov/language_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "gallery/entries.hpp"

namespace manychain::gallery {

Report language_model(const GalleryOptions& options) {
  const char* const text =
      "the sun follows the rain. the rain follows the wind. the sun shines. the sun is warm. rain is wet. "
      "the sun and the rain.";
  // Counted by hand: "the" occurs eight times, before "sun" in four of them.
  const std::map<std::string, double> known = {{"sun", 4.0 / 8}, {"rain", 3.0 / 8}, {"wind", 1.0 / 8}};
  const markov::LanguageModel model(text, {.order = 1});
  Report report;
  report.lines = {"What follows a word in new text is as frequent as in the old one. Some of it:", "",
                  "  " + model.generate(24, options.seed)};
  for (const auto& [word, p] : known) {
    report.checks.push_back(exact(fmt::format("P({} | the)", word), p, model.probability({"the"}, word), 1e-15));
  }
  std::map<std::string, double> counts;
  double total = 0;
  const std::size_t words = options.quick ? 5'000 : 50'000;
  for (const markov::Sentence& sentence : markov::tokenize(model.generate(words, options.seed))) {
    for (std::size_t i = 0; i + 1 < sentence.size(); ++i) {
      if (sentence[i] != "the") continue;
      ++counts[sentence[i + 1]];
      ++total;
    }
  }
  // Given how often "the" occurs, its successors are independent draws.
  for (const auto& [word, p] : known) {
    report.checks.push_back(monte_carlo(fmt::format("share of {} after the, new text", word), p, counts[word] / total,
                                        std::sqrt(p * (1 - p) / total)));
  }
  return report;
}

}  // namespace manychain::gallery
