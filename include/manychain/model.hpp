// Everything that the header of a model needs.
#pragma once

// First, so that what they say of a model comes with few lines.
#include "manychain/core/row_block.hpp"
#include "manychain/model/expression.hpp"
#include "manychain/model/refusals.hpp"
#include "manychain/model/view.hpp"

#include "manychain/model/dual.hpp"
#include "manychain/model/parameter_vectors.hpp"

#include "manychain/model/target.hpp"

#include "manychain/model/categorical_distributions.hpp"
#include "manychain/model/continuous_distributions.hpp"
#include "manychain/model/count_distributions.hpp"
#include "manychain/model/count_log_cdfs.hpp"
#include "manychain/model/covariance_functions.hpp"
#include "manychain/model/data_reader.hpp"
#include "manychain/model/functions.hpp"
#include "manychain/model/glm.hpp"
#include "manychain/model/half_log_cdfs.hpp"
#include "manychain/model/log_cdfs.hpp"
#include "manychain/model/matrix_constraints.hpp"
#include "manychain/model/matrix_distributions.hpp"
#include "manychain/model/matrix_expression.hpp"
#include "manychain/model/mixtures.hpp"
#include "manychain/model/sampled_continuous.hpp"
#include "manychain/model/sampled_counts.hpp"
#include "manychain/model/sampled_distributions.hpp"
#include "manychain/model/sampled_vectors.hpp"
#include "manychain/model/shape_log_cdfs.hpp"
#include "manychain/model/skew_normal_log_cdfs.hpp"
#include "manychain/model/vector_constraints.hpp"
#include "manychain/samplers/list.hpp"
