// Terms that lose the digits of parameters with offset_multiplier() (model/autodiff/own_scale.hpp).
#pragma once

#include <string>
#include <vector>

#include "check/check_points.hpp"
#include "manychain/chain/model_terms.hpp"

namespace manychain {

/// A sentence for each parameter x = offset + multiplier * u with a term that computes (x - offset) / multiplier. If
/// the multiplier is small, the quotient changes with the last digit of x; a term that is evaluated from u does not,
/// nor does one with a scale of its own. So gradients in extended precision are compared between x and x rounded to
/// double, at some of `points`, moved to where the multiplier is 1e-10 of its value there. Parameters whose multiplier
/// cannot become as small are skipped.
std::vector<std::string> notes_on_lost_digits(ModelTerms& terms, const std::vector<CheckPoint>& points);

}  // namespace manychain
