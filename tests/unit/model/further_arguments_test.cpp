// Arguments of every kind for the distributions of the other headers.
#include "unit/model/argument_kinds.hpp"

namespace manychain::test {
namespace {

TEST(DensityArguments, OfEveryKindInContinuousDistributions) {
  check_all_kinds<Pack<float>, 2, 2>([](auto f) { for_each_continuous_density(f); });
}
TEST(DensityArguments, OfEveryKindInCounts) {
  check_all_kinds<Pack<float>, 2, 2>([](auto f) { for_each_count_density(f); });
}
TEST(DensityArguments, OfEveryKindInLogCdfs) {
  check_all_kinds<Pack<double>, 2, 2>([](auto f) { for_each_log_cdf(f); });
  check_all_kinds<Pack<double>, 2, 2>([](auto f) { for_each_half_log_cdf(f); });
}
TEST(DensityArguments, OfEveryKindInShapeLogCdfs) {
  check_all_kinds<Pack<double>, 2, 2>([](auto f) { for_each_shape_log_cdf(f); });
  check_all_kinds<Pack<double>, 2, 2>([](auto f) { for_each_skew_normal_log_cdf(f); });
}
TEST(DensityArguments, OfEveryKindInCountLogCdfs) {
  check_all_kinds<Pack<double>, 2, 2>([](auto f) { for_each_count_log_cdf(f); });
}

}  // namespace
}  // namespace manychain::test
