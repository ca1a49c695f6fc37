// The findings of the tests of a model, as JSON.
#pragma once

#include <string>

#include "calibration/calibration.hpp"
#include "calibration/reference.hpp"

namespace manychain::io {

/// One JSON object each; docs/models.md lists their keys. What is not a number is null.
std::string to_json(const Calibration& calibration);
std::string to_json(const ReferenceComparison& comparison);

}  // namespace manychain::io
