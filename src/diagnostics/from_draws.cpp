#include "diagnostics/from_draws.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "core/threads.hpp"
#include "diagnostics/cancelled.hpp"
#include "diagnostics/nested_rhat.hpp"
#include "diagnostics/tails.hpp"
#include "diagnostics/tile_loops.hpp"

namespace manychain::diagnostics {
namespace {

/// `visit(draw, chain)` for `draws` x `chains` places, in the order in which the draws lie in memory.
template <class Number, class Visit>
void visit_in_memory_order(const DrawsView<Number>& of, std::size_t draws, std::size_t chains, const Visit& visit) {
  if (of.draw_stride < of.chain_stride) {
    for (std::size_t c = 0; c < chains; ++c)
      for (std::size_t t = 0; t < draws; ++t) visit(t, c);
  } else {
    for (std::size_t t = 0; t < draws; ++t)
      for (std::size_t c = 0; c < chains; ++c) visit(t, c);
  }
}

/// Draws for the tails: all, or no more than most_in_tails, at equal distances in each chain. Draws thinned like this
/// are worth what all are, or what independent ones are. Of more chains than that, chains at equal distances.
template <class Number>
void gather(const DrawsView<Number>& draws, std::size_t variable, std::vector<double>& to) {
  const std::size_t chains = std::min(draws.chains, most_in_tails);
  const std::size_t of_chain = std::min(draws.draws, most_in_tails / chains);
  std::vector<std::size_t> row(of_chain), chain(chains);
  for (std::size_t t = 0; t < of_chain; ++t) row[t] = (2 * t + 1) * draws.draws / (2 * of_chain);
  for (std::size_t c = 0; c < chains; ++c) chain[c] = c * draws.chains / chains;
  to.resize(of_chain * chains);  // in one order, whatever that in memory: sums over them are rounded
  visit_in_memory_order(draws, of_chain, chains, [&](std::size_t t, std::size_t c) {
    to[c * of_chain + t] = draws(row[t], variable, chain[c]);
  });
}

/// Sums of each chain, and what standard errors follow from them. A superchain has chains of all groups, so that groups
/// which differ are compared as superchains of their own.
template <class Number>
void add_errors(const DrawsView<Number>& draws, std::size_t variable, std::size_t superchains, std::size_t groups,
                VariableSummary& s) {
  std::vector<double> means(draws.chains, 0.0), squares(draws.chains, 0.0);
  if (draws.chain_stride == 1) {
    for (std::size_t t = 0; t < draws.draws; ++t)
      add_sums(&draws.data[t * draws.draw_stride + variable * draws.variable_stride], draws.chains, s.mean,
               means.data(), squares.data());
  } else {
    visit_in_memory_order(draws, draws.draws, draws.chains, [&](std::size_t t, std::size_t c) {
      const double distance = draws(t, variable, c) - s.mean;
      means[c] += distance;
      squares[c] += distance * distance;
    });
  }
  for (double& sum : means) sum /= static_cast<double>(draws.draws);
  for (double& sum : squares) sum /= static_cast<double>(draws.draws);
  const MeanOfChains mean = mean_of_chains(means, superchains), square = mean_of_chains(squares, superchains);
  if (mean.variance > 0) s.mcse_mean = std::sqrt(mean.variance);
  if (square.variance > 0) s.mcse_sd = std::sqrt(square.variance) / (2 * s.sd);
  s.sd_between_starts = square.between_starts;
  if (groups < 2) return;
  std::vector<SequenceMoments> chains;
  for (std::size_t c = 0; c < draws.chains; ++c) chains.push_back({means[c], squares[c] - means[c] * means[c]});
  const double apart = rhat_of_groups(chains, groups);
  if (apart > s.rhat_nested) s.rhat_nested = apart;
}

}  // namespace

MeanOfChains mean_of_chains(const std::vector<double>& chain_means, std::size_t superchains) {
  const std::size_t chains = chain_means.size();
  const auto C = static_cast<double>(chains), K = static_cast<double>(superchains);
  double mean = 0;
  for (const double m : chain_means) mean += m / C;
  double between = 0, total = 0;
  std::vector<double> sums(superchains, 0.0);
  for (std::size_t c = 0; c < chains; ++c) {
    sums[c % superchains] += chain_means[c] - mean;
    total += (chain_means[c] - mean) * (chain_means[c] - mean);
  }
  for (std::size_t k = 0; k < superchains; ++k) {
    const auto size = static_cast<double>((chains - k + superchains - 1) / superchains);
    between += sums[k] * sums[k] / size;
  }
  const double within = total - between;
  return {std::max(between / (K - 1), total / (C - 1)) / C,
          within > 0 ? between / (K - 1) / (within / (C - K)) : std::numeric_limits<double>::quiet_NaN()};
}

template <class Number>
std::size_t add_from_draws(const DrawsView<Number>& draws, const std::vector<VariableSummary*>& summaries,
                           std::size_t superchains, int threads, const std::atomic<bool>* cancel, std::size_t groups) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(summaries.size(), draws.variables));
  if (count == 0 || draws.draws == 0 || draws.chains == 0) return summaries.size();
  superchains = std::min(superchains, draws.chains);
  if (threads <= 0) threads = omp_get_max_threads();
  threads = static_cast<int>(std::min<std::ptrdiff_t>(threads, count));
  std::vector<unsigned char> done(static_cast<std::size_t>(count), 0);
  std::exception_ptr failure;
#pragma omp parallel num_threads(threads_for_loop(threads))
  {
    std::vector<double> x;
    TailFits tails;
#pragma omp for schedule(dynamic)
    for (std::ptrdiff_t v = 0; v < count; ++v) {
      try {
        if (cancelled(cancel)) continue;
        const auto variable = static_cast<std::size_t>(v);
        VariableSummary& s = *summaries[variable];
        done[variable] = 1;
        // The median is none where a draw is not finite. A mean that overflows is of tails that are looked at.
        if (std::isnan(s.q50) || s.moved == 0) continue;
        if (superchains > 1) add_errors(draws, variable, superchains, groups, s);
        if (!std::isnan(s.khat)) continue;
        gather(draws, variable, x);
        s.khat = tails(x, TailRule(draws.draws * draws.chains, s.ess_tail));
      } catch (...) {  // nothing may leave a parallel region
#pragma omp critical(manychain_add_from_draws)
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  const auto first_left = std::find(done.begin(), done.end(), 0);
  return first_left == done.end() ? summaries.size() : static_cast<std::size_t>(first_left - done.begin());
}

template std::size_t add_from_draws(const DrawsView<float>&, const std::vector<VariableSummary*>&, std::size_t, int,
                                    const std::atomic<bool>*, std::size_t);
template std::size_t add_from_draws(const DrawsView<double>&, const std::vector<VariableSummary*>&, std::size_t, int,
                                    const std::atomic<bool>*, std::size_t);

}  // namespace manychain::diagnostics
