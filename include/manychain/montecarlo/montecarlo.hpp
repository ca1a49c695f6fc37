// Monte Carlo without a chain: everything of this module.
#pragma once

#include "manychain/montecarlo/discrete.hpp"
#include "manychain/montecarlo/estimate.hpp"
#include "manychain/montecarlo/importance.hpp"
#include "manychain/montecarlo/rejection.hpp"
#include "manychain/montecarlo/uniforms.hpp"
