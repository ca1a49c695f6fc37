// Which rows of a long table are shown.
#include "text/table_rows.hpp"

#include <gtest/gtest.h>

namespace {

using namespace manychain;
using Rows = std::vector<std::size_t>;

// The larger the place, the worse.
bool later(std::size_t a, std::size_t b) { return a > b; }

const std::vector<std::string> names = {"a", "x[1]", "x[2]", "b", "x[3]", "x[4]", "c", "xx[1]"};

TEST(TableRows, AllInOrderIfThereIsRoom) {
  const Rows all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(rows_to_show(names, 0, later), all);
  EXPECT_EQ(rows_to_show(names, 8, later), all);
}

TEST(TableRows, ScalarsInOrderThenTheWorst) {
  EXPECT_EQ(rows_to_show(names, 7, later), (Rows{0, 3, 6, 7, 5, 4, 2}));
  EXPECT_EQ(rows_to_show(names, 5, later), (Rows{0, 3, 6, 7, 5}));
}

TEST(TableRows, HalfAtMostAreScalarsAndTheseTheWorst) {
  EXPECT_EQ(rows_to_show(names, 4, later), (Rows{3, 6, 7, 5}));
  EXPECT_EQ(rows_to_show(names, 1, later), (Rows{6}));
  EXPECT_EQ(rows_to_show({"a", "b", "c", "d", "x[1]"}, 4, later), (Rows{1, 2, 3, 4}));  // room that no element needs
  EXPECT_EQ(rows_to_show({"a", "b", "c"}, 2, later), (Rows{1, 2}));
  EXPECT_EQ(rows_to_show({"x[1]", "x[2]", "x[3]"}, 2, later), (Rows{2, 1}));
}

TEST(TableRows, ByName) {
  EXPECT_EQ(rows_called("x", names), (Rows{1, 2, 4, 5}));
  EXPECT_EQ(rows_called("x[3]", names), Rows{4});
  EXPECT_EQ(rows_called("c", names), Rows{6});
  for (const char* none : {"d", "x[5]", "x[", "x[1", ""}) EXPECT_EQ(rows_called(none, names), Rows{}) << none;
}

}  // namespace
