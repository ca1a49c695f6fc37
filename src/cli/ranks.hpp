// The ranks of a program that several processes run together: manychain-mpi.
#pragma once

#include <functional>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "run/ranks.hpp"

namespace manychain::cli {

struct ProgramRanks {
  Ranks* ranks = nullptr;                                      ///< null: the program is alone
  std::function<void(const Model&, Settings&)> share_machine;  ///< takes a share of it for this rank
  /// True for the one that prints and writes.
  bool speaks() const { return !ranks || ranks->rank() == 0; }
};

/// Set by main() before any command, where there are ranks.
inline ProgramRanks program_ranks;

}  // namespace manychain::cli
