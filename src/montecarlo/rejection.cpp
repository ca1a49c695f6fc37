#include "manychain/montecarlo/rejection.hpp"

#include <fmt/format.h>

#include <cmath>

#include "manychain/core/error.hpp"

namespace manychain::montecarlo {

Rejection rejection(const RejectionRun& run, double bound, double integral) {
  if (run.proposed == 0) throw BadInput("rejection: nothing was proposed");
  if (run.accepted > run.proposed || run.above_bound > run.proposed) {
    throw BadInput(
        fmt::format("rejection: {} accepted and {} above the bound, of {} proposed: these are not counts of "
                    "one run",
                    run.accepted, run.above_bound, run.proposed));
  }
  if (!(bound > 0) || std::isinf(bound)) {
    throw BadInput(fmt::format("rejection: the bound {} is not allowed; it must be positive and finite", bound));
  }
  if (!std::isnan(integral) && !(integral > 0 && integral <= bound)) {
    throw BadInput(fmt::format(
        "rejection: the integral {} is not allowed with the bound {}; it must be inside (0, bound]", integral, bound));
  }
  const auto n = static_cast<double>(run.proposed), accepted = static_cast<double>(run.accepted);
  const auto binomial_error = [&](double rate) { return std::sqrt(rate * (1 - rate) / n); };
  Rejection r;
  r.acceptance_rate = accepted / n;
  r.standard_error = binomial_error((accepted + 0.5) / (n + 1));
  r.expected_rate = integral / bound;
  const double off = r.acceptance_rate - r.expected_rate;
  // With Z = M everything is accepted for certain.
  r.z_score = off == 0 ? 0 : off / binomial_error(r.expected_rate);
  r.normalising_constant = bound * r.acceptance_rate;
  r.normalising_error = bound * r.standard_error;
  r.bounded = run.above_bound == 0;
  return r;
}

}  // namespace manychain::montecarlo
