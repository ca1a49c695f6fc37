#include "manychain/markov/language_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "manychain/core/error.hpp"
#include "manychain/random/stream.hpp"

namespace manychain::markov {
namespace {

constexpr std::uint32_t end_mark = 0, first_word = 2;
constexpr std::size_t max_order = 16;

/// The context with `word` appended and its first word dropped.
template <class Id>
void shift(std::vector<Id>& context, Id word) {
  context.erase(context.begin());
  context.push_back(word);
}

}  // namespace

LanguageModel::LanguageModel(std::string_view text, const LanguageModelOptions& options) : options_(options) {
  if (order() == 0 || order() > max_order) {
    throw BadInput(fmt::format("order: {} is not allowed; take 1 .. {}", order(), max_order));
  }
  const double a = options_.additive_smoothing;
  if (!(a >= 0) || std::isinf(a)) {
    throw BadInput(fmt::format("additive_smoothing: {} is not allowed; take a number from 0 up", a));
  }
  const std::vector<Sentence> read = tokenize(text);
  if (read.empty()) throw BadInput("text: there is no word in it");
  sentences_ = read.size();
  next_.resize(order() + 1);
  const auto count = [&](const std::vector<Id>& context, Id word) {
    // Contexts of every length are counted: generating backs off to the shorter ones.
    for (std::size_t length = 0; length <= order(); ++length) {
      Next& next = next_[length][{context.end() - static_cast<std::ptrdiff_t>(length), context.end()}];
      ++next.total;
      ++next.counts[word];
    }
  };
  for (const Sentence& sentence : read) {
    std::vector<Id> context = begin();
    for (const std::string& word : sentence) {
      const auto [known, fresh] = ids_.emplace(word, first_word + static_cast<Id>(vocabulary_.size()));
      if (fresh) vocabulary_.push_back(word);
      count(context, known->second);
      shift(context, known->second);
      ++words_;
    }
    count(context, end_mark);
  }
}

std::size_t LanguageModel::contexts() const { return next_[order()].size(); }

LanguageModel::Id LanguageModel::id(const std::string& word) const {
  if (word.empty()) return end_mark;
  const auto found = ids_.find(word);
  return found == ids_.end() ? first_word + static_cast<Id>(vocabulary_.size()) : found->second;
}

double LanguageModel::probability(const std::vector<Id>& context, Id word) const {
  double count = 0, total = 0;
  const auto next = next_[order()].find(context);
  if (next != next_[order()].end()) {
    total = static_cast<double>(next->second.total);
    const auto found = next->second.counts.find(word);
    if (found != next->second.counts.end()) count = static_cast<double>(found->second);
  }
  const double a = options_.additive_smoothing;
  const double outcomes = static_cast<double>(vocabulary_.size() + 2);
  return total + a > 0 ? (count + a) / (total + a * outcomes) : 0;
}

double LanguageModel::probability(const std::vector<std::string>& context, const std::string& word) const {
  std::vector<Id> ids = begin();
  for (const std::string& one : context) shift(ids, id(one));
  return probability(ids, id(word));
}

std::vector<double> LanguageModel::initial_distribution() const {
  std::vector<double> first;
  for (std::size_t w = 0; w < vocabulary_.size(); ++w) {
    first.push_back(probability(begin(), first_word + static_cast<Id>(w)));
  }
  return first;
}

Likelihood LanguageModel::likelihood(std::string_view text) const {
  Likelihood out;
  const auto add = [&](const std::vector<Id>& context, Id word) {
    const double p = probability(context, word);
    out.log_likelihood += std::log(p);
    out.impossible += p == 0;
    ++out.transitions;
  };
  for (const Sentence& sentence : tokenize(text)) {
    std::vector<Id> context = begin();
    for (const std::string& word : sentence) {
      add(context, id(word));
      shift(context, id(word));
    }
    add(context, end_mark);
  }
  return out;
}

LanguageModel::Id LanguageModel::draw(std::vector<Id> context, double uniform) const {
  auto next = next_[order()].find(context);
  while (next == next_[context.size()].end()) {
    context.erase(context.begin());
    next = next_[context.size()].find(context);  // the empty one is there
  }
  // uniform lies in (0, 1]: a word of count c is met with probability c / total.
  const double target = uniform * static_cast<double>(next->second.total);
  std::uint64_t sum = 0;
  Id drawn = end_mark;
  for (const auto& [word, count] : next->second.counts) {
    drawn = word;
    sum += count;
    if (static_cast<double>(sum) >= target) break;
  }
  return drawn;
}

std::string LanguageModel::generate(std::size_t words, std::uint64_t seed, std::string_view prompt) const {
  std::vector<std::string> text;
  std::vector<Id> context = begin();
  for (const Sentence& sentence : tokenize(prompt)) {
    context = begin();  // only its last sentence has a say
    for (const std::string& word : sentence) {
      shift(context, id(word));
      text.push_back(word);
    }
  }
  const std::size_t wanted = text.size() + words;
  for (std::uint64_t t = 0; text.size() < wanted; ++t) {
    double u = 0;
    uniforms(Stream<Scalar<double>>(seed, Purpose::language_model, 0, t), Size<1>{},
             [&](int, Scalar<double> x) { u = x.v; });
    const Id word = draw(context, u);
    if (word == end_mark) {
      context = begin();
    } else {
      shift(context, word);
      text.push_back(vocabulary_[word - first_word]);
    }
  }
  return join_words(text);
}

}  // namespace manychain::markov
