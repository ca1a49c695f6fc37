// Chains that remember more than one state, and their fit to sequences.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/markov/transition_matrix.hpp"

namespace manychain::markov {

using Sequence = std::vector<std::size_t>;  ///< of symbols 0 .. S - 1

/// An order-m chain over S symbols: the next symbol depends on the last m. A context, those m symbols, has the number
/// that they are in base S, the oldest first.
class HigherOrderChain {
 public:
  /// The most contexts that are held; the embedding is a matrix of their number squared.
  static constexpr std::size_t max_contexts = 1 << 20;
  static constexpr std::size_t max_embedded = 1 << 13;

  /// `probabilities`: S^m x S, row c the distribution of the symbol after context c. Throws BadInput unless m and S are
  /// positive, the shape fits, and the rows are finite, non-negative, with the sum one.
  HigherOrderChain(std::size_t order, std::size_t symbols, Matrix probabilities);

  /// S^m. Throws BadInput if that is more than max_contexts.
  static std::size_t count_contexts(std::size_t order, std::size_t symbols);

  std::size_t order() const { return order_; }
  std::size_t symbols() const { return probabilities_.columns(); }
  std::size_t contexts() const { return probabilities_.rows(); }
  const Matrix& probabilities() const { return probabilities_; }
  double probability(std::size_t context, std::size_t symbol) const { return probabilities_(context, symbol); }

  /// The number of the context that `m` symbols from `last_symbols` on are, oldest first.
  std::size_t context(const std::size_t* last_symbols) const;
  std::vector<std::size_t> context_symbols(std::size_t context) const;
  /// The context after `symbol` has followed `context`.
  std::size_t next_context(std::size_t context, std::size_t symbol) const {
    return context % (contexts() / symbols()) * symbols() + symbol;
  }

  /// The first-order chain of the last m symbols: (x_1, .., x_m) -> (x_2, .., x_m, y). States are the contexts, in
  /// their order, named "(1,2)" for symbols counted from 1. Throws BadInput for more than max_embedded contexts.
  TransitionMatrix embed() const;

 private:
  std::size_t order_;
  Matrix probabilities_;
};

/// The treatment of contexts after which no sequence goes on: the data say nothing about them.
enum class NeverLeft {
  refuse,  ///< throw
  uniform  ///< each symbol has probability 1 / S
};

struct FitOptions {
  std::size_t order = 1;
  std::size_t symbols = 0;                   ///< S; 0: one more than the largest symbol found
  double additive_smoothing = 0;             ///< added to each count (Laplace's rule: 1); 0 is maximum likelihood
  NeverLeft never_left = NeverLeft::refuse;  ///< without smoothing; with it, their rows are uniform anyway
};

struct Fit {
  HigherOrderChain chain;
  Matrix counts;                        ///< S^m x S transitions found
  std::vector<std::size_t> never_left;  ///< contexts without any, whatever was done about them
  std::size_t transitions = 0;
  double log_likelihood = 0;    ///< of the sequences, given the first m symbols of each
  std::vector<double> initial;  ///< of S^m contexts: the shares of the sequences that begin with them
};

/// Maximum likelihood (Anderson and Goodman, Annals of Mathematical Statistics 28, 1957): the relative frequencies of
/// what follows each context, (count + a) / (total + a S) with additive smoothing a. The initial distribution is that
/// of the first m symbols of the n sequences that have so many, (count + a) / (n + a S^m). Throws BadInput if no
/// sequence is longer than the order, a symbol is not below S, a is negative or not finite, or by `never_left`.
Fit fit(const std::vector<Sequence>& sequences, const FitOptions& options = {});

/// A log likelihood, and how many terms it has.
struct Likelihood {
  double log_likelihood = 0;  ///< minus infinity if something of probability zero happens
  std::size_t transitions = 0;
  std::size_t impossible = 0;  ///< transitions of probability zero

  /// exp(-log_likelihood / transitions); infinite if one was impossible, NaN if there were none.
  double perplexity() const;
};

/// The likelihood of sequences, given the first m symbols of each. Throws BadInput if a symbol is not below S.
Likelihood likelihood(const HigherOrderChain& chain, const std::vector<Sequence>& sequences);

}  // namespace manychain::markov
