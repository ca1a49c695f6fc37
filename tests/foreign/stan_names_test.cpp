// The flat names of Stan as quantities with shapes.
#include "foreign/stan_names.hpp"

#include <gtest/gtest.h>

namespace manychain {
namespace {

std::vector<std::string> flat(const StanQuantities& all) {
  Layout layout;
  layout.quantities = all.quantities;
  return layout.output_names();
}

TEST(StanNames, AreQuantitiesWithShapes) {
  const std::vector<std::string> names = split_names("mu,theta.1,theta.2,A.1.1,A.2.1,A.1.2,A.2.2,A.1.3,A.2.3,tau,b.1");
  const StanQuantities all = stan_quantities(names, 9);
  ASSERT_EQ(all.quantities.size(), 5u);
  EXPECT_EQ(all.quantities[2].shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(all.quantities[4].shape, std::vector<std::size_t>{1});
  EXPECT_FALSE(all.quantities[2].derived);
  EXPECT_TRUE(all.quantities[3].derived);
  // Each output is that value of Stan's that has its indices.
  const std::vector<std::string> outputs = flat(all);
  ASSERT_EQ(outputs.size(), names.size());
  for (std::size_t k = 0; k < outputs.size(); ++k) EXPECT_EQ(outputs[k], with_brackets(names[all.order[k]]));
}

TEST(StanNames, KeepArraysOfThreeDimensionsApart) {
  std::vector<std::string> names;
  for (const char* k : {"1", "2", "3", "4"})
    for (const char* j : {"1", "2", "3"})
      for (const char* i : {"1", "2"}) names.push_back(std::string("x.") + i + "." + j + "." + k);
  const StanQuantities all = stan_quantities(names, names.size());
  ASSERT_EQ(all.quantities.size(), 1u);
  EXPECT_EQ(all.quantities[0].shape, (std::vector<std::size_t>{2, 3, 4}));
  const std::vector<std::string> outputs = flat(all);
  for (std::size_t k = 0; k < outputs.size(); ++k) EXPECT_EQ(outputs[k], with_brackets(names[all.order[k]]));
}

TEST(StanNames, LeavesWhatIsNoArrayAsStanCallsIt) {
  // A complex number, an array of them, a tuple with a vector in it, an array of tuples; and arrays with a hole.
  const std::vector<std::string> names =
      split_names("z.real,z.imag,w.1.real,w.1.imag,t:1,t:2.1,t:2.2,u.1:1,u.2:1,h.1,h.3,g.1.1,g.2.1,g.1.2");
  const StanQuantities all = stan_quantities(names, names.size());
  const std::vector<std::string> outputs = flat(all);
  EXPECT_EQ(outputs, (std::vector<std::string>{"z.real", "z.imag", "w.1.real", "w.1.imag", "t:1", "t:2[1]", "t:2[2]",
                                               "u.1:1", "u.2:1", "h.1", "h.3", "g.1.1", "g.2.1", "g.1.2"}));
  for (std::size_t k = 0; k < names.size(); ++k) EXPECT_EQ(all.order[k], k);
}

TEST(StanNames, KeepsTheBorderOfParameters) {
  const StanQuantities all = stan_quantities(split_names("a.1,a.2,b"), 2);
  EXPECT_FALSE(all.quantities[0].derived);
  EXPECT_TRUE(all.quantities[1].derived);
  EXPECT_TRUE(stan_quantities(split_names(""), 0).quantities.empty());
}

TEST(StanNames, HasNamesForUnconstrainedComponents) {
  EXPECT_EQ(with_brackets("theta.1.2"), "theta[1,2]");
  EXPECT_EQ(with_brackets("mu"), "mu");
  EXPECT_EQ(with_brackets("z.real"), "z.real");
  EXPECT_EQ(base_name("theta.1.2"), "theta");
  EXPECT_EQ(base_name("z.real"), "z.real");
}

}  // namespace
}  // namespace manychain
