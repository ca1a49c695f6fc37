// Sampling by the ranks of an MPI program: the library manychain::mpi.
#pragma once

#include <mpi.h>

#include <string>

#include "manychain/run/draws_at.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/run/stored_run.hpp"

namespace manychain {

/// As sample(model, settings), by all ranks of `communicator`, each of which holds a range of the chains: draws,
/// summary and verdict are the same bytes for any number of ranks. All ranks call it, with the same model, data and
/// settings; Settings::threads and Settings::device may differ, `progress` is called where it is set, and
/// `cancel` at any rank ends the run at all. Every rank gets the whole result, and of the draws those that `draws` says
/// (Result::output.held). Where they are not at all ranks, none but the first one holds more of the chains than its
/// range, beside the draws of some outputs in the diagnostics.
///
/// If a rank throws, all throw: its error, with its sentence. None waits for one that has failed.
///
/// The caller has called MPI_Init or MPI_Init_thread, with MPI_THREAD_FUNNELED or more. The communicator is duplicated,
/// and no other one is used. All MPI calls come from the calling thread, between blocks of transitions and, in warm-up,
/// once or twice a transition. Default of Settings::threads: the threads of the machine over the ranks on it. A rank
/// takes the GPU of its number among the ranks of its machine.
Result sample(const Model& model, const Settings& settings, MPI_Comm communicator, DrawsAt draws = DrawsAt::all_ranks);

/// Likewise, stored while it goes on, in the Zarr store `store` (NAME.zarr): its numbers are those of a run
/// without ranks. Ranks that see it write the chunks of their own chains, and the first one all else. Draws that are
/// too many for `storing.memory` of one rank are read back by the first rank, and sent; no rank has them at the end.
Result sample(const Model& model, const Settings& settings, const std::string& store, MPI_Comm communicator,
              const Storing& storing = {}, DrawsAt draws = DrawsAt::all_ranks);
/// Likewise, in one file.
Result sample(const Model& model, const Settings& settings, const Checkpoint& checkpoint, MPI_Comm communicator,
              const Storing& storing = {}, DrawsAt draws = DrawsAt::all_ranks);
/// Goes on with the run of a store or a checkpoint, whatever number of ranks it had, or none. The first rank alone
/// reads it.
Result resume(const Model& model, const std::string& store, MPI_Comm communicator, const Resumed& resumed = {},
              const Storing& storing = {}, DrawsAt draws = DrawsAt::all_ranks);

}  // namespace manychain
