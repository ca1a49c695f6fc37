#include "diagnostics/from_draws.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/threads.hpp"
#include "diagnostics/cancelled.hpp"
#include "diagnostics/tails.hpp"

namespace manychain::diagnostics {
namespace {

/// The draws of one variable, chain after chain.
template <class Number>
void gather(const DrawsView<Number>& draws, std::size_t variable, std::vector<double>& to) {
  to.resize(draws.draws * draws.chains);
  if (draws.draw_stride < draws.chain_stride) {
    for (std::size_t c = 0; c < draws.chains; ++c)
      for (std::size_t t = 0; t < draws.draws; ++t) to[c * draws.draws + t] = draws(t, variable, c);
  } else {
    for (std::size_t t = 0; t < draws.draws; ++t)
      for (std::size_t c = 0; c < draws.chains; ++c) to[c * draws.draws + t] = draws(t, variable, c);
  }
}

/// `x` holds the draws, chain after chain.
void add_errors(const std::vector<double>& x, std::size_t chains, std::size_t superchains, VariableSummary& s) {
  std::vector<double> means(chains), squares(chains);
  const std::size_t n = x.size() / chains;
  for (std::size_t c = 0; c < chains; ++c) {
    double sum = 0, sum_of_squares = 0;
    for (std::size_t i = c * n; i < (c + 1) * n; ++i) {
      const double distance = x[i] - s.mean;
      sum += distance;
      sum_of_squares += distance * distance;
    }
    means[c] = sum / static_cast<double>(n);
    squares[c] = sum_of_squares / static_cast<double>(n);
  }
  const double mean = variance_of_mean(means, superchains), square = variance_of_mean(squares, superchains);
  if (mean > 0) s.mcse_mean = std::sqrt(mean);
  if (square > 0) s.mcse_sd = std::sqrt(square) / (2 * s.sd);
}

}  // namespace

double variance_of_mean(const std::vector<double>& chain_means, std::size_t superchains) {
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
  return std::max(between / (K - 1), total / (C - 1)) / C;
}

template <class Number>
void add_from_draws(const DrawsView<Number>& draws, const std::vector<VariableSummary*>& summaries,
                    std::size_t superchains, int threads, const std::atomic<bool>* cancel) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(summaries.size(), draws.variables));
  if (count == 0 || draws.draws == 0 || draws.chains == 0) return;
  superchains = std::min(superchains, draws.chains);
  if (threads <= 0) threads = omp_get_max_threads();
  threads = static_cast<int>(std::min<std::ptrdiff_t>(threads, count));
  std::exception_ptr failure;
#pragma omp parallel num_threads(threads_for_loop(threads))
  {
    std::vector<double> x;
#pragma omp for schedule(dynamic)
    for (std::ptrdiff_t v = 0; v < count; ++v) {
      try {
        VariableSummary& s = *summaries[static_cast<std::size_t>(v)];
        if (cancelled(cancel) || !std::isfinite(s.mean)) continue;
        if (s.sd == 0) s.moved = 0;
        if (!(s.sd > 0)) continue;
        gather(draws, static_cast<std::size_t>(v), x);
        s.moved = static_cast<double>(x.size()) - static_cast<double>(std::count(x.begin(), x.end(), s.q50));
        if (superchains > 1) add_errors(x, draws.chains, superchains, s);
        s.khat = tail_shape(x, TailRule(x.size(), s.ess_tail));
      } catch (...) {  // nothing may leave a parallel region
#pragma omp critical(manychain_add_from_draws)
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

template void add_from_draws(const DrawsView<float>&, const std::vector<VariableSummary*>&, std::size_t, int,
                             const std::atomic<bool>*);
template void add_from_draws(const DrawsView<double>&, const std::vector<VariableSummary*>&, std::size_t, int,
                             const std::atomic<bool>*);

}  // namespace manychain::diagnostics
