// The C interface: diagnostics of draws of any program.
#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "c_api/handles.hpp"
#include "core/threads.hpp"
#include "manychain/diagnostics/convergence.hpp"
#include "manychain/diagnostics/estimates.hpp"
#include "text/suggest.hpp"

namespace manychain::c_api {
namespace {

namespace d = diagnostics;
using d::QuantityView;

/// A statistic by name: of the draws alone, or of a quantile of them.
struct Statistic {
  const char* name;
  double (*plain)(const QuantityView& x);
  double (*of_quantile)(const QuantityView& x, double p);
};

constexpr Statistic statistics[] = {
    {"rhat", d::rhat, nullptr},
    {"rhat_bulk", d::rhat_bulk, nullptr},
    {"rhat_folded", d::rhat_folded, nullptr},
    {"rhat_split", d::rhat_split, nullptr},
    {"rhat_plain", d::rhat_plain, nullptr},
    {"ess_bulk", d::ess_bulk, nullptr},
    {"ess_tail", d::ess_tail, nullptr},
    {"ess_mean", d::ess_mean, nullptr},
    {"ess_sd", d::ess_sd, nullptr},
    {"ess_median", d::ess_median, nullptr},
    {"ess_plain", d::ess_plain, nullptr},
    {"ess_quantile", nullptr, d::ess_quantile},
    {"mcse_mean", d::mcse_mean, nullptr},
    {"mcse_sd", d::mcse_sd, nullptr},
    {"mcse_median", d::mcse_median, nullptr},
    {"mcse_quantile", nullptr, d::mcse_quantile},
    {"pareto_khat", d::pareto_khat, nullptr},
    {"mean", d::mean, nullptr},
    {"sd", d::sd, nullptr},
    {"mad", d::mad, nullptr},
    {"quantile", nullptr, d::quantile},
};

const Statistic& statistic_called(const std::string& name) {
  std::vector<std::string> names;
  for (const Statistic& one : statistics) {
    if (name == one.name) return one;
    names.emplace_back(one.name);
  }
  throw BadInput("name: there is no diagnostic " + name + did_you_mean(name, names));
}

/// Throws BadInput unless there is what to look at, and where to put it.
const manychain_sequences& checked(const manychain_sequences* of, const double* results) {
  require_not_null(of, "of: give the draws");
  require_not_null(results, "results: give the address of room for them");
  std::size_t size = of->chains;
  if (__builtin_mul_overflow(size, of->draws, &size) || __builtin_mul_overflow(size, of->variables, &size) ||
      size > static_cast<std::size_t>(-1) / sizeof(double))
    throw BadInput("of: more numbers than memory can hold");
  if (size > 0) require_not_null(of->values, "of: give the address of the values");
  return *of;
}

QuantityView variable_of(const manychain_sequences& of, std::size_t variable) {
  const double* const values = of.values ? of.values + variable : nullptr;  // none: there are no draws
  return {values, of.draws, of.chains, of.variables, of.draws * of.variables};
}

/// results[variable] = ask(its draws), on `threads` threads.
template <class Ask>
void ask_all(const manychain_sequences& of, int threads, double* results, const Ask& ask) {
  if (threads < 0) throw BadInput("threads: " + std::to_string(threads) + " is not allowed; 0 takes all there are");
  if (of.variables == 0) return;
  results[0] = ask(variable_of(of, 0));  // what is wrong with an argument is found here, outside of the loop
  if (threads == 0) threads = omp_get_max_threads();
  threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), of.variables));
  const auto variables = static_cast<std::ptrdiff_t>(of.variables);
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) num_threads(threads_for_loop(threads))
  for (std::ptrdiff_t v = 1; v < variables; ++v) {
    try {
      results[v] = ask(variable_of(of, static_cast<std::size_t>(v)));
    } catch (...) {  // nothing may leave a parallel region
#pragma omp critical(manychain_c_diagnostics)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace
}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

size_t manychain_diagnostic_count(void) { return std::size(statistics); }
manychain_status manychain_get_diagnostic(size_t index, manychain_diagnostic* diagnostic) {
  return guarded([&] {
    require_not_null(diagnostic, "diagnostic: give the address of one");
    require_index("index", index, std::size(statistics));
    *diagnostic = {statistics[index].name, statistics[index].of_quantile != nullptr};
  });
}

manychain_status manychain_diagnose(const char* name, double p, const manychain_sequences* of, int threads,
                                    double* results) {
  return guarded([&] {
    require_not_null(name, "name: give that of a diagnostic");
    const Statistic& one = statistic_called(name);
    ask_all(checked(of, results), threads, results,
            [&](const QuantityView& x) { return one.plain ? one.plain(x) : one.of_quantile(x, p); });
  });
}

manychain_status manychain_rhat_nested(const manychain_sequences* of, const size_t* superchains, int ranked,
                                       int threads, double* results) {
  return guarded([&] {
    const manychain_sequences& draws = checked(of, results);
    if (draws.chains > 0) require_not_null(superchains, "superchains: give a label for each chain");
    const std::vector<std::size_t> labels(superchains, superchains + draws.chains);
    ask_all(draws, threads, results, [&](const QuantityView& x) {
      return ranked ? d::rhat_nested_ranked(x, labels) : d::rhat_nested(x, labels);
    });
  });
}

manychain_status manychain_autocorrelation(const manychain_sequences* of, size_t max_lag, double* results) {
  return guarded([&] {
    const manychain_sequences& draws = checked(of, results);
    if (max_lag >= draws.draws)
      throw BadInput("max_lag: " + std::to_string(max_lag) + " is not below the number of draws, " +
                     std::to_string(draws.draws));
    for (std::size_t v = 0; v < draws.variables; ++v) {
      const std::vector<double> lags = d::autocorrelation(variable_of(draws, v), max_lag);
      results = std::copy(lags.begin(), lags.end(), results);
    }
  });
}

manychain_status manychain_ebfmi(const manychain_sequences* of, double* results) {
  return guarded([&] {
    const manychain_sequences& draws = checked(of, results);
    if (draws.variables != 1) throw BadInput("of: energies are one variable, not " + std::to_string(draws.variables));
    const std::vector<double> fractions = d::ebfmi(variable_of(draws, 0));
    std::copy(fractions.begin(), fractions.end(), results);
  });
}

}  // extern "C"
