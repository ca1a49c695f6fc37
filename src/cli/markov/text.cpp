// A language model of a text, for the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/markov/markov.hpp"
#include "core/read_file.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"
#include "manychain/markov/language_model.hpp"

namespace manychain::cli {
namespace {

/// Generated words are a line or two of a screen, not a line of a thousand characters.
void print_wrapped(const std::string& text) {
  constexpr std::size_t width = 100;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.size();
    if (text.size() - begin > width) {
      end = text.rfind(' ', begin + width);
      if (end == std::string::npos || end <= begin) end = text.find(' ', begin);
      if (end == std::string::npos) end = text.size();
    }
    say(stdout, "{}\n", text.substr(begin, end - begin));
    begin = end + 1;
  }
}

void print_likelihood(const char* label, const markov::Likelihood& l) {
  say(stdout, "  {:<16}  log likelihood {:.6g}, perplexity {:.5g}, {} transitions", label, l.log_likelihood,
      l.perplexity(), l.transitions);
  if (l.impossible > 0) say(stdout, ", {} of them never seen: raise --smoothing", l.impossible);
  say(stdout, "\n");
}

/// The words that most sentences begin with, and their shares.
void print_beginnings(const markov::LanguageModel& model) {
  constexpr std::size_t shown = 5;
  const std::vector<double> first = model.initial_distribution();
  std::vector<std::size_t> order;
  for (std::size_t w = 0; w < first.size(); ++w) {
    if (first[w] > 0) order.push_back(w);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return first[a] > first[b]; });
  std::vector<std::string> words;
  for (std::size_t k = 0; k < std::min(order.size(), shown); ++k) {
    words.push_back(fmt::format("{} {:.4g}", model.vocabulary()[order[k]], first[order[k]]));
  }
  say(stdout, "  {:<16}  {}{}\n", "sentences begin", fmt::join(words, ", "), order.size() > shown ? ", ..." : "");
}

}  // namespace

int model_text(const MarkovOptions& options) {
  const std::string text = read_file(options.file);
  const std::string held_out = options.held_out.empty() ? "" : read_file(options.held_out);
  const std::uint64_t seed = seed_of(options);
  markov::LanguageModelOptions wanted;
  wanted.order = options.order;
  wanted.additive_smoothing = options.smoothing;
  const auto model = [&] {
    try {
      return markov::LanguageModel(text, wanted);
    } catch (const BadInput& error) {
      throw BadInput(options.file + ": " + error.what());
    }
  }();
  const markov::Likelihood judged = model.likelihood(held_out);
  if (!options.held_out.empty() && judged.transitions == 0) {
    throw BadInput(options.held_out + ": text: there is no word in it");
  }

  say(stdout, "manychain {}: {}, {} word{} in {} sentence{}\n", version, options.file, model.words(),
      model.words() == 1 ? "" : "s", model.sentences(), model.sentences() == 1 ? "" : "s");
  say(stdout, "  --order {} --smoothing {} --generate {} --seed {}\n", options.order, options.smoothing,
      options.generate, seed);
  say(stdout, "  {:<16}  {} different words, punctuation marks among them\n", "vocabulary", model.vocabulary().size());
  say(stdout, "  {:<16}  {} of {} word{}\n", "contexts", model.contexts(), options.order,
      options.order == 1 ? "" : "s");
  print_beginnings(model);
  print_likelihood("this text", model.likelihood(text));
  if (!options.held_out.empty()) print_likelihood("held-out text", judged);
  if (options.generate > 0) {
    say(stdout, "\n");
    print_wrapped(model.generate(options.generate, seed, options.prompt));
  }
  return success;
}

}  // namespace manychain::cli
