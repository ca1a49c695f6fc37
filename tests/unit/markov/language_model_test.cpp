// Words, likelihoods and texts of the language model, against counts by hand.
#include "manychain/markov/language_model.hpp"

#include <set>

#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

using Text = std::vector<Sentence>;

TEST(Tokenize, SplitsWordsAndMarks) {
  EXPECT_EQ(tokenize("The cat, it sat."), (Text{{"The", "cat", ",", "it", "sat", "."}}));
  EXPECT_EQ(tokenize("(a; b)"), (Text{{"(", "a", ";", "b", ")"}}));
  EXPECT_EQ(tokenize(" \t\n"), Text{});
  EXPECT_EQ(tokenize(""), Text{});
}

TEST(Tokenize, KeepsMarksInsideWords) {
  EXPECT_EQ(tokenize("don't well-known 3.14 10,000 at 12:30"),
            (Text{{"don't", "well-known", "3.14", "10,000", "at", "12:30"}}));
  EXPECT_EQ(tokenize("'a' b- -c x.y"), (Text{{"'", "a", "'", "b", "-", "-", "c", "x", "."}, {"y"}}));
  EXPECT_EQ(tokenize("don’t “go”—now"), (Text{{"don’t", "“", "go", "”", "—", "now"}}));
  EXPECT_EQ(tokenize("Köln über Łódź"), (Text{{"Köln", "über", "Łódź"}}));
}

TEST(Tokenize, FindsTheEndsOfSentences) {
  EXPECT_EQ(tokenize("Go! Why? \"No.\" He left... Well"),
            (Text{{"Go", "!"}, {"Why", "?"}, {"\"", "No", ".", "\""}, {"He", "left", ".", ".", "."}, {"Well"}}));
  EXPECT_EQ(tokenize("A title\r\n\r\nThe text\ngoes on"), (Text{{"A", "title"}, {"The", "text", "goes", "on"}}));
}

TEST(Tokenize, TakesAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  std::size_t words = 0;
  for (const Sentence& sentence : tokenize(bytes + bytes)) {
    for (const std::string& word : sentence) words += !word.empty();
  }
  EXPECT_GT(words, 60u);
  EXPECT_EQ(tokenize("\xEF\xBB\xBFword"), (Text{{"word"}}));
}

TEST(JoinWords, IsTheOtherWayRound) {
  for (const std::string text :
       {"The cat (a tom), it sat: there!", "He said \"no\" and \"yes.\"", "It’s “so”.", "Go — now… then"}) {
    std::vector<std::string> words;
    for (const Sentence& sentence : tokenize(text)) words.insert(words.end(), sentence.begin(), sentence.end());
    EXPECT_EQ(join_words(words), text);
  }
}

const char* const small = "a b. a c. a c. a c.";

TEST(LanguageModel, Counts) {
  const LanguageModel model(small, {.order = 1});
  EXPECT_EQ(model.vocabulary(), (std::vector<std::string>{"a", "b", ".", "c"}));
  EXPECT_EQ(model.words(), 12u);
  EXPECT_EQ(model.sentences(), 4u);
  EXPECT_EQ(model.contexts(), 5u) << "the begin, a, b, c and the point";
  EXPECT_EQ(model.probability({}, "a"), 1);
  EXPECT_EQ(model.probability({"a"}, "b"), 0.25);
  EXPECT_EQ(model.probability({"c", "a"}, "b"), 0.25) << "the last word counts";
  EXPECT_EQ(model.probability({"."}, ""), 1) << "the end";
  EXPECT_EQ(model.probability({"a"}, "d"), 0);
  EXPECT_EQ(model.probability({"d"}, "a"), 0);
}

TEST(LanguageModel, InitialDistribution) {
  const std::string text = "a b. c a. a c. a.";  // three of four sentences begin with a; the vocabulary is a b . c
  for (std::size_t order : {1, 2, 3}) {
    expect_near(LanguageModel(text, {.order = order}).initial_distribution(), {0.75, 0, 0, 0.25}, 0);
  }
  // The end and one unknown word share what is added: six outcomes.
  expect_near(LanguageModel(text, {.order = 1, .additive_smoothing = 0.5}).initial_distribution(),
              {0.5, 0.5 / 7, 0.5 / 7, 1.5 / 7}, 1e-15);
}

TEST(LanguageModel, LikelihoodAndPerplexity) {
  const LanguageModel model(small, {.order = 1});
  const Likelihood l = model.likelihood(small);
  EXPECT_EQ(l.transitions, 16u) << "12 words and 4 ends";
  EXPECT_NEAR(l.log_likelihood, std::log(0.25) + 3 * std::log(0.75), 1e-15);
  EXPECT_NEAR(l.perplexity(), std::pow(0.25 * 0.75 * 0.75 * 0.75, -1 / 16.), 1e-15);
  EXPECT_NEAR(model.likelihood("a b.").log_likelihood, std::log(0.25), 1e-15);
  // Order two knows what b follows; so it does not change here.
  EXPECT_NEAR(LanguageModel(small).likelihood(small).log_likelihood, l.log_likelihood, 1e-15);
}

TEST(LanguageModel, HeldOutTextMayBeImpossible) {
  const LanguageModel model(small, {.order = 1});
  const Likelihood l = model.likelihood("a b. d c.");
  EXPECT_EQ(l.log_likelihood, -INFINITY);
  EXPECT_EQ(l.perplexity(), INFINITY);
  EXPECT_EQ(l.impossible, 2u) << "d at the begin, and c after it; the rest happened before";
  EXPECT_EQ(l.transitions, 8u);
}

TEST(LanguageModel, SmoothingSharesWithTheUnknown) {
  const LanguageModel model(small, {.order = 1, .additive_smoothing = 0.5});
  EXPECT_DOUBLE_EQ(model.probability({"a"}, "b"), 1.5 / (4 + 0.5 * 6));
  for (const std::string context : {"a", ".", "nowhere"}) {
    double sum = model.probability({context}, "") + model.probability({context}, "unknown");
    for (const std::string& word : model.vocabulary()) sum += model.probability({context}, word);
    EXPECT_NEAR(sum, 1, 1e-15);
  }
  EXPECT_EQ(model.likelihood("a b. d c.").impossible, 0u);
  EXPECT_TRUE(std::isfinite(model.likelihood("d e f").perplexity()));
}

TEST(LanguageModel, GeneratesWhatItHasSeen) {
  EXPECT_EQ(LanguageModel("one two three.").generate(10, 1), "one two three. one two three. one two");
  const std::string text = "the cat sat on the mat. the dog sat on the cat. a cat is not a dog, or is it?";
  for (std::size_t order : {1, 2, 3}) {
    const LanguageModel model(text, {.order = order});
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      // Cut at the last point: what was generated there was whole.
      std::string generated = model.generate(100, seed);
      generated = generated.substr(0, generated.find_last_of(".?") + 1);
      EXPECT_EQ(model.likelihood(generated).impossible, 0u) << generated;
    }
  }
}

TEST(LanguageModel, SameSeedSameText) {
  const LanguageModel model("a b. a c. b c a. c c b a.", {.order = 1});
  const std::string text = model.generate(200, 7);
  EXPECT_EQ(model.generate(200, 7), text);
  EXPECT_EQ(text.find(model.generate(50, 7)), 0u);
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 50; ++seed) texts.insert(model.generate(200, seed));
  EXPECT_EQ(texts.size(), 50u);
  EXPECT_EQ(model.generate(0, 7), "");
}

TEST(LanguageModel, GeneratesWithTheFrequenciesOfTheText) {
  const std::size_t sentences = 20000;
  std::size_t b = 0;
  for (const Sentence& sentence : tokenize(LanguageModel(small).generate(3 * sentences, 11))) b += sentence[1] == "b";
  // A quarter of them, within six standard errors.
  EXPECT_LT(std::fabs(double(b) - 0.25 * sentences), 6 * std::sqrt(0.25 * 0.75 * sentences));
}

TEST(LanguageModel, BacksOffBehindAPrompt) {
  const LanguageModel model("one two three.");
  EXPECT_EQ(model.generate(2, 3, "one two"), "one two three.");
  EXPECT_EQ(model.generate(2, 3, "three two"), "three two three.") << "only two is a context that was seen";
  const std::string after = model.generate(1, 3, "never seen");
  EXPECT_EQ(after.find("never seen"), 0u);
  EXPECT_GT(after.size(), std::string("never seen").size());
}

TEST(LanguageModel, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { LanguageModel(" \n"); }), "text: there is no word in it");
  EXPECT_EQ(error_of([] { LanguageModel("a", {.order = 0}); }), "order: 0 is not allowed; take 1 .. 16");
  EXPECT_NE(error_of([] { LanguageModel("a", {.additive_smoothing = -1}); }).find("additive_smoothing: -1"),
            std::string::npos);
}

}  // namespace
}  // namespace manychain::markov::test
