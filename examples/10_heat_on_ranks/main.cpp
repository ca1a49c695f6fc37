// A code with a main() of its own, MPI, a mesh and a density: the conductivity of a rod from temperatures that were
// measured along it. Every rank has the mesh and solves the heat equation for its own chains.
//
//   mpirun -n 4 heat_on_ranks
#include <mpi.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include "manychain/mpi.hpp"

namespace {

/// -(k u')' = 1 on [0, 1], u = 0 at both ends, log k a sum of cosines. By linear finite elements: A(k) u = b.
class Rod {
 public:
  explicit Rod(std::size_t cells, std::size_t terms) : cells_(cells), terms_(terms) {}

  std::size_t terms() const { return terms_; }
  double shape(std::size_t j, std::size_t cell) const {
    const double x = (static_cast<double>(cell) + 0.5) / static_cast<double>(cells_);
    return std::cos(3.141592653589793 * static_cast<double>(j) * x);
  }
  std::vector<double> conductivity(const double* q) const {
    std::vector<double> k(cells_, 0);
    for (std::size_t i = 0; i < cells_; ++i) {
      for (std::size_t j = 0; j < terms_; ++j) k[i] += q[j] * shape(j, i);
      k[i] = std::exp(k[i]);
    }
    return k;
  }
  /// Solves A(k) u = b, both of the inner nodes, by elimination.
  std::vector<double> solve(const std::vector<double>& k, std::vector<double> b) const {
    const std::size_t n = cells_ - 1;
    std::vector<double> diagonal(n);
    for (std::size_t i = 0; i < n; ++i) diagonal[i] = (k[i] + k[i + 1]) * static_cast<double>(cells_);
    for (std::size_t i = 1; i < n; ++i) {
      const double beside = k[i] * static_cast<double>(cells_), factor = beside / diagonal[i - 1];
      diagonal[i] -= factor * beside;
      b[i] += factor * b[i - 1];
    }
    for (std::size_t i = n; i-- > 0;) {
      if (i + 1 < n) b[i] += k[i + 1] * static_cast<double>(cells_) * b[i + 1];
      b[i] /= diagonal[i];
    }
    return b;
  }
  std::vector<double> temperatures(const std::vector<double>& k) const {
    return solve(k, std::vector<double>(cells_ - 1, 1 / static_cast<double>(cells_)));
  }
  /// The derivatives by q of a function of u, whose derivatives by u are `by_u`: A is symmetric, so that the adjoint
  /// equation is the same.
  void gradient(const std::vector<double>& k, const std::vector<double>& u, const std::vector<double>& by_u,
                double* by_q) const {
    const std::vector<double> adjoint = solve(k, by_u);
    const auto slope = [&](const std::vector<double>& v, std::size_t cell) {
      return (cell + 1 < cells_ ? v[cell] : 0) - (cell > 0 ? v[cell - 1] : 0);
    };
    for (std::size_t i = 0; i < cells_; ++i) {
      const double by_k = -slope(adjoint, i) * slope(u, i) * static_cast<double>(cells_);
      for (std::size_t j = 0; j < terms_; ++j) by_q[j] += by_k * k[i] * shape(j, i);
    }
  }

 private:
  std::size_t cells_, terms_;
};

struct Measurement {
  std::size_t node;
  double temperature;
};
constexpr double noise = 0.002;
const std::vector<double> truth = {0.2, -0.5, 0.3};

std::vector<Measurement> measured(const Rod& rod) {
  const std::vector<double> u = rod.temperatures(rod.conductivity(truth.data()));
  std::vector<Measurement> all;
  for (std::size_t node = 4; node < u.size(); node += 10)
    all.push_back({node, u[node] + noise * std::sin(static_cast<double>(node * node))});
  return all;
}

void sample_rod(MPI_Comm communicator) {
  const Rod rod(200, truth.size());
  const std::vector<Measurement> data = measured(rod);

  manychain::CompiledDensity density;
  density.name = "rod";
  density.dimension = rod.terms();
  density.gradient_values = 200 * (rod.terms() + 6);
  density.value_and_gradient = [&](const double* q, double* gradient) {
    double log_density = 0;
    for (std::size_t j = 0; j < rod.terms(); ++j) {  // normal(0, 1) beforehand
      log_density -= q[j] * q[j] / 2;
      gradient[j] = -q[j];
    }
    const std::vector<double> k = rod.conductivity(q), u = rod.temperatures(k);
    std::vector<double> by_u(u.size(), 0);
    for (const Measurement& m : data) {
      const double z = (m.temperature - u[m.node]) / noise;
      log_density -= z * z / 2;
      by_u[m.node] = z / noise;
    }
    rod.gradient(k, u, by_u, gradient);
    return log_density;
  };

  manychain::Settings settings;
  settings.seed = 1;
  settings.chains = 64;
  const manychain::Result result = manychain::sample(manychain::Model(density), settings, communicator);

  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  if (rank > 0) return;  // all ranks have the posterior; one says it
  std::printf("%s", result.table().c_str());
  double farthest = 0;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    const manychain::VariableSummary& s = result.summary[j].statistics;
    farthest = std::fmax(farthest, std::fabs(s.mean - truth[j]) / s.sd);
  }
  std::printf("the truth lies within %.1f standard deviations\n", farthest);
}

}  // namespace

int main(int argc, char** argv) {
  int threads = MPI_THREAD_SINGLE, status = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  MPI_Comm ours = MPI_COMM_NULL;  // a code may keep some ranks for other work
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &ours);
  try {
    sample_rod(ours);
  } catch (const std::exception& error) {  // at all ranks, with one sentence
    int rank = 0;
    MPI_Comm_rank(ours, &rank);
    if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  MPI_Comm_free(&ours);
  MPI_Finalize();
  return status;
}
