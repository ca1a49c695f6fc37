// manychain-mpi: the command line by mpirun. The first rank prints and writes.
#include <mpi.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/ranks.hpp"
#include "mpi/mpi_ranks.hpp"

namespace manychain::cli {
namespace {

int run(int argc, char** argv) {
  MpiRanks ranks(MPI_COMM_WORLD);
  program_ranks.ranks = &ranks;
  program_ranks.share_machine = [&](const Model& model, Settings& settings) { ranks.share_machine(model, settings); };
  // Each rank has read the same line: what the first one says of it all would say. One that cannot be silent speaks.
  for (std::FILE* stream : {stdout, stderr})
    if (!program_ranks.speaks() && !std::freopen("/dev/null", "w", stream)) break;
  const int status = run_commands(argc, argv, {sample_command, resume_command},
                                  {"manychain-mpi", "mpirun -n 4 manychain-mpi sample eight_schools"});
  program_ranks = {};
  return status;
}

}  // namespace
}  // namespace manychain::cli

int main(int argc, char** argv) {
  int threads = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads) != MPI_SUCCESS) return 3;
  const int status = manychain::cli::run(argc, argv);
  MPI_Finalize();
  return status;
}
