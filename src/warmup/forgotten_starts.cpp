#include "warmup/forgotten_starts.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "adaptation/estimate_metric.hpp"
#include "diagnostics/drift.hpp"

namespace manychain {

/// Compares the first quarter of the looks at a window with the last one. A window that lacks points of some chains
/// shows nothing.
bool ForgottenStarts::drifts() const {
  const std::size_t d = layout.dimension, chains = settings.chains;
  const WindowOfGroup& window = groups_[0].window;
  const std::size_t looks = window.log_densities.size() / chains;
  const bool whole = groups_.size() == 1 && window.points.size() == looks * chains * d;
  if (!whole || looks < 2 || chains < diagnostics::fewest_chains_for_drift) return false;
  const auto draws_of = [&](std::size_t first, std::size_t end) {
    std::vector<Draws> draws(end - first);
    for (std::size_t k = first; k < end; ++k) {
      Draws& draw = draws[k - first];
      draw.draws = 1;
      draw.variables = d;
      draw.chains = chains;
      draw.float64.resize(d * chains);
      for (std::size_t c = 0; c < chains; ++c)
        for (std::size_t i = 0; i < d; ++i) draw.float64[i * chains + c] = window.points[(k * chains + c) * d + i];
    }
    return draws;
  };
  const std::size_t quarter = std::max<std::size_t>(looks / 4, 1);
  const std::vector<double> found = diagnostics::drifts(draws_of(0, quarter), draws_of(looks - quarter, looks), d,
                                                        *settings.superchains, diagnostics::level_in_warmup);
  return std::any_of(found.begin(), found.end(), [](double drift) { return drift > 0; });
}

bool ForgottenStarts::settled() {
  if (settings.warmup.end != WarmupEnd::settled) return false;  // no other warm-up settles
  const std::vector<double> positions = engine.points(settings.chains).positions;
  const auto of_group = static_cast<std::ptrdiff_t>(groups_.chains_of_group() * layout.dimension);
  for (auto first = positions.begin(); first != positions.end(); first += of_group)
    if (!starts_forgotten({first, first + of_group}, layout.dimension, *settings.superchains)) return false;
  return !drifts();
}

}  // namespace manychain
