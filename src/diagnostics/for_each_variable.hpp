// All variables of an array of draws, on all threads of the host.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <vector>

#include "core/threads.hpp"
#include "diagnostics/host_backend.hpp"
#include "diagnostics/rank_statistics.hpp"
#include "diagnostics/tile_loops.hpp"
#include "manychain/diagnostics/draws.hpp"

namespace manychain::diagnostics {

/// Normal scores of ranks among few draws, which this thread keeps: the data sets of a run have as many.
inline ScoreTable kept_scores(std::size_t ranked) {
  constexpr std::size_t most = 8;  // tables, of 32 KiB at most
  thread_local std::map<std::size_t, DrawValues<double>> kept;
  if (kept.size() == most && kept.find(ranked) == kept.end()) kept.clear();
  DrawValues<double>& table = kept[ranked];
  if (table.empty()) {
    table.resize(score_table_size(ranked));
    write_score_table(table.data(), 0, table.size(), ranked);
  }
  return table.data();
}

/// `ask(statistics, variable)` of every variable, with at most `threads` threads (0: all there are). Once `cancel` is
/// true no more are asked, and the answers end before the first variable that was not done.
template <class Answer, class Index, class Number, class Ask>
std::vector<Answer> for_each_variable_with(const DrawsView<Number>& draws, int threads, const Ask& ask,
                                           const std::atomic<bool>* cancel) {
  std::vector<Answer> answers(draws.variables);
  std::vector<unsigned char> done(draws.variables, 0);
  const auto variables = static_cast<std::ptrdiff_t>(draws.variables);
  std::exception_ptr failure;
  using Statistics = RankStatisticsOf<HostBackend, Number, Index>;
  // Normal scores are the same for all variables; two of them ask for each at least four times.
  const std::size_t ranked = draws.variables > 1 ? Statistics::ranked_draws(draws) : 0;
  const bool few = ranked > 0 && ranked <= few_draws;
  DrawValues<double> scores(few ? 0 : score_table_size(ranked));
  const ScoreTable table = few ? kept_scores(ranked) : scores.empty() ? nullptr : scores.data();
  const auto known = static_cast<std::ptrdiff_t>(scores.size());
  constexpr std::ptrdiff_t score_part = 4096;
#pragma omp parallel num_threads(threads_for_loop(threads))
  {
    std::optional<Statistics> statistics;
#pragma omp for schedule(static)
    for (std::ptrdiff_t part = 0; part < (known + score_part - 1) / score_part; ++part) {
      const auto begin = static_cast<std::size_t>(part * score_part);
      write_score_table(scores.data(), begin, std::min(scores.size(), begin + score_part), ranked);
    }
#pragma omp for schedule(dynamic)
    for (std::ptrdiff_t v = 0; v < variables; ++v) {
      try {
        if (cancelled(cancel)) continue;
        if (!statistics) {
          statistics.emplace(draws, Parts::halves, cancel);
          if (table) statistics->look_up(table);
        }
        const auto variable = static_cast<std::size_t>(v);
        answers[variable] = ask(*statistics, variable);
        done[variable] = !cancelled(cancel);  // else it may have ended half way
      } catch (...) {                         // nothing may leave a parallel region
#pragma omp critical(manychain_for_each_variable)
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  answers.erase(answers.begin() + (std::find(done.begin(), done.end(), 0) - done.begin()), answers.end());
  return answers;
}

template <class Answer, class Number, class Ask>
std::vector<Answer> for_each_variable(const DrawsView<Number>& draws, int threads, const Ask& ask,
                                      const std::atomic<bool>* cancel = nullptr) {
  if (draws.variables == 0) return {};
  if (threads <= 0) threads = omp_get_max_threads();
  threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), draws.variables));
  using Small = RankStatisticsOf<HostBackend, Number, std::uint32_t>;
  return Small::fits(draws) ? for_each_variable_with<Answer, std::uint32_t>(draws, threads, ask, cancel)
                            : for_each_variable_with<Answer, std::uint64_t>(draws, threads, ask, cancel);
}

}  // namespace manychain::diagnostics
