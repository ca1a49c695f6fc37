// A Markov chain over the words of a text.
// Markov (1913) counted letters so, Shannon (1948) words; Jurafsky and Martin, Speech and Language Processing,
// chapter 3.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manychain/markov/higher_order.hpp"

namespace manychain::markov {

using Sentence = std::vector<std::string>;  ///< its words, punctuation marks among them

/// Words are what white space separates; each punctuation mark is a word of its own, but for apostrophes and hyphens
/// inside a word and points, commas and colons between digits. Marks are those of ASCII and, in UTF-8, printed quotes,
/// dashes and the ellipsis; all else above ASCII is letters. Letters keep their case. A sentence ends after a run of
/// . ! ? with the closing quotes and brackets that follow at once, and at an empty line; "Mr." ends one too.
std::vector<Sentence> tokenize(std::string_view text);

/// The words with spaces between them, none before closing punctuation or after an opening bracket.
std::string join_words(const std::vector<std::string>& words);

struct LanguageModelOptions {
  std::size_t order = 2;          ///< words that the next one depends on
  double additive_smoothing = 0;  ///< a of log likelihoods: (count + a) / (total + a (V + 2)), see below
};

/// The order-m chain of the words of a sentence. Each sentence is preceded by m marks for its begin and followed by one
/// for its end. Probabilities are relative frequencies: a word that never followed a context has probability zero
/// there. With additive smoothing all V words, the end and one unknown word share what is added.
class LanguageModel {
 public:
  /// Throws BadInput if the order is 0 or above 16, `additive_smoothing` is negative or not finite, or there is no
  /// word.
  explicit LanguageModel(std::string_view text, const LanguageModelOptions& options = {});

  std::size_t order() const { return options_.order; }
  std::size_t sentences() const { return sentences_; }
  std::size_t words() const { return words_; }                                ///< of the text, each time they occur
  const std::vector<std::string>& vocabulary() const { return vocabulary_; }  ///< as they first occur
  std::size_t contexts() const;                                               ///< of length m, those that occur

  /// P(word | context). The context's last m words count; a shorter one stands at the begin of a sentence. An empty
  /// word is the end of the sentence. Zero in a context that never occurred, unless smoothed.
  double probability(const std::vector<std::string>& context, const std::string& word) const;

  /// The distribution of the first word of a sentence, one entry a word of vocabulary(), in its order: the share of the
  /// sentences that begin with it. With additive smoothing an unknown word and an empty sentence have their share, too.
  std::vector<double> initial_distribution() const;

  /// The likelihood of all words and ends of sentences of a text. No back-off: what is unseen counts as impossible,
  /// unless smoothed.
  Likelihood likelihood(std::string_view text) const;

  /// `words` new words, punctuation marks among them, as one text; the prompt, if any, comes first and is not counted.
  /// They are drawn from the frequencies, without smoothing. In a context that never occurred, which only a prompt can
  /// make, the longest end of it that did is taken instead (back-off), at last the frequencies of all words. Equal
  /// seeds and prompts give equal texts, and a shorter text is the begin of a longer one.
  std::string generate(std::size_t words, std::uint64_t seed, std::string_view prompt = "") const;

 private:
  using Id = std::uint32_t;  // 0: end of a sentence, 1: its begin, 2 .. V + 1: the vocabulary, V + 2: any other word
  struct Next {
    std::uint64_t total = 0;
    std::map<Id, std::uint64_t> counts;  // ordered, so that a text does not depend on a hash
  };

  Id id(const std::string& word) const;
  std::vector<Id> begin() const { return std::vector<Id>(options_.order, 1); }
  double probability(const std::vector<Id>& context, Id word) const;
  Id draw(std::vector<Id> context, double uniform) const;

  LanguageModelOptions options_;
  std::size_t sentences_ = 0, words_ = 0;
  std::vector<std::string> vocabulary_;
  std::map<std::string, Id, std::less<>> ids_;
  std::vector<std::map<std::vector<Id>, Next>> next_;  // of contexts of length 0 .. m
};

}  // namespace manychain::markov
