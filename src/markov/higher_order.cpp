#include "manychain/markov/higher_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "manychain/core/error.hpp"

namespace manychain::markov {
namespace {

void check_symbols(const std::vector<Sequence>& sequences, std::size_t symbols) {
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    for (std::size_t t = 0; t < sequences[s].size(); ++t) {
      if (sequences[s][t] >= symbols) {
        throw BadInput(fmt::format("sequence {}: element {} is symbol {}, counted from 0; there are {}", s + 1, t + 1,
                                   sequences[s][t], symbols));
      }
    }
  }
}

/// body(context, symbol) for every transition.
template <class Body>
void each_transition(const HigherOrderChain& chain, const std::vector<Sequence>& sequences, Body&& body) {
  for (const Sequence& sequence : sequences) {
    if (sequence.size() <= chain.order()) continue;
    std::size_t context = chain.context(sequence.data());
    for (std::size_t t = chain.order(); t < sequence.size(); ++t) {
      body(context, sequence[t]);
      context = chain.next_context(context, sequence[t]);
    }
  }
}

/// "(1,2)", symbols counted from 1; "2" for a context of one.
std::string context_name(const HigherOrderChain& chain, std::size_t context) {
  std::vector<std::size_t> symbols = chain.context_symbols(context);
  for (std::size_t& symbol : symbols) ++symbol;
  return symbols.size() == 1 ? std::to_string(symbols[0]) : fmt::format("({})", fmt::join(symbols, ","));
}

}  // namespace

std::size_t HigherOrderChain::count_contexts(std::size_t order, std::size_t symbols) {
  if (order == 0) throw BadInput("order: 0 is not allowed; take at least 1");
  if (symbols == 0) throw BadInput("symbols: 0 is not allowed; take at least 1");
  std::size_t contexts = 1;
  for (std::size_t i = 0; i < order && symbols > 1; ++i) {
    if (contexts > max_contexts / symbols) {
      throw BadInput(fmt::format("order {} over {} symbols has more than {} contexts; take a lower order", order,
                                 symbols, max_contexts));
    }
    contexts *= symbols;
  }
  return contexts;
}

HigherOrderChain::HigherOrderChain(std::size_t order, std::size_t symbols, Matrix probabilities)
    : order_(order), probabilities_(std::move(probabilities)) {
  const std::size_t n = count_contexts(order, symbols);
  if (probabilities_.rows() != n || probabilities_.columns() != symbols) {
    throw BadInput(fmt::format("order-{} chain: the probabilities are {} x {}; over {} symbols they must be {} x {}",
                               order, probabilities_.rows(), probabilities_.columns(), symbols, n, symbols));
  }
  for (std::size_t c = 0; c < n; ++c) {
    check_distribution({probabilities_.row(c), probabilities_.row(c) + symbols}, symbols,
                       fmt::format("order-{} chain: context {}", order, context_name(*this, c)));
  }
}

std::size_t HigherOrderChain::context(const std::size_t* last_symbols) const {
  std::size_t number = 0;
  for (std::size_t i = 0; i < order_; ++i) number = number * symbols() + last_symbols[i];
  return number;
}

std::vector<std::size_t> HigherOrderChain::context_symbols(std::size_t context) const {
  std::vector<std::size_t> out(order_);
  for (std::size_t i = order_; i-- > 0; context /= symbols()) out[i] = context % symbols();
  return out;
}

TransitionMatrix HigherOrderChain::embed() const {
  if (contexts() > max_embedded) {
    throw BadInput(fmt::format("order-{} chain: its embedding has {} states; at most {} are held as a matrix", order_,
                               contexts(), max_embedded));
  }
  Matrix matrix(contexts(), contexts(), 0);
  std::vector<std::string> names;
  for (std::size_t c = 0; c < contexts(); ++c) {
    names.push_back(context_name(*this, c));
    for (std::size_t y = 0; y < symbols(); ++y) matrix(c, next_context(c, y)) = probability(c, y);
  }
  return TransitionMatrix(std::move(matrix), std::move(names));
}

Fit fit(const std::vector<Sequence>& sequences, const FitOptions& options) {
  const double a = options.additive_smoothing;
  if (!(a >= 0) || std::isinf(a)) {
    throw BadInput(fmt::format("additive_smoothing: {} is not allowed; take a number from 0 up", a));
  }
  std::size_t symbols = options.symbols;
  if (symbols == 0) {
    for (const Sequence& sequence : sequences) {
      for (std::size_t symbol : sequence) symbols = std::max(symbols, symbol + 1);
    }
    if (symbols == 0) throw BadInput("fit: the sequences are empty");
  }
  check_symbols(sequences, symbols);

  const std::size_t contexts = HigherOrderChain::count_contexts(options.order, symbols);
  // Until its rows are known, every one is uniform: what a context without data keeps if it may.
  const HigherOrderChain uniform(options.order, symbols, Matrix(contexts, symbols, 1.0 / static_cast<double>(symbols)));
  Fit out{uniform, Matrix(contexts, symbols, 0), {}, 0, 0, std::vector<double>(contexts, 0)};
  each_transition(uniform, sequences, [&](std::size_t context, std::size_t symbol) {
    out.counts(context, symbol) += 1;
    ++out.transitions;
  });
  if (out.transitions == 0) {
    throw BadInput(
        fmt::format("fit: no sequence is longer than the order {}, so that there is no transition", options.order));
  }

  double begun = 0;
  for (const Sequence& sequence : sequences) {
    if (sequence.size() < options.order) continue;
    ++out.initial[uniform.context(sequence.data())];
    ++begun;
  }
  for (double& share : out.initial) share = (share + a) / (begun + a * static_cast<double>(contexts));

  Matrix probabilities = uniform.probabilities();
  for (std::size_t c = 0; c < contexts; ++c) {
    double total = 0;
    for (std::size_t y = 0; y < symbols; ++y) total += out.counts(c, y);
    if (total == 0) {
      out.never_left.push_back(c);
      continue;
    }
    for (std::size_t y = 0; y < symbols; ++y) {
      probabilities(c, y) = (out.counts(c, y) + a) / (total + a * static_cast<double>(symbols));
    }
  }
  if (!out.never_left.empty() && a == 0 && options.never_left == NeverLeft::refuse) {
    throw BadInput(
        fmt::format("fit: {} of {} contexts are never left (first: {}), so that nothing is known about what "
                    "follows them; smooth, take a lower order, or ask for uniform rows",
                    out.never_left.size(), contexts, context_name(uniform, out.never_left[0])));
  }
  out.chain = HigherOrderChain(options.order, symbols, std::move(probabilities));
  out.log_likelihood = likelihood(out.chain, sequences).log_likelihood;
  return out;
}

double Likelihood::perplexity() const {
  if (transitions == 0) return std::numeric_limits<double>::quiet_NaN();
  return std::exp(-log_likelihood / static_cast<double>(transitions));
}

Likelihood likelihood(const HigherOrderChain& chain, const std::vector<Sequence>& sequences) {
  check_symbols(sequences, chain.symbols());
  Likelihood out;
  each_transition(chain, sequences, [&](std::size_t context, std::size_t symbol) {
    const double probability = chain.probability(context, symbol);
    out.log_likelihood += std::log(probability);  // of zero: minus infinity, and so it stays
    out.impossible += probability == 0;
    ++out.transitions;
  });
  return out;
}

}  // namespace manychain::markov
