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
  // Five of the six sentences begin with "the", one with "rain".
  const std::vector<std::string>& vocabulary = model.vocabulary();
  const std::vector<double> initial = model.initial_distribution();
  double all = 0;
  for (std::size_t w = 0; w < vocabulary.size(); ++w) {
    all += initial[w];
    if (initial[w] > 0) {
      report.checks.push_back(exact(fmt::format("P(a sentence begins with {})", vocabulary[w]),
                                    vocabulary[w] == "the" ? 5.0 / 6 : 1.0 / 6, initial[w], 1e-15));
    }
  }
  report.checks.push_back(exact("initial distribution, sum over the vocabulary", 1, all, 1e-15));
  std::map<std::string, double> counts;
  double total = 0, begun = 0;
  std::size_t sentences = 0;
  const std::size_t words = options.quick ? 5'000 : 50'000, looked_at = words / 10;
  for (const markov::Sentence& sentence : markov::tokenize(model.generate(words, options.seed))) {
    if (sentences++ < looked_at) begun += sentence[0] == "the";
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
  // A number that is fixed before: the sentences that fit into a text of given length are rather short ones.
  report.checks.push_back(
      same(fmt::format("there are {} sentences of new text", looked_at), "yes", sentences > looked_at ? "yes" : "no"));
  report.checks.push_back(monte_carlo("share of them that begin with the", 5.0 / 6, begun / double(looked_at),
                                      std::sqrt(5.0 / 36 / double(looked_at))));
  return report;
}

}  // namespace manychain::gallery
