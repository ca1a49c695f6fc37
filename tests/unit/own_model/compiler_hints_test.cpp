// The hint for a slip: on messages of g++ 12, nvcc 13 and Clang 14 that were kept,
// tests/data/compiler_words/slips.txt.
#include "own_model/compiler_hints.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "own_model/other_languages.hpp"

namespace manychain::own_model {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}
const std::string docs = MANYCHAIN_TEST_DATA "/../../docs/";
const LanguageNames& names() {
  static const LanguageNames language(contents(docs + "functions.md"));
  return language;
}

TEST(CompilerHints, WhatPeopleWrite) {
  std::istringstream lines(contents(MANYCHAIN_TEST_DATA "/compiler_words/slips.txt"));
  CompilerSays error;
  int slips = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (line.empty() || line[0] == '#') continue;
    ASSERT_NE(colon, std::string::npos) << line;
    const std::string key = line.substr(0, colon), text = colon + 2 < line.size() ? line.substr(colon + 2) : "";
    if (key == "error") {
      error = {text, "", true, false};
    } else if (key == "place") {
      error.users = false;
    } else if (key == "first") {
      error.begins_line = true;
    } else if (key == "code") {
      error.source = text;
    } else {
      ASSERT_EQ(key, "says");
      EXPECT_EQ(hint(error, names()), text) << error.message << "\n" << error.source;
      ++slips;
    }
  }
  EXPECT_GT(slips, 100);
}

// GCC quotes so in the locale of most people.
TEST(CompilerHints, QuotesOfAnyLocale) {
  EXPECT_EQ(hint({"‘nromal’ was not declared in this scope", "target += nromal(mu, 0, 1);"}, names()),
            "there is no nromal: did you mean normal(x, mu, sigma)?");
}

// A message of a line of the library says nothing of what the user wrote there.
TEST(CompilerHints, LinesOfTheLibrary) {
  EXPECT_EQ(hint({"'nromal' was not declared in this scope", "nromal(x)", false}, names()), "");
  EXPECT_EQ(hint({"expected ';' before 'x'", "a x", false}, names()), "");
}

TEST(LanguageNames, SignaturesOfTheTable) {
  EXPECT_EQ(names().calls("normal"), std::vector<std::string>{"normal(x, mu, sigma)"});
  EXPECT_EQ(names().calls("log_sum_exp").size(), 2u);
  EXPECT_TRUE(names().calls("nromal").empty());
  EXPECT_TRUE(names().is_distribution("poisson_log_glm"));
  EXPECT_FALSE(names().is_distribution("exp"));
  EXPECT_FALSE(names().is_distribution("normal_lcdf"));
  EXPECT_EQ(names().draws("normal"), "normal_distribution(mean, sd)");
  EXPECT_EQ(names().draws("dirichlet"), "dirichlet_distribution(alpha)");
  EXPECT_EQ(names().draws("exp"), "");
  EXPECT_EQ(names().target_calls("ode_rk4").size(), 1u);
}

// Names that stand in no generated table are those of docs/models.md.
TEST(LanguageNames, MembersAndTypesAreDocumented) {
  const std::string models = contents(docs + "models.md");
  for (const char* member : {"real", "vector", "matrix", "simplex", "ordered", "integers", "latent_integers", "observe",
                             "sum_over", "derived", "predict", "let", "scan"}) {
    EXPECT_FALSE(names().target_calls(member).empty()) << member;
    EXPECT_NE(models.find(std::string("target.") + member + "("), std::string::npos) << member;
  }
  for (const std::string& name : LanguageNames::qualified()) EXPECT_NE(models.find(name), std::string::npos) << name;
}

// Advice in the place of another language's name is of this language.
TEST(OtherLanguages, AdviceIsOfThisLanguage) {
  for (const char* name : {"inv_gamma", "dot_product", "log_inv_logit", "plogis", "dnorm", "dnbinom", "dexp",
                           "accumulate", "expit", "logsumexp", "ifelse", "col"}) {
    const std::string advice = in_place_of(name, false, "", names());
    ASSERT_EQ(advice.rfind("write ", 0), 0u) << name << ": " << advice;
    const std::size_t begin = advice.find_first_not_of("-", 6);
    EXPECT_FALSE(names().calls(advice.substr(begin, advice.find('(') - begin)).empty()) << advice;
  }
  EXPECT_EQ(in_place_of("exp", false, "exp(x)", names()), "");
}

TEST(OtherLanguages, CallsInALine) {
  EXPECT_EQ(call_in("x + f(a, g(b)) - f(c)", "f"), "f(a, g(b))");
  EXPECT_EQ(call_in("half_f(a) + f (b)", "f"), "f(b)");
  EXPECT_EQ(call_in("f(a, [&](auto i) {", "f"), "f(a, [&](auto i) {");
  EXPECT_EQ(call_in("f + 1", "f"), "");
  EXPECT_EQ(renamed("normal_lpdf(y[i] | mu, g(a | b))", "normal"), "normal(y[i], mu, g(a | b))");
  EXPECT_EQ(arguments_of("f()"), 0u);
  EXPECT_EQ(arguments_of("f(a, g(b, c), d[1, 2])"), 3u);
}

// std::regex recurses once a character.
TEST(CompilerHints, LongMessagesDoNotEndTheProgram) {
  const std::string name(1 << 20, 'x');
  for (const std::string& message : {"no matching function for call to 'normal(" + name + ")'",
                                     "'" + name + "' was not declared in this scope", name})
    for (const std::string& source : {name, "target += normal(" + name + ");"})
      hint({message, source, true, false}, names());
}

}  // namespace
}  // namespace manychain::own_model
