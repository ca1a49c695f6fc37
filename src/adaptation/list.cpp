#include "manychain/adaptation/list.hpp"

namespace manychain {
namespace {

template <class... A>
std::vector<AdaptationInfo> infos(AdaptationList<A...>) {
  return {A::info...};
}

}  // namespace

const std::vector<AdaptationInfo>& all_adaptations() {
  static const std::vector<AdaptationInfo> adaptations = infos(AllAdaptations{});
  return adaptations;
}

}  // namespace manychain
