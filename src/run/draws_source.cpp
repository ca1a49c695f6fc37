#include "run/draws_source.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "run/draws_in_ranks.hpp"
#include "run/run_store.hpp"

namespace manychain {

Draws part_of(const Draws& all, Stretch draws, Stretch variables) {
  Draws part;
  part.draws = draws.count;
  part.variables = variables.count;
  part.chains = all.chains;
  const auto copy = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    const std::size_t row = variables.count * all.chains;
    to.resize(draws.count * row);
    for (std::size_t d = 0; d < draws.count; ++d)
      std::copy_n(from.data() + ((draws.first + d) * all.variables + variables.first) * all.chains, row,
                  to.data() + d * row);
  };
  copy(all.float32, part.float32);
  copy(all.float64, part.float64);
  return part;
}

void append_to(Draws& all, const Draws& more) {
  all.draws += more.draws;
  all.variables = more.variables;
  all.chains = more.chains;
  all.float32.insert(all.float32.end(), more.float32.begin(), more.float32.end());
  all.float64.insert(all.float64.end(), more.float64.begin(), more.float64.end());
}

Draws DrawsSource::draws_of_rank(const Share& share, Stretch draws, Stretch variables) const {
  return chains_of_rank(share, this->draws(draws, variables));
}
Draws DrawsSource::stats_of_rank(const Share& share, Stretch draws, Stretch variables) const {
  return chains_of_rank(share, sample_stats(draws, variables));
}

namespace {

/// Draws that are there in full.
std::size_t whole_draws(const Draws& all) {
  const std::size_t row = all.variables * all.chains;
  return row == 0 ? 0 : std::min(all.draws, std::max(all.float32.size(), all.float64.size()) / row);
}

}  // namespace

DrawsSource::Shape DrawsInMemory::shape() const {
  const std::size_t draws = whole_draws(draws_);
  return {stats_.empty() ? draws : std::min(draws, whole_draws(stats_)), draws_.variables, draws_.chains,
          !draws_.float32.empty(), !stats_.empty()};
}

std::shared_ptr<const DrawsSource> source_of(StoredRun& run) {
  if (run.source) return std::move(run.source);
  return std::make_shared<DrawsInMemory>(std::exchange(run.draws, {}), std::exchange(run.sample_stats, {}));
}

}  // namespace manychain
