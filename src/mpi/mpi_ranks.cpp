#include "mpi/mpi_ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "run/devices.hpp"

namespace manychain {
namespace {

constexpr int tag = 1;
constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of one call: MPI counts in int

std::string error_in_words(int status) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(status, text, &length) != MPI_SUCCESS) return "error " + std::to_string(status);
  return std::string(text, static_cast<std::size_t>(length));
}

bool is_running() {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised && !finalised;
}

}  // namespace

OwnCommunicator::OwnCommunicator(MPI_Comm of) {
  if (!is_running()) throw BadInput("MPI is not running: call MPI_Init before, and MPI_Finalize behind");
  if (of == MPI_COMM_NULL) throw BadInput("MPI_COMM_NULL has no ranks: only ranks of the communicator may call");
  if (const int status = MPI_Comm_dup(of, &communicator_); status != MPI_SUCCESS)
    throw Error("MPI: " + error_in_words(status));
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
}

OwnCommunicator::~OwnCommunicator() {
  if (!lost_ && is_running()) MPI_Comm_free(&communicator_);
}

int OwnCommunicator::rank() const {
  int rank = 0;
  MPI_Comm_rank(communicator_, &rank);
  return rank;
}
int OwnCommunicator::size() const {
  int size = 1;
  MPI_Comm_size(communicator_, &size);
  return size;
}

void MpiRanks::check(int status) const {
  if (status == MPI_SUCCESS) return;
  communicator_->lose();
  throw Error("MPI: " + error_in_words(status) + "; a rank may have been lost");
}

void MpiRanks::share_machine(const Model& model, Settings& settings) {
  each(std::uint32_t{0});  // a rank that has failed does not come to the calls of MPI below
  MPI_Comm machine = MPI_COMM_NULL;
  check(MPI_Comm_split_type(communicator_->get(), MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &machine));
  int here = 0, ranks = 1;
  MPI_Comm_rank(machine, &here);
  MPI_Comm_size(machine, &ranks);
  MPI_Comm_free(&machine);
  if (settings.threads == 0 && model.bound().one_thread.empty())
    settings.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / ranks);
  if (settings.backend == Backend::cpu || settings.device || !model.bound().runs_on_cuda) return;
  settings.device = device_of_rank(settings, here, cuda_devices());
  settings.devices.clear();
}

void MpiRanks::gather_bytes(const std::byte* mine, std::byte* all, const std::vector<std::size_t>& bytes) {
  const std::size_t ranks = bytes.size(), at_once = most_bytes / ranks;
  const auto [least, most_of_one] = std::minmax_element(bytes.begin(), bytes.end());
  const std::size_t most = *most_of_one;
  if (*least == most && most <= at_once) {  // as heads are
    const int count = static_cast<int>(most);
    return check(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, communicator_->get()));
  }
  std::vector<std::size_t> begin(ranks, 0);  // of each rank's bytes in `all`
  std::partial_sum(bytes.begin(), bytes.end() - 1, begin.begin() + 1);
  std::vector<int> counts(ranks), places(ranks);
  std::vector<std::byte> part;
  for (std::size_t done = 0; done < most; done += at_once) {
    int end = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      counts[r] = static_cast<int>(std::min(at_once, bytes[r] - std::min(done, bytes[r])));
      places[r] = end;
      end += counts[r];
    }
    const auto here = static_cast<std::size_t>(rank());
    const bool in_one = most <= at_once;
    if (!in_one) part.resize(static_cast<std::size_t>(end));
    check(MPI_Allgatherv(mine + std::min(done, bytes[here]), counts[here], MPI_BYTE, in_one ? all : part.data(),
                         counts.data(), places.data(), MPI_BYTE, communicator_->get()));
    for (std::size_t r = 0; r < ranks && !in_one; ++r)
      std::copy_n(part.begin() + places[r], counts[r], all + begin[r] + std::min(done, bytes[r]));
  }
}

void MpiRanks::exchange_bytes(const std::byte* to, const std::vector<std::size_t>& sent, std::byte* from,
                              const std::vector<std::size_t>& received) {
  std::vector<MPI_Request> requests;
  // Pairs of ranks know how much passes between them, so that they cut it alike.
  const auto in_parts = [&](auto* at, std::size_t bytes, const auto& call) {
    for (std::size_t done = 0; done < bytes; done += most_bytes)
      check(call(at + done, static_cast<int>(std::min(most_bytes, bytes - done)), &requests.emplace_back()));
  };
  for (int r = 0; r < size(); ++r) {
    in_parts(from, received[static_cast<std::size_t>(r)], [&](std::byte* at, int bytes, MPI_Request* request) {
      return MPI_Irecv(at, bytes, MPI_BYTE, r, tag, communicator_->get(), request);
    });
    from += received[static_cast<std::size_t>(r)];
  }
  for (int r = 0; r < size(); ++r) {
    in_parts(to, sent[static_cast<std::size_t>(r)], [&](const std::byte* at, int bytes, MPI_Request* request) {
      return MPI_Isend(at, bytes, MPI_BYTE, r, tag, communicator_->get(), request);
    });
    to += sent[static_cast<std::size_t>(r)];
  }
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

}  // namespace manychain
