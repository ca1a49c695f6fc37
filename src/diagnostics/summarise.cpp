// Summaries on the host.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

#include "diagnostics/host_backend.hpp"
#include "diagnostics/rank_statistics.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain {
namespace {

template <class Index, class Number>
std::vector<VariableSummary> summarise_with(const DrawsView<Number>& draws, int threads, std::size_t superchains) {
  std::vector<VariableSummary> summaries(draws.variables);
  const auto variables = static_cast<std::ptrdiff_t>(draws.variables);
  std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
  {
    diagnostics::RankStatisticsOf<diagnostics::HostBackend, Number, Index> statistics(draws, superchains);
#pragma omp for schedule(dynamic)
    for (std::ptrdiff_t v = 0; v < variables; ++v) {
      try {
        summaries[static_cast<std::size_t>(v)] = statistics(static_cast<std::size_t>(v)).summary;
      } catch (...) {  // nothing may leave a parallel region
#pragma omp critical(manychain_summarise)
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  return summaries;
}

template <class Number>
std::vector<VariableSummary> summarise_on_host(const DrawsView<Number>& draws, int threads, std::size_t superchains) {
  if (draws.variables == 0) return {};
  if (threads <= 0) threads = omp_get_max_threads();
  threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), draws.variables));
  using Small = diagnostics::RankStatisticsOf<diagnostics::HostBackend, Number, std::uint32_t>;
  return Small::fits(draws) ? summarise_with<std::uint32_t>(draws, threads, superchains)
                            : summarise_with<std::uint64_t>(draws, threads, superchains);
}

}  // namespace

std::vector<VariableSummary> summarise(const DrawsView<float>& draws, int threads, std::size_t superchains) {
  return summarise_on_host(draws, threads, superchains);
}
std::vector<VariableSummary> summarise(const DrawsView<double>& draws, int threads, std::size_t superchains) {
  return summarise_on_host(draws, threads, superchains);
}

}  // namespace manychain
