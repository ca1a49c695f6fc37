// Everything that a program needs to sample: models, settings, sample(), results, files of draws.
#pragma once

#include "manychain/core/error.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "manychain/io/diagnosis.hpp"
#include "manychain/io/output.hpp"
#include "manychain/io/sets_output.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/model/data/data_sets.hpp"
#include "manychain/run/check.hpp"
#include "manychain/run/evidence.hpp"
#include "manychain/run/folds.hpp"
#include "manychain/run/foreign.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/sets.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"
