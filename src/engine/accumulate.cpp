#include "engine/accumulate.hpp"

#include <algorithm>

#include "manychain/core/pack.hpp"

namespace manychain {
namespace {

template <class R>
void accumulate(const diagnostics::StreamingArrays<number_of<R>>& arrays,
                const diagnostics::HeldDraws<number_of<R>>& held, std::int64_t chain, int counted,
                std::uint64_t* histogram) {
  using Number = number_of<R>;
  for (int o = 0; o < arrays.outputs; ++o) {
    diagnostics::streaming::accumulate_output<R>(arrays, held, o, chain, [&](R bins) {
      alignas(sizeof(R)) Number bin[R::lanes];
      store(bins, bin);
      for (int l = 0; l < std::min(counted, R::lanes); ++l)
        if (bin[l] >= 0) ++histogram[o * diagnostics::bin_count + static_cast<int>(bin[l])];
    });
  }
  if (held.energy) diagnostics::streaming::accumulate_energy<R>(arrays, held, chain);
}

}  // namespace

template <class Number>
void accumulate_pack(const diagnostics::StreamingArrays<Number>& arrays, const diagnostics::HeldDraws<Number>& held,
                     std::int64_t chain, int lanes, int counted, std::uint64_t* histogram) {
  if (lanes == Pack<Number>::lanes) {
    accumulate<Pack<Number>>(arrays, held, chain, counted, histogram);
    return;
  }
  // Programs of one chain per lane.
  for (int l = 0; l < lanes; ++l) {
    diagnostics::HeldDraws<Number> lane = held;
    lane.draws += l;
    if (lane.energy) lane.energy += l;
    accumulate<Scalar<Number>>(arrays, lane, chain + l, counted - l, histogram);
  }
}

template void accumulate_pack(const diagnostics::StreamingArrays<float>&, const diagnostics::HeldDraws<float>&,
                              std::int64_t, int, int, std::uint64_t*);
template void accumulate_pack(const diagnostics::StreamingArrays<double>&, const diagnostics::HeldDraws<double>&,
                              std::int64_t, int, int, std::uint64_t*);

}  // namespace manychain
