// The findings on single precision, in a JSON object.
#pragma once

#include <nlohmann/json.hpp>

#include "manychain/run/result.hpp"

namespace manychain::io {

inline nlohmann::ordered_json precision_json(const PrecisionCheck& check) {
  return {{"looked", check.looked},
          {"found", check.found},
          {"enough", check.enough},
          {"decisions_changed", check.decisions_changed},
          {"positions_changed", check.positions_changed},
          {"gradient_error", check.gradient_error},
          {"smallest_eigenvalue", check.smallest_eigenvalue},
          {"parameters", check.parameters},
          {"correlation", check.correlation},
          {"lost", check.lost},
          {"raised", check.raised},
          {"beyond", check.beyond},
          {"unscaled", check.unscaled},
          {"failure", check.failure}};
}

}  // namespace manychain::io
