// Names of dimensions: what fits model and data, and what is refused before anything is sampled.
#include "run/named_dimensions.hpp"

#include <gtest/gtest.h>

#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"

namespace {

using namespace manychain;
using Names = std::vector<std::string>;

/// mu, theta[3], m[2,3], a prediction y_new[3]; observe("y", 3).
Layout layout() {
  Layout layout;
  layout.quantities = {{"mu", {}, 0}, {"theta", {3}, 1}, {"m", {2, 3}, 4}, {"y_new", {3}, 10, true, true}};
  layout.observed = {{"y", 3}};
  return layout;
}
Data data(const std::string& more) {
  return Data::from_json(R"({"J": 3, "y": [1, 2, 3], "x": [[1, 2], [3, 4], [5, 6]], "school": [1, 2, 1])" + more + "}");
}
std::string complaint(const std::string& more) {
  try {
    require_named_dimensions(layout(), data(more));
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}
Names names(FileGroup group, const Data& data) {
  Names all;
  for (const FileVariable& variable : variables_of(group, layout(), &data)) all.push_back(variable.name);
  return all;
}

TEST(NamedDimensions, NoFileHoldsEveryNameOfAQuantity) {
  Layout named = layout();
  EXPECT_NO_THROW(require_storable(named));
  for (const char* name : {"(Intercept)", ".sigma", "last "}) {
    named.quantities[1].name = name;
    EXPECT_THROW(require_storable(named), BadInput) << name;
  }
  named.quantities[1].name = "größe";
  EXPECT_NO_THROW(require_storable(named));
}

TEST(NamedDimensions, StandForNumberedOnes) {
  const Data named = data(R"(, "dims": {"theta": ["county"], "y": ["county"], "m": ["side", "county"]})");
  require_named_dimensions(layout(), named);
  EXPECT_EQ(dimensions_of({"theta", {3}}, &named), Names{"county"});
  EXPECT_EQ(dimensions_of({"m", {2, 3}}, &named), (Names{"side", "county"}));
  EXPECT_EQ(dimensions_of({"x", {3, 2}}, &named), (Names{"x_dim_0", "x_dim_1"}));
  EXPECT_EQ(dimensions_of({"theta", {3}}, nullptr), Names{"theta_dim_0"});
  EXPECT_TRUE(dimensions_of({"mu", {}}, &named).empty());
}

TEST(NamedDimensions, MayBeLeftOutOrHaveLabels) {
  EXPECT_EQ(complaint(""), "none");
  EXPECT_EQ(complaint(R"(, "coords": {"county": ["a", "b", "c"]}, "dims": {"theta": ["county"], "mu": []})"), "none");
  EXPECT_EQ(complaint(R"(, "dims": {"x": ["row", "column"], "y_new": "row"})"), "none");
}

TEST(NamedDimensions, RefusesWhatDoesNotFit) {
  EXPECT_EQ(complaint(R"(, "dims": {"thta": ["county"]})"),
            "dims: neither the model nor its data have a thta; did you mean theta?");
  EXPECT_EQ(complaint(R"(, "dims": {"theta": ["a", "b"]})"), "dims: theta has 1 dimension, and 2 are given: a, b");
  EXPECT_EQ(complaint(R"(, "dims": {"m": ["a"]})"), "dims: m has 2 dimensions, and 1 is given: a");
  EXPECT_EQ(complaint(R"(, "dims": {"m": ["a", "a"]})"), "dims: m has a twice");
  for (const char* name : {"", "chain", "draw", "a/b", "a ", "-a"})
    EXPECT_EQ(complaint(R"(, "dims": {"theta": [")" + std::string(name) + "\"]}"),
              "dims: theta cannot have a dimension \"" + std::string(name) + "\"");
  EXPECT_EQ(complaint(R"(, "coords": {"county": ["a", "b"]}, "dims": {"theta": ["county"]})"),
            "coords: county has 2 labels, and theta has 3 elements there");
  EXPECT_EQ(complaint(R"(, "coords": {"countie": ["a", "b", "c"]}, "dims": {"theta": ["county"]})"),
            "coords: no dims name countie; did you mean county?");
  EXPECT_EQ(complaint(R"(, "coords": {"county": ["a", "b", "c"]})"), "coords: no dims name county");
  EXPECT_EQ(complaint(R"(, "dims": {"theta": ["a"], "m": ["a", "b"]})"), "dims: a is 3 long in theta and 2 in m");
}

// A coordinate has the name of its dimension.
TEST(NamedDimensions, RefusesANameThatItsGroupNeeds) {
  const std::string rest = " has the name of something else in the same group of the file of draws: call it otherwise";
  EXPECT_EQ(complaint(R"(, "dims": {"theta": ["mu"]})"), "dims: the dimension mu of theta" + rest);
  EXPECT_EQ(complaint(R"(, "dims": {"theta": ["m_dim_1"]})"), "dims: the dimension m_dim_1 of theta" + rest);
  EXPECT_EQ(complaint(R"(, "dims": {"x": ["school", "side"]})"), "dims: the dimension school of x" + rest);
  EXPECT_EQ(complaint(R"(, "dims": {"theta": ["school"]})"), "none");  // data have a group of their own
}

TEST(NamedDimensions, AreLookedAtWhenAModelIsBound) {
  Data own = Data::from_json(R"({"J": 2, "y": [1, 2], "sigma": [1, 1]})");
  own.set_dims("theta", {"school"});
  own.set_coords("school", {"A", "B", "C"});
  try {
    builtin_model("eight_schools", own);
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "coords: school has 3 labels, and theta has 2 elements there");
  }
}

TEST(FileGroups, HaveTheirVariables) {
  Data own = data(R"(, "empty": [], " no name": 1, "x\n": 2, "gr\u00f6\u00dfe": 3)");
  own.set("huge", std::vector<double>(largest_constant + 1));
  own.set("large", std::vector<double>(largest_constant));
  EXPECT_EQ(names(FileGroup::posterior, own), (Names{"mu", "theta", "m"}));
  EXPECT_EQ(names(FileGroup::posterior_predictive, own), Names{"y_new"});
  EXPECT_EQ(names(FileGroup::log_likelihood, own), Names{"y"});
  EXPECT_EQ(names(FileGroup::observed_data, own), Names{"y"});
  EXPECT_EQ(names(FileGroup::constant_data, own), (Names{"J", "gr\u00f6\u00dfe", "large", "school", "x"}));
  EXPECT_TRUE(variables_of(FileGroup::constant_data, layout(), nullptr).empty());
}

TEST(FileGroups, HoldNoNameThatNetcdfRefuses) {
  for (const char* name : {"x", "_x", "2x", "x y", "weight (kg)", "\u00e4", "\u65e5\u672c", "\U0001F600"})
    EXPECT_TRUE(can_be_stored(name)) << name;
  for (const char* name : {"", " x", "x ", "-x", "x\ty", "x\x7f", "\xe4", "x\xc3", "\xc0\xaf", "\xff"})
    EXPECT_FALSE(can_be_stored(name)) << name;
  EXPECT_FALSE(can_be_stored(std::string(300, 'x')));
}

}  // namespace
