// Summaries on the host.
#include <atomic>
#include <vector>

#include "diagnostics/for_each_variable.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain {
namespace {

template <class Number>
std::vector<VariableSummary> summarise_on_host(const DrawsView<Number>& draws, int threads, std::size_t superchains,
                                               const std::atomic<bool>* cancel) {
  return diagnostics::for_each_variable<VariableSummary>(
      draws, threads,
      [superchains](auto& statistics, std::size_t variable) { return statistics(variable, superchains); }, cancel);
}

}  // namespace

std::vector<VariableSummary> summarise(const DrawsView<float>& draws, int threads, std::size_t superchains,
                                       const std::atomic<bool>* cancel) {
  return summarise_on_host(draws, threads, superchains, cancel);
}
std::vector<VariableSummary> summarise(const DrawsView<double>& draws, int threads, std::size_t superchains,
                                       const std::atomic<bool>* cancel) {
  return summarise_on_host(draws, threads, superchains, cancel);
}

}  // namespace manychain
