// Everything that the header of a model needs.
#pragma once

#include "manychain/core/row_block.hpp"  // first: what it says of a model then comes with few lines
#include "manychain/model/data_reader.hpp"
#include "manychain/model/glm.hpp"
#include "manychain/model/matrix_expression.hpp"
#include "manychain/model/mixtures.hpp"
#include "manychain/model/sampled_distributions.hpp"
#include "manychain/model/target.hpp"
#include "manychain/samplers/list.hpp"
