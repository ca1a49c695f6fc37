// Which rows of a long table are shown.
#include "text/table_rows.hpp"

#include <gtest/gtest.h>

namespace {

using namespace manychain;
using Rows = std::vector<std::size_t>;

// The larger the place, the worse.
bool later(std::size_t a, std::size_t b) { return a > b; }

const std::vector<std::string> names = {"a", "x[1]", "x[2]", "b", "x[3]", "x[4]", "c", "y[1]", "y[2]", "y[3]"};

/// "2 x", "3": how many are left out behind each vector, then of vectors without a row, then "2 scalars".
std::string hidden(const ShownRows& shown) {
  std::string text;
  for (const auto& one : shown.hidden)
    text += std::to_string(one.after) + ": " + std::to_string(one.count) + " " + one.vector + "; ";
  return text + std::to_string(shown.hidden_scalars);
}

TEST(TableRows, AllInOrderIfThereIsRoom) {
  for (const std::size_t most : {0, 10, 11}) {
    const ShownRows shown = rows_to_show(names, most, later);
    EXPECT_EQ(shown.rows, (Rows{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(hidden(shown), "0");
    EXPECT_EQ(shown.left_out(), 0u);
  }
}

// Vectors whose elements do not stand together are told apart by their place.
TEST(TableRows, AllScalarsInOrderThenTheWorstOfEachVector) {
  const std::vector<std::string> two = {"x[1]", "x[2]", "x[3]", "a", "y[1]", "y[2]", "y[3]", "y[4]", "b"};
  ShownRows shown = rows_to_show(two, 6, later);
  EXPECT_EQ(shown.rows, (Rows{3, 8, 2, 1, 7, 6}));
  EXPECT_EQ(hidden(shown), "4: 1 x; 6: 2 y; 0");
  EXPECT_EQ(shown.left_out(), 3u);
  // The rows that a short vector leaves are the others'; where all are shown, they are in order.
  shown = rows_to_show({"z[1]", "x[1]", "x[2]", "x[3]", "a", "y[1]"}, 5, later);
  EXPECT_EQ(shown.rows, (Rows{4, 0, 3, 2, 5}));
  EXPECT_EQ(hidden(shown), "4: 1 x; 0");
}

TEST(TableRows, ThousandsOfElementsHideNoScalar) {
  std::vector<std::string> many;
  for (int i = 1; i <= 2000; ++i) many.push_back("group[" + std::to_string(i) + "]");
  for (int i = 0; i < 39; ++i) many.push_back("scalar" + std::to_string(i));
  const ShownRows shown = rows_to_show(many, 40, later);
  ASSERT_EQ(shown.rows.size(), 40u);
  for (std::size_t i = 0; i < 39; ++i) EXPECT_EQ(shown.rows[i], 2000 + i);
  EXPECT_EQ(shown.rows[39], 1999u);
  EXPECT_EQ(hidden(shown), "40: 1999 group; 0");
}

// Predictions of all data do not push parameters off the screen.
TEST(TableRows, OfSomeVectorsAFew) {
  std::vector<std::string> all = {"a"};
  for (int i = 1; i <= 50; ++i) all.push_back("y[" + std::to_string(i) + "]");
  for (int i = 1; i <= 30; ++i) all.push_back("x[" + std::to_string(i) + "]");
  ShownRows shown = rows_to_show(all, 40, later, {"y"});
  EXPECT_EQ(shown.rows.size(), 34u);
  EXPECT_EQ(shown.rows[1], 50u);
  EXPECT_EQ(shown.rows[3], 48u);
  EXPECT_EQ(hidden(shown), "4: 47 y; 0");
  shown = rows_to_show(all, 100, later, {"y"});
  EXPECT_EQ(shown.rows.size(), 81u);
}

TEST(TableRows, MoreVectorsThanRows) {
  const ShownRows shown = rows_to_show({"a", "x[1]", "x[2]", "y[1]", "z[1]", "z[2]"}, 2, later);
  EXPECT_EQ(shown.rows, (Rows{0, 5}));
  EXPECT_EQ(hidden(shown), "2: 1 z; 2: 3 ; 0");
  EXPECT_EQ(shown.left_out(), 4u);
}

TEST(TableRows, MoreScalarsThanRows) {
  ShownRows shown = rows_to_show({"a", "b", "c", "d", "x[1]"}, 3, later);
  EXPECT_EQ(shown.rows, (Rows{1, 2, 3}));
  EXPECT_EQ(hidden(shown), "3: 1 ; 1");
  shown = rows_to_show({"a", "b", "c"}, 2, later);
  EXPECT_EQ(shown.rows, (Rows{1, 2}));
  EXPECT_EQ(hidden(shown), "1");
}

TEST(TableRows, TellWhatIsLeftOut) {
  const ShownRows shown{{0, 1, 2}, {{2, 7, "x"}, {3, 5, ""}}, 1};
  EXPECT_EQ(with_hidden("head\na\nx[9]\ny[1]\n", shown, "R-hat"),
            "head\na\nx[9]\n... 7 more of x, none with a larger R-hat\ny[1]\n... 5 more elements of other vectors\n"
            "... 1 more scalars, none with a larger R-hat\n");
  EXPECT_EQ(with_hidden("head\na\n", ShownRows{{0}, {}, 0}, "R-hat"), "head\na\n");
}

TEST(TableRows, ByName) {
  EXPECT_EQ(rows_called("x", names), (Rows{1, 2, 4, 5}));
  EXPECT_EQ(rows_called("x[3]", names), Rows{4});
  EXPECT_EQ(rows_called("c", names), Rows{6});
  for (const char* none : {"d", "x[5]", "x[", "x[1", ""}) EXPECT_EQ(rows_called(none, names), Rows{}) << none;
}

TEST(TableRows, ByPattern) {
  const std::vector<std::string> some = {"mu", "theta[1]", "theta[2]", "theta_trans[1]", "tau", "m[1,1]", "m[2,1]"};
  EXPECT_EQ(rows_called("theta*", some), (Rows{1, 2, 3}));
  EXPECT_EQ(rows_called("theta?", some), Rows{});
  EXPECT_EQ(rows_called("t?u", some), Rows{4});
  EXPECT_EQ(rows_called("?[*,1]", some), (Rows{5, 6}));
  EXPECT_EQ(rows_called("*[1]", some), (Rows{1, 3}));
  EXPECT_EQ(rows_called("*a*u", some), Rows{4});
  EXPECT_EQ(rows_called("**", some).size(), 7u);
  EXPECT_EQ(rows_called("m*x", some), Rows{});
}

}  // namespace
