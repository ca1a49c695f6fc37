// Runs of several kinds by the ranks of MPI_COMM_WORLD. For each kind the first rank prints a digest of all that the
// run has found; the others check that theirs is the same.
//
//   runs [alone]       alone: without MPI
//   runs WAY           a rank does what must end all: bad_input, exception, other_seed, cancel, kill
#include <mpi.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "core/digest.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/output.hpp"
#include "manychain/mpi.hpp"

namespace {

using namespace manychain;

template <class Number>
std::string bytes_of(const DrawValues<Number>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
}
std::string bytes_of(const std::vector<double>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

std::string digest(const Result& r) {
  std::string all = bytes_of(r.draws.float32) + bytes_of(r.draws.float64) + bytes_of(r.sample_stats.float32);
  for (const SummaryRow& row : r.summary)
    all += row.name + std::string(reinterpret_cast<const char*>(&row.statistics), sizeof row.statistics);
  all += bytes_of(r.warmup.tuning[0].inverse_metric) + bytes_of(r.sampling.ebfmi) +
         bytes_of({r.warmup.tuning[0].step_size, r.warmup.tuning[0].trajectory, r.sampling.acceptance_rate});
  return digest_of(all + std::to_string(r.gradients) + " " + std::to_string(r.kept) +
                   (r.converged ? " converged" : ""));
}

struct Kind {
  const char* name;
  const char* model;
  void (*change)(Settings&);
};
const Kind kinds[] = {
    {"hmc", "eight_schools", [](Settings&) {}},
    {"until settled", "eight_schools", [](Settings& s) { s.warmup.transitions.reset(), s.sampling.draws.reset(); }},
    {"whole sums", "normal", [](Settings& s) { s.chains = 256 * 28; }},
    {"in double", "eight_schools", [](Settings& s) { s.precision = Precision::double_precision; }},
    {"snaper", "correlated_normal", [](Settings& s) { s.warmup.adaptation = "snaper"; }},
    {"metropolis", "normal", [](Settings& s) { s.sampler = "metropolis"; }},
    {"groups", "eight_schools", [](Settings& s) { s.groups = 2; }},
    {"streaming", "eight_schools", [](Settings& s) { s.output.keep_draws = false; }},
};

Settings settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 256;
  s.warmup.transitions = 80;
  s.sampling.draws = 40;
  s.seed = 9;
  s.threads = 1;
  return s;
}

/// The draws of all chains at the first rank alone; and the message of those that are not there.
bool has_draws_at_first(MPI_Comm communicator, int rank) {
  const Model model = builtin_model("eight_schools");
  const Result all = sample(model, settings(), communicator),
               first = sample(model, settings(), communicator, DrawsAt::first_rank);
  if (rank == 0) return digest(first) == digest(all) && !first.output.held;
  try {
    write_netcdf("never.nc", first);
  } catch (const BadInput& error) {
    return first.draws.empty() && first.output.held && std::strstr(error.what(), "the first rank has them");
  }
  return false;
}

bool run(MPI_Comm communicator, int rank) {
  bool same = communicator == MPI_COMM_NULL || has_draws_at_first(communicator, rank);
  if (!same) std::fprintf(stderr, "rank %d: other draws at the first rank\n", rank);
  for (const Kind& kind : kinds) {
    Settings s = settings();
    kind.change(s);
    const Model model = builtin_model(kind.model);
    char mine[33] = {}, first[33] = {};
    const Result result = communicator == MPI_COMM_NULL ? sample(model, s) : sample(model, s, communicator);
    std::strncpy(mine, digest(result).c_str(), 32);
    std::memcpy(first, mine, sizeof first);
    if (communicator != MPI_COMM_NULL) MPI_Bcast(first, 33, MPI_CHAR, 0, communicator);
    if (std::strcmp(mine, first) != 0) {
      std::fprintf(stderr, "%s: rank %d has %s, the first one %s\n", kind.name, rank, mine, first);
      same = false;
    }
    if (rank == 0) std::printf("%s: %s\n", kind.name, mine);
  }
  return same;
}

/// A rank, the last one, does it in the middle of the run.
void go_wrong(const std::string& way, int rank, int size) {
  Settings s = settings();
  const bool here = rank == size - 1;
  std::atomic<bool> cancelled{false};
  Model model = builtin_model("eight_schools");
  s.sampling.draws = 20000;
  s.blocks_per_second = 1000;
  if (way == "bad_input" && here) s.chains = std::size_t{1} << 60;
  if (way == "other_seed" && here) s.seed = 1;
  if (way == "cancel") {
    s.cancel = &cancelled;
    if (here) s.progress = [&](const Progress& p) { cancelled = p.draws > 10; };
  }
  if (here && (way == "exception" || way == "kill"))
    s.progress = [&](const Progress& p) {
      if (p.draws < 10) return;
      if (way == "kill") std::raise(SIGKILL);
      throw std::runtime_error("the disk of rank " + std::to_string(rank) + " is full");
    };
  const Result result = sample(model, s, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%s, %s draws\n", result.cancelled ? "cancelled" : "done", result.kept < 20000 ? "some" : "all");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  if (way == "alone") return run(MPI_COMM_NULL, 0) ? 0 : 1;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    if (way.empty())
      status = run(MPI_COMM_WORLD, rank) ? 0 : 1;
    else
      go_wrong(way, rank, size);
  } catch (const BadInput& error) {
    std::fprintf(stderr, "rank %d: bad input: %s\n", rank, error.what());
    status = 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    status = 3;
  }
  MPI_Finalize();
  return status;
}
