// Measures a message between two ranks, and a gather by all: the figures that bench/network/model.py puts into the
// counts of docs/machines.md. Build: cmake --build build --target manychain_network. Run: mpirun -n 2
// manychain_network.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr int repetitions = 11;

/// Microseconds of a call of `work`, of so many together: what a machine does that others use, too, and undisturbed.
struct Took {
  double median, least;
};
template <class Work>
Took took(int times, const Work& work) {
  std::vector<double> seconds;
  for (int k = 0; k <= repetitions; ++k) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; ++i) work();
    if (k > 0) seconds.push_back((MPI_Wtime() - begin) / times);  // the first one warms up
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds[repetitions / 2] * 1e6, seconds[0] * 1e6};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) {
    std::fprintf(stderr, "two ranks or more: mpirun -n 2 manychain_network\n");
    MPI_Finalize();
    return 2;
  }
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(library, &length);
  if (rank == 0)
    std::printf("%.40s; %d ranks; microseconds\n%10s %16s %8s %16s %8s\n", library, size, "bytes", "one way, median",
                "least", "gather, median", "least");
  for (const std::size_t bytes : {8UL, 128UL, 4096UL, 65536UL, 1UL << 20, 1UL << 24}) {
    std::vector<char> mine(bytes), all(bytes * static_cast<std::size_t>(size));
    const int count = static_cast<int>(bytes), times = bytes < 65536 ? 2000 : bytes < (1 << 22) ? 100 : 10;
    const Took there_and_back = took(times, [&] {
      if (rank == 0) {
        MPI_Send(mine.data(), count, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(mine.data(), count, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        MPI_Recv(mine.data(), count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(mine.data(), count, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
    });
    const Took gather =
        took(times, [&] { MPI_Allgather(mine.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, MPI_COMM_WORLD); });
    if (rank == 0)
      std::printf("%10zu %16.2f %8.2f %16.2f %8.2f\n", bytes, there_and_back.median / 2, there_and_back.least / 2,
                  gather.median, gather.least);
  }
  MPI_Finalize();
  return 0;
}
