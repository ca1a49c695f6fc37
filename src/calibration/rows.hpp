// Data without some of the rows that a model observes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "manychain/model/data/data.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// The rows of a model: what observe() names, how many there are, and the whole number of the data that counts them
/// (empty: a table does).
struct ObservedRows {
  std::vector<std::string> names;
  std::size_t count = 0;
  std::string size;
};

/// Throws BadInput where it is not clear what a row is; see cross_validate().
ObservedRows observed_rows_of(const Model& model);

/// `data` with the rows that `keep` says, of which there are some. Names of dimensions are left out.
Data with_rows(const Data& data, const ObservedRows& rows, const std::vector<bool>& keep);

}  // namespace manychain
