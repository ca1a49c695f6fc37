// Many data sets of one model, for those who bind the model to them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "manychain/run/sets.hpp"

namespace manychain {

/// The data of a set with those that all sets have.
Data data_of(const DataSet& set, const Data& common);

/// The model of the first set that is not refused; `seed` is that of the first set. Throws BadInput if all are.
Model first_model(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Data& common,
                  std::uint64_t seed = 0);

/// Models by a function that binds data.
template <class Bind>
ModelOfSet of_data(Bind bind) {
  return [bind = std::move(bind)](std::size_t, const Data& data, std::uint64_t) { return Model(bind(data)); };
}

}  // namespace manychain
