// The ranks of an MPI communicator.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "run/ranks.hpp"

namespace manychain {

/// A duplicate of a communicator, whose errors come back to the caller. Made and destroyed by all of its ranks.
class OwnCommunicator {
 public:
  /// Throws BadInput if MPI is not initialised, or if there is no communicator.
  explicit OwnCommunicator(MPI_Comm of);
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  ~OwnCommunicator();
  MPI_Comm get() const { return communicator_; }
  int rank() const;
  int size() const;
  /// A call of MPI has failed: ranks are lost, and nothing is asked of them any more.
  void lose() { lost_ = true; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  bool lost_ = false;
};

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(MPI_Comm of) : MpiRanks(std::make_unique<OwnCommunicator>(of)) {}

  /// Takes a share of the machine, where settings and model leave that open: threads, and a GPU, of Settings::devices
  /// or of all, by the number of the rank on its machine. A call of all ranks, which throws OtherRankFailed.
  void share_machine(const Model& model, Settings& settings);

 protected:
  void gather_bytes(const std::byte* mine, std::byte* all, const std::vector<std::size_t>& bytes) override;
  void exchange_bytes(const std::byte* to, const std::vector<std::size_t>& sent, std::byte* from,
                      const std::vector<std::size_t>& received) override;

 private:
  explicit MpiRanks(std::unique_ptr<OwnCommunicator> communicator)
      : Ranks(communicator->rank(), communicator->size()), communicator_(std::move(communicator)) {}
  /// Throws Error if a call has failed.
  void check(int status) const;

  std::unique_ptr<OwnCommunicator> communicator_;
};

}  // namespace manychain
