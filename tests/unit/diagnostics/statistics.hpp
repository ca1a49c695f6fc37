// The statistics of one quantity, each with the reference's.
#pragma once

#include "manychain/diagnostics/convergence.hpp"
#include "manychain/diagnostics/estimates.hpp"
#include "unit/diagnostics/reference.hpp"

namespace test_draws {

struct Statistic {
  const char* name;
  double (*of)(const manychain::diagnostics::QuantityView&);
  double (*reference)(const reference::Chains&);
};

namespace library = manychain::diagnostics;

/// Statistics that no affine map changes.
inline const Statistic dimensionless[] = {
    {"rhat", library::rhat, reference::rhat},
    {"rhat_bulk", library::rhat_bulk, reference::rhat_bulk},
    {"rhat_folded", library::rhat_folded, reference::rhat_folded},
    {"rhat_split", library::rhat_split, [](const auto& x) { return reference::rhat_of(reference::split(x)); }},
    {"rhat_plain", library::rhat_plain, reference::rhat_of},
    {"ess_bulk", library::ess_bulk, reference::ess_bulk},
    {"ess_tail", library::ess_tail, reference::ess_tail},
    {"ess_mean", library::ess_mean, reference::ess_mean},
    {"ess_sd", library::ess_sd, reference::ess_sd},
    {"ess_median", library::ess_median, [](const auto& x) { return reference::ess_quantile(x, 0.5); }},
    {"ess_plain", library::ess_plain, reference::ess_of}};

/// Statistics that a change of scale multiplies.
inline const Statistic scaled[] = {
    {"sd", library::sd, reference::sd},
    {"mad", library::mad, reference::mad},
    {"mcse_mean", library::mcse_mean, reference::mcse_mean},
    {"mcse_sd", library::mcse_sd, reference::mcse_sd},
    {"mcse_median", library::mcse_median, [](const auto& x) { return reference::mcse_quantile(x, 0.5); }}};

}  // namespace test_draws
