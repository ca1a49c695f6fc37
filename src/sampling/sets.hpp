// Many data sets of one model, for those who bind the model to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manychain/run/sets.hpp"
#include "run/draws_source.hpp"
#include "run/ranks.hpp"

namespace manychain {

/// The data of a set with those that all sets have.
Data data_of(const DataSet& set, const Data& common);

/// The model of the first set that is not refused; `seed` is that of the first set. Throws BadInput if all are.
Model first_model(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Data& common,
                  std::uint64_t seed = 0);

/// Sets by their numbers, counted from 0.
using SetAnswers = std::map<std::size_t, SetSummary>;

/// A run of data sets that is a part of one, or goes on.
struct SetsToSample {
  std::optional<Stretch> part = {};  ///< the result has these sets alone
  SetAnswers answered = {};          ///< as SetsWanted::done had them; they are not sampled again
};
/// As sample_sets() of manychain/run/sets.hpp. Answers do not depend on which of them there are.
SetsResult sample_sets(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Settings& settings,
                       const SetsWanted& wanted, SetsToSample which);

/// Ranks sample ranges of the sets. The first one returns the answers of all, the others their own ones. Each calls
/// SetsWanted::done for those that it samples.
SetsResult sample_sets_in_ranks(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Settings& settings,
                                const SetsWanted& wanted, Ranks& ranks);

/// The place that draws follow from, beside data and settings: see RunIdentity. Throws what sample_sets() would throw
/// before it samples.
std::string place_of_sets(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Settings& settings,
                          const SetsWanted& wanted);

// An answer as bytes and back. Sets of the same sizes share their quantities.
std::string to_bytes(std::size_t number, const SetSummary& set);
/// Throws BadInput if one of `records` is damaged, or of a set that has one already.
SetAnswers answers_from(const std::vector<std::string>& records);

/// Models by a function that binds data.
template <class Bind>
ModelOfSet of_data(Bind bind) {
  return [bind = std::move(bind)](std::size_t, const Data& data, std::uint64_t) { return Model(bind(data)); };
}

}  // namespace manychain
