// Names of parameters as quantities with shapes.
#include "foreign/parameter_names.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace manychain {
namespace {

using Names = std::vector<std::string>;

/// "mu, slope[2], A[2,3]": names and shapes.
std::string shapes_of(const Names& names) {
  std::ostringstream text;
  std::size_t offset = 0;
  for (const Quantity& quantity : quantities_of(names)) {
    EXPECT_EQ(quantity.offset, offset) << quantity.name;
    offset += quantity.size();
    text << (text.tellp() > 0 ? ", " : "") << quantity.name;
    for (std::size_t axis = 0; axis < quantity.shape.size(); ++axis)
      text << (axis == 0 ? "(" : ",") << quantity.shape[axis];
    if (!quantity.shape.empty()) text << ")";
  }
  EXPECT_EQ(offset, names.size());
  return text.str();
}

TEST(ParameterNames, OfAllElementsAreOneArray) {
  EXPECT_EQ(shapes_of({"mu", "slope[1]", "slope[2]", "tau"}), "mu, slope(2), tau");
  EXPECT_EQ(shapes_of({"A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]", "b[1]"}), "A(2,3), b(1)");
  EXPECT_EQ(shapes_of({"a[1]", "a[2]", "b[1]", "b[2]"}), "a(2), b(2)");
}

TEST(ParameterNames, OfSomeElementsAreScalars) {
  for (const Names& names : {Names{"a[1]", "a[3]"},
                             Names{"a[2]", "a[1]"},
                             Names{"a[0]", "a[1]"},
                             Names{"a[2]"},
                             Names{"a[1]", "b", "a[2]"},  // apart
                             Names{"a", "a[1]", "a[2]"},
                             Names{"a[1]", "a"},                             // and one that has their name
                             Names{"A[1,1]", "A[2,1]", "A[1,2]", "A[2,2]"},  // the first index fastest
                             Names{"A[1,1]", "A[1,2]", "A[2,1]"},
                             Names{"a[1]", "a[1,1]"},
                             Names{"a[1,]", "a[2,]"},
                             Names{"a[x]"},
                             Names{"a[]"},
                             Names{"[1]"},
                             Names{"a[1]]"},
                             Names{"a[1"},
                             Names{"a[+1]"},
                             Names{"a[01]"},
                             Names{"a[1] "},
                             Names{"a[99999999999999999999]"},
                             Names{"a[4294967296,4294967296]"},
                             Names{""}}) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    EXPECT_EQ(shapes_of(names), all);
  }
}

}  // namespace
}  // namespace manychain
