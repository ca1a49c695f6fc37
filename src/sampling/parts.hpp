// The chains of a run at the end of its warm-up, dealt to several processes, and put together again. Tuning is fixed
// then, chains do not see each other, and each has the random stream of its number: no draw depends on which other
// chains a process has.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "manychain/run/settings.hpp"
#include "sampling/run_state.hpp"

namespace manychain {

/// Consecutive chains of a run.
struct ChainRange {
  std::size_t first = 0, count = 0;
};

/// Parts of nearly the same size: whole packs, if there are as many of them as parts. Of several groups a part has
/// whole ones, or lies within one. Throws BadInput unless `number` is from 1 to `of`, and each part has a chain.
ChainRange chains_of(const RunPart& part, std::size_t chains, std::size_t groups = 1);
/// The chains that a state is of: all, or those of its part.
ChainRange chains_of(const StateOfRun& state);

/// The draws of these chains alone.
std::shared_ptr<const DrawsSource> chains_of(std::shared_ptr<const DrawsSource> all, const ChainRange& chains);

/// Settings of a run of these chains alone. They are judged with all others: there are no superchains.
Settings settings_of(const Settings& whole, const ChainRange& chains);

/// The state of a part. `digest`: that of the whole state. Throws BadInput unless the state is one of the end of
/// warm-up.
StateOfRun part_of(StateOfRun whole, const RunPart& part, const std::string& digest);

/// The state of all chains, and in `all` the source of their draws and statistics. `parts` give up theirs. Throws
/// BadInput if a part is missing, is there twice, has not ended, or is of another run.
StateOfRun merged(const std::vector<StateOfRun>& states, std::vector<StoredRun>& parts, StoredRun& all);

}  // namespace manychain
