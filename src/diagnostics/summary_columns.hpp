// The statistics of a quantity by name, as tables of numbers have them.
#pragma once

#include <array>
#include <utility>

#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// Columns of manychain_get_summary_matrix(), and of what is written of many data sets.
inline constexpr std::array<std::pair<const char*, double VariableSummary::*>, 12> summary_columns = {{
    {"mean", &VariableSummary::mean},
    {"sd", &VariableSummary::sd},
    {"q5", &VariableSummary::q5},
    {"q50", &VariableSummary::q50},
    {"q95", &VariableSummary::q95},
    {"rhat", &VariableSummary::rhat},
    {"rhat_nested", &VariableSummary::rhat_nested},
    {"ess_bulk", &VariableSummary::ess_bulk},
    {"ess_tail", &VariableSummary::ess_tail},
    {"mcse_mean", &VariableSummary::mcse_mean},
    {"mcse_sd", &VariableSummary::mcse_sd},
    {"khat", &VariableSummary::khat},
}};

}  // namespace manychain::diagnostics
