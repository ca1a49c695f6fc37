// Many data sets of one model, for those who bind the model to them.
#pragma once

#include <functional>
#include <vector>

#include "manychain/run/sets.hpp"

namespace manychain {

using BindData = std::function<Model(const Data&)>;

/// The data of a set with those that all sets have.
Data data_of(const DataSet& set, const Data& common);

/// The model with the data of the first set that it takes. Throws BadInput if it takes none.
Model bound_to_first(const BindData& bind, const std::vector<DataSet>& sets, const Data& common);

}  // namespace manychain
