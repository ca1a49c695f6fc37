// Terms that lose the digits of parameters with offset_multiplier() (model/distributions/own_scale.hpp).
#pragma once

#include <string>
#include <vector>

#include "check/check_points.hpp"
#include "manychain/chain/model_terms.hpp"

namespace manychain {

/// A sentence for each parameter x = offset + multiplier * u whose term computes (x - offset) / multiplier. Where the
/// multiplier is small, that changes with the last digit of x; a term that is evaluated from u does not, and neither
/// does one that has a scale of its own. So the gradient is taken in extended precision with x and with x as double
/// holds it, at some of `points`, moved to where the multiplier is 1e-10 of its value there. Parameters whose
/// multiplier cannot become as small are passed over.
std::vector<std::string> notes_on_lost_digits(ModelTerms& terms, const std::vector<CheckPoint>& points);

}  // namespace manychain
