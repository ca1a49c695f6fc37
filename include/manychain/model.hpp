// Everything that the header of a model needs.
#pragma once

// First, so that what they say of a model comes with few lines.
#include "manychain/core/row_block.hpp"
#include "manychain/model/autodiff/expression.hpp"
#include "manychain/model/data/view.hpp"
#include "manychain/model/distributions/refusals.hpp"

#include "manychain/model/matrices/parameter_vectors.hpp"
#include "manychain/model/recurrences/dual.hpp"

#include "manychain/model/language/target.hpp"

#include "manychain/model/autodiff/vector_constraints.hpp"
#include "manychain/model/distributions/categorical_distributions.hpp"
#include "manychain/model/distributions/continuous_distributions.hpp"
#include "manychain/model/distributions/count_distributions.hpp"
#include "manychain/model/distributions/count_log_cdfs.hpp"
#include "manychain/model/distributions/functions.hpp"
#include "manychain/model/distributions/half_log_cdfs.hpp"
#include "manychain/model/distributions/log_cdfs.hpp"
#include "manychain/model/distributions/mixtures.hpp"
#include "manychain/model/distributions/sampled_continuous.hpp"
#include "manychain/model/distributions/sampled_counts.hpp"
#include "manychain/model/distributions/sampled_distributions.hpp"
#include "manychain/model/distributions/shape_log_cdfs.hpp"
#include "manychain/model/distributions/skew_normal_log_cdfs.hpp"
#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/matrices/covariance_functions.hpp"
#include "manychain/model/matrices/glm.hpp"
#include "manychain/model/matrices/matrix_constraints.hpp"
#include "manychain/model/matrices/matrix_distributions.hpp"
#include "manychain/model/matrices/matrix_expression.hpp"
#include "manychain/model/matrices/sampled_vectors.hpp"
#include "manychain/samplers/list.hpp"
