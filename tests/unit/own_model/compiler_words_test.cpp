// The one line that is made of what a compiler says: on outputs of g++ 12 and nvcc 13 that were kept,
// tests/data/compiler_words.
#include "own_model/compiler_words.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace manychain::own_model {
namespace {

const std::string folder = "/home/ann/models/";

/// "FILE:LINE: MESSAGE", FILE relative to the folder of the user.
std::string line_of(const std::string& words) {
  std::ifstream table(MANYCHAIN_TEST_DATA "/../../docs/functions.md");
  std::ostringstream functions;
  functions << table.rdbuf();
  const LanguageNames names(functions.str());
  const FirstError error = first_error(
      words, [](const std::string& file) { return file.rfind(folder, 0) == 0; }, names);
  if (error.message.empty()) return "";
  return (error.line.empty() ? "" : error.file.substr(folder.size()) + ":" + error.line + ": ") + error.message;
}
std::string kept(const std::string& name) {
  std::ifstream file(MANYCHAIN_TEST_DATA "/compiler_words/" + name);
  std::ostringstream words;
  words << file.rdbuf();
  EXPECT_FALSE(words.str().empty()) << name;
  return line_of(words.str());
}

const char* const comparison =
    "comparison.hpp:21: no comparison of parameters, which differ from chain to chain: write select(value(x) > 0, a, "
    "b), with value() of what is compared";
const char* const sum =
    "sum_in_number.hpp:20: a plain number has no derivative: a sum of parameters is sum(v), dot(x, w) or "
    "target.sum_over(n, body), and a result is named with auto";

TEST(CompilerWords, SentenceAndInnermostLineOfTheUser) {
  EXPECT_EQ(kept("comparison.gcc.txt"), comparison);
  EXPECT_EQ(kept("comparison.nvcc.txt"), comparison);
  EXPECT_EQ(kept("sum_in_number.gcc.txt"), sum);
  EXPECT_EQ(kept("sum_in_number.nvcc.txt"), sum);
}

// A function that is not found, with the name that a user writes.
TEST(CompilerWords, MessageOfALineOfTheUser) {
  EXPECT_EQ(kept("vector_of.gcc.txt"),
            "vector_of.hpp:22: write manychain::vector_of(): where all sizes are plain numbers this name needs its "
            "namespace");
  EXPECT_EQ(line_of("/home/ann/models/a b(1).hpp:1:10: fatal error: no.hpp: No such file or directory\n"),
            "a b(1).hpp:1: no.hpp: No such file or directory");
  EXPECT_EQ(
      line_of("/home/ann/models/m.hpp(7): error: identifier \"x\" is undefined\n"),
      "m.hpp:7: there is no x here: declare it above this line, with auto, or as a member of the class if it is data");
  EXPECT_EQ(line_of("/home/ann/models/m.hpp:7:1: error: what ‘nobody’ knows\n"), "m.hpp:7: what 'nobody' knows");
  EXPECT_EQ(line_of("/home/ann/models/m.hpp:9: error: log_density lacks MANYCHAIN_HD\n"),
            "m.hpp:9: log_density lacks MANYCHAIN_HD");
}

// The innermost line of the user's counts, the first error, and no warning before it.
TEST(CompilerWords, TheNearestOfSeveralLines) {
  const std::string before =
      "/home/ann/models/m.hpp:3:1: warning: unused variable\n"
      "/opt/x.hpp: In instantiation of ‘f’:\n"
      "/opt/x.hpp:5:6:   required from ‘g’\n"
      "/home/ann/models/b.hpp:8:2:   required from ‘h’\n"
      "/home/ann/models/m.hpp:12:4:   required from here\n";
  EXPECT_EQ(line_of(before + "/opt/x.hpp:2:3: error: static assertion failed: it: no\n"), "b.hpp:8: it: no");
  EXPECT_EQ(line_of(before + "/opt/x.hpp:2:3: error: no match\n/home/ann/models/m.hpp:1:1: error: second\n"),
            "b.hpp:8: what stands here does not compile; the first error stands above");
}

// g++ writes no "required from" where it truncates its backtrace.
TEST(CompilerWords, LineBeforeSkippedContexts) {
  EXPECT_EQ(line_of("/opt/x.hpp: In instantiation of ‘f’:\n/home/ann/models/m.hpp:37:14:   [ skipping 2 instantiation "
                    "contexts, use -ftemplate-backtrace-limit=0 to disable ]\n/opt/y.hpp:5:6:   required from here\n"
                    "/opt/x.hpp:2:3: error: static assertion failed: it: no\n"),
            "m.hpp:37: it: no");
}

// The line of code below an error counts: with its number (g++), without (nvcc), behind the types of operands (nvcc).
TEST(CompilerWords, CodeBelowAnError) {
  const std::string error = "/home/ann/models/m.hpp:36:21: error: no matching function for call to 'normal(X&, int)'\n";
  const std::string said = "m.hpp:36: 2 arguments are given here: write normal(x, mu, sigma)";
  EXPECT_EQ(line_of(error + "   36 |     target += normal(alpha, f(1, 2));\n      |               ~~~^~~\n"), said);
  EXPECT_EQ(line_of("/home/ann/models/m.hpp(36): error: no instance of \"normal\" matches the argument list\n"
                    "            argument types are: (X, int)\n      target += normal(alpha, 40);\n         ^\n"),
            said);
  const std::string semicolon = "/home/ann/models/m.hpp:38:5: error: expected ';' before 'target'\n";
  EXPECT_EQ(line_of(semicolon + "   38 |     target += x;\n      |     ^~~~~~\n"),
            "m.hpp:38: a semicolon is missing at the end of the statement above this line");
}

// Clang 14 and earlier quote the sentence, and what leads to it stands below, also where the limit of the trace cuts
// it.
TEST(CompilerWords, LinesOfClang) {
  const std::string below =
      "  static_assert(allowed<T>,\n  ^             ~~~~~~~~~~\n/opt/x.hpp:86:1: note: in instantiation "
      "of 'f' requested here\n/home/ann/models/m.hpp:48:15: note: (skipping 2 contexts in backtrace; "
      "use -ftemplate-backtrace-limit=0 to see all)\n/home/ann/models/m.hpp:50:1: note: in "
      "instantiation of 'g' requested here\n";
  EXPECT_EQ(
      line_of("/opt/x.hpp:36:3: fatal error: static_assert failed due to requirement 'allowed<A<B>>' \"say \"no\"\"\n" +
              below),
      "m.hpp:48: say \"no\"");
  EXPECT_EQ(line_of("/opt/x.hpp:36:3: fatal error: static_assert failed \"it: no\"\n" + below), "m.hpp:48: it: no");
  EXPECT_EQ(line_of("/opt/x.hpp:36:3: error: static assertion failed due to requirement 'a<B>': it: no\n" + below),
            "m.hpp:48: it: no");
  EXPECT_EQ(line_of("check.cpp:10:1: fatal error: static_assert failed due to requirement 'a(0)' \"it: no\"\n"),
            "it: no");
}

// nvcc leaves out the file where it is that of the line before.
TEST(CompilerWords, LinesOfNvccWithoutAFile) {
  const std::string error = "/opt/x.hpp(3): error: static assertion failed with \"say \"no\"\"\n  detected during:\n";
  EXPECT_EQ(line_of(error + "    instantiation of \"f\" at line 86\n    instantiation of \"g\" at line 2 of "
                            "/home/ann/models/m.hpp\n    instantiation of \"h\" at line 9\n"),
            "m.hpp:2: say \"no\"");
}

TEST(CompilerWords, NoLineOfTheUser) {
  EXPECT_EQ(line_of("check.cpp:4:1: error: static assertion failed: a model is a class template\n"),
            "a model is a class template");
  EXPECT_EQ(line_of("check.cpp:4:1: error: no match\n"), "");
  EXPECT_EQ(line_of("collect2: error: ld returned 1 exit status\n"), "");
  EXPECT_EQ(line_of(""), "");
}

}  // namespace
}  // namespace manychain::own_model
