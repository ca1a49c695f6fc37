// A model that manychain_add_model() compiled looks at its indices and sizes when data are bound, not when it runs.
#include "unit/run/misfit.hpp"

#include <gtest/gtest.h>

#include "manychain/manychain.hpp"

namespace manychain {
namespace {

std::string bound(int groups, int last) {
  Data data;
  data.set("N", 8);
  data.set("J", groups);
  data.set("last", last);
  data.set("y", {1, 2, 3, 4, 5, 6, 7, 8});
  try {
    model<Misfit>(data);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "bound";
}

TEST(Misfit, IsRefusedWhenItIsBound) {
  EXPECT_EQ(bound(8, 7), "bound");
  EXPECT_EQ(bound(3, 2),
            "model misfit: a density takes y and eta element by element, but y has 8 elements and eta has 3 "
            "elements");
  EXPECT_EQ(bound(8, 8),
            "model misfit: eta[8] is asked for, but eta has 8 elements, eta[0] to eta[7] (counted from 0)");
}

}  // namespace
}  // namespace manychain
