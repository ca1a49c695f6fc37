// The ranks of a program that several processes run together: manychain-mpi.
#pragma once

#include <functional>

#include "io/zarr_store.hpp"
#include "manychain/run/draws_at.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "run/ranks.hpp"

namespace manychain::cli {

struct ProgramRanks {
  Ranks* ranks = nullptr;                                      ///< null: the program is alone
  std::function<void(const Model&, Settings&)> share_machine;  ///< takes a share of it for this rank
  /// True for the one that prints and writes.
  bool speaks() const { return !ranks || ranks->rank() == 0; }
  /// By all ranks: what ends one ends all, here, while the outputs of the run are still there.
  Result together(const std::function<Result(Ranks&)>& run) const {
    Result result;
    ranks->together([&] { result = run(*ranks); });
    return result;
  }
};

/// The draws of a run whose first rank writes such a file, or "": a store gets its draws while the run goes on.
inline DrawsAt draws_for(const std::string& output) {
  return output.empty() || io::names_store(output) ? DrawsAt::own_rank : DrawsAt::first_rank;
}

/// Set by main() before any command, where there are ranks.
inline ProgramRanks program_ranks;

}  // namespace manychain::cli
