// Walks of a chain on two states, counted: the distribution of the count is known exactly.
#include <fmt/format.h>

#include <vector>

#include "gallery/counts.hpp"
#include "gallery/entries.hpp"
#include "manychain/markov/markov.hpp"

namespace manychain::gallery {

Report two_state_walk(const GalleryOptions& options) {
  const markov::TransitionMatrix p({{0.4, 0.6}, {0.5, 0.5}});
  const std::size_t steps = options.quick ? 1100 : 11'000;
  Report report;
  report.lines = {"P = ((0.4, 0.6), (0.5, 0.5)), walked: whichever state a walk starts in, its visits tend to 5 : 6.",
                  ""};
  Table table{{"start", "visits of 1", "of 2", "5 : 6 would be", "smaller over larger"}, {}};
  for (std::size_t start : {0, 1}) {
    const markov::Sequence walk =
        markov::Simulator(p, start == 0 ? std::vector<double>{1, 0} : std::vector<double>{0, 1}, options.seed)
            .path(start, steps);
    std::string shown;
    for (std::size_t t = 0; t <= 40; ++t) shown += fmt::format(" {}", walk[t] + 1);
    report.lines.push_back(fmt::format("  from {}: {} ...", start + 1, shown.substr(1)));
    std::size_t visits = 0;
    for (std::size_t t = 1; t <= steps; ++t) visits += walk[t] == 0;
    table.rows.push_back({fmt::format("{}", start + 1), fmt::format("{}", visits), fmt::format("{}", steps - visits),
                          fmt::format("{} : {}", steps / 11 * 5, steps / 11 * 6),
                          fmt::format("{:.4f}", double(visits) / double(steps - visits))});
    const std::vector<double> distribution = occupation_of_two(p, start, 0, steps);
    report.checks.push_back(
        count_check(fmt::format("visits of 1 in {} steps from {}", steps, start + 1), distribution, visits));
    // By the closed form: P^t(1, 1) = 5/11 + 6/11 (-0.1)^t, P^t(2, 1) = 5/11 - 5/11 (-0.1)^t.
    double mean = 0;
    for (std::size_t k = 0; k <= steps; ++k) mean += double(k) * distribution[k];
    report.checks.push_back(exact(fmt::format("expected visits of 1 from {}", start + 1),
                                  5.0 / 11 * double(steps) - (start == 0 ? 6.0 : -5.0) / 11 / 11, mean,
                                  1e-10 * double(steps)));
  }
  report.tables.push_back(table);
  return report;
}

}  // namespace manychain::gallery
