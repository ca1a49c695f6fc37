// Targets with exact draws for samplers that need more than a density: full conditionals, proposals, integers. All are
// models of the tests' own, bound to the sampler under test.
#pragma once

#include "statistical/continuous_sampler_targets.hpp"
#include "statistical/discrete_sampler_targets.hpp"
#include "statistical/mixed_sampler_targets.hpp"
