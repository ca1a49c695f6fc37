// A model that manychain_add_model() compiled looks at its indices and sizes when data are bound, not when it runs.
#include "unit/run/misfit.hpp"

#include "manychain/manychain.hpp"
#include "unit/run/model_of.hpp"

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

/// Of a model in a test's own unit names are looked at, too.
template <class Number>
struct SameName {
  static constexpr int dimension = 2;
  using samplers = SamplerList<Metropolis<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.real("a");
    auto b = target.real("a");
    target += normal(a, 0, 1) + normal(b, 0, 1);
  }
};
TEST(Misfit, NamesDiffer) {
  try {
    model_of<SameName>();
    FAIL() << "bound";
  } catch (const BadInput& error) {
    EXPECT_SAYS(std::string(error.what()), "the name a is declared twice");
  }
}

}  // namespace
}  // namespace manychain
