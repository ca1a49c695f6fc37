// Summaries on the host.
#include <vector>

#include "diagnostics/for_each_variable.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain {
namespace {

template <class Number>
std::vector<VariableSummary> summarise_on_host(const DrawsView<Number>& draws, int threads, std::size_t superchains) {
  return diagnostics::for_each_variable<VariableSummary>(
      draws, threads,
      [superchains](auto& statistics, std::size_t variable) { return statistics(variable, superchains); });
}

}  // namespace

std::vector<VariableSummary> summarise(const DrawsView<float>& draws, int threads, std::size_t superchains) {
  return summarise_on_host(draws, threads, superchains);
}
std::vector<VariableSummary> summarise(const DrawsView<double>& draws, int threads, std::size_t superchains) {
  return summarise_on_host(draws, threads, superchains);
}

}  // namespace manychain
