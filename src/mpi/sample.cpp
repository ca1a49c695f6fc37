#include "manychain/mpi.hpp"
#include "mpi/mpi_ranks.hpp"
#include "sampling/ranked.hpp"

namespace manychain {

Result sample(const Model& model, const Settings& settings, MPI_Comm communicator) {
  MpiRanks ranks(communicator);
  Result result;
  ranks.together([&] {
    Settings mine = settings;
    ranks.share_machine(model, mine);
    result = sample_in_ranks(model, mine, ranks);
  });
  return result;
}

}  // namespace manychain
