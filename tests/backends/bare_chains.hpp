// The arrays of some chains without an engine, so that a test decides how they lie and how a block is run.
#pragma once

#include <cstdint>
#include <vector>

#include "manychain/chain/chain_arrays.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/run/result.hpp"

namespace bare {

/// Arrays of `stride` chains, of which all are run. `allocate(count)` gives zeroed Numbers of the backend.
template <class Number, class Allocate>
manychain::ChainArrays<Number> arrays(const manychain::Layout& layout, std::int64_t stride, std::uint64_t draws,
                                      const Allocate& allocate) {
  manychain::ChainArrays<Number> a;
  a.seed = 4;
  a.first_chain = 1000;
  a.chains = a.stride = a.chains_per_group = stride;
  a.dimension = static_cast<int>(layout.dimension);
  a.outputs = static_cast<int>(layout.outputs);
  a.first_derived = static_cast<int>(layout.outputs);
  for (const manychain::Quantity& quantity : layout.quantities)
    if (quantity.derived) {
      a.first_derived = static_cast<int>(quantity.offset);
      break;
    }
  const std::size_t n = static_cast<std::size_t>(stride), d = layout.dimension, o = layout.outputs;
  const std::size_t rows[] = {d, 2, d};  // position, log density, gradient
  for (int k = 0; k < 3; ++k) a.state[k] = allocate(rows[k] * n);
  const std::vector<manychain::FieldInfo> counters = manychain::counter_fields();
  for (std::size_t k = 0; k < counters.size(); ++k)
    a.counters[k] = allocate(static_cast<std::size_t>(counters[k].rows) * n);
  for (Number*& moments : a.moments) moments = allocate(d * n);
  if (draws > 0) {
    a.draws = allocate(draws * o * n);
    a.stats = allocate(draws * manychain::sample_stat_count * n);
    a.draws_stride = stride;
  }
  return a;
}

/// A block of `count` transitions from `first` on; if there is room for `draws` draws, each transition makes one.
inline manychain::Block block(std::uint64_t first, std::uint32_t count, std::uint64_t draws) {
  manychain::Block b;
  b.first_transition = first;
  b.count = count;
  b.accumulate_window = true;
  b.keep = draws > 0;
  return b;
}

}  // namespace bare
