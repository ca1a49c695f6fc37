// The leapfrog integrator of HMC: second order, reversible, and of Jacobian determinant one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "manychain/models/banana.hpp"
#include "manychain/samplers/hmc.hpp"

namespace manychain::gallery {
namespace {

using Number = Scalar<double>;
using Vector2 = Registers<Number, 2>;
using State = std::array<double, 4>;  // position, momentum

const models::Banana<double> banana;
const Arena<Number> no_memory;  // a model of fixed size needs none

struct Point {
  Vector2 q, v, gradient;
  double log_density = 0;

  explicit Point(const State& s) {
    for (int i = 0; i < 2; ++i) q[i] = s[std::size_t(i)], v[i] = s[std::size_t(i) + 2];
    log_density = evaluate<Request::value_and_gradient, Number>(banana, Size<2>{}, q, gradient, no_memory).value().v;
  }
  State state() const { return {q[0].v, q[1].v, v[0].v, v[1].v}; }
  double energy() const { return (v[0] * v[0] + v[1] * v[1]).v / 2 - log_density; }
  void move(double eps, std::uint32_t count) {
    const double step[2] = {eps, eps};
    const TrajectoryTuning<double> tuning{eps, step};
    log_density = Splitting::trajectory<models::Banana<double>, Number>(banana, Size<2>{}, count, tuning, q, v,
                                                                        gradient, {}, no_memory)
                      .value()
                      .v;
  }
};

State moved(const State& start, double eps, std::uint32_t count) {
  Point point(start);
  point.move(eps, count);
  return point.state();
}

/// By elimination with pivots.
double determinant(std::array<std::array<double, 4>, 4> a) {
  double product = 1;
  for (std::size_t k = 0; k < 4; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < 4; ++i) pivot = std::fabs(a[i][k]) > std::fabs(a[pivot][k]) ? i : pivot;
    if (pivot != k) std::swap(a[k], a[pivot]), product = -product;
    product *= a[k][k];
    for (std::size_t i = k + 1; i < 4; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < 4; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  return product;
}

/// d(end) / d(start) by central differences of the fourth order.
double jacobian_determinant(const State& start, double eps, std::uint32_t count) {
  std::array<std::array<double, 4>, 4> jacobian;
  for (std::size_t j = 0; j < 4; ++j) {
    const double h = 1e-3;
    const auto at = [&](double shift) {
      State s = start;
      s[j] += shift;
      return moved(s, eps, count);
    };
    const State far_up = at(2 * h), up = at(h), down = at(-h), far_down = at(-2 * h);
    for (std::size_t i = 0; i < 4; ++i) {
      jacobian[i][j] = (8 * (up[i] - down[i]) - (far_up[i] - far_down[i])) / (12 * h);
    }
  }
  return determinant(jacobian);
}

/// log p = -q^2 / 2: Hamilton's equations are those of a pendulum of small swing.
struct Oscillator {
  static constexpr int dimension = 1;
  template <class R, class Q, class G>
  R value_and_gradient(const Q& q, G& gradient) const {
    gradient[0] = -q[0];
    return R(-0.5) * q[0] * q[0];
  }
};

/// Euler's method and the leapfrog from q = 0, p = 1, of energy 1/2. Of either all is known: Euler's step multiplies
/// the energy by 1 + eps^2; the leapfrog turns an ellipse, q^2 (1 - eps^2 / 4) + p^2 stays, and q_n = eps sin(n phi) /
/// sin phi with cos phi = 1 - eps^2 / 2.
void oscillate(Report& report) {
  constexpr double eps = 0.1;
  const double bound = 1 / (1 - eps * eps / 4), phi = std::acos(1 - eps * eps / 2);
  Table table{{"steps of 0.1", "Euler's energy", "(1 + eps^2)^n", "the leapfrog's", "at most"}, {}};
  double q = 0, p = 1, highest = 1, lowest = 1, invariant = 0, place = 0, euler = 0;
  const TrajectoryTuning<double> tuning{eps, &eps};
  Registers<Number, 1> x, v, gradient;
  x[0] = 0, v[0] = 1, gradient[0] = 0;
  for (int n = 1; n <= 1000; ++n) {
    const double old = q;
    q += eps * p;
    p -= eps * old;
    Splitting::trajectory<Oscillator, Number>(Oscillator{}, Size<1>{}, 1, tuning, x, v, gradient, {}, no_memory);
    const double a = x[0].v, b = v[0].v, energy = a * a + b * b;  // beside that of the start
    highest = std::max(highest, energy), lowest = std::min(lowest, energy);
    invariant = std::max(invariant, std::fabs(a * a * (1 - eps * eps / 4) + b * b - 1));
    place = std::max(place, std::fabs(a - eps * std::sin(n * phi) / std::sin(phi)));
    const double known = std::pow(1 + eps * eps, n);
    euler = std::max(euler, std::fabs((q * q + p * p) / known - 1));
    if (n == 1 || n == 10 || n == 100 || n == 1000) {
      table.rows.push_back({fmt::format("{}", n), fmt::format("{:.6g}", q * q + p * p), fmt::format("{:.6g}", known),
                            fmt::format("{:.6f}", energy), fmt::format("{:.6f}", bound)});
    }
  }
  report.lines.insert(
      report.lines.end(),
      {"Beside it Euler's method, both on the harmonic oscillator: its energy, in units of that of the start,",
       "grows by 1 + eps^2 per step, where the leapfrog's stays within a bound."});
  report.tables.push_back(table);
  // A thousand steps of a few roundings each.
  report.checks.push_back(exact("Euler: energy over (1 + eps^2)^n, minus one", 0, euler, 1e-12));
  report.checks.push_back(exact("leapfrog: q^2 (1 - eps^2 / 4) + p^2, minus one", 0, invariant, 1e-12));
  report.checks.push_back(exact("leapfrog: distance from eps sin(n phi) / sin(phi)", 0, place, 1e-11));
  report.checks.push_back(exact("leapfrog: lowest energy of 1000", 1, lowest, 1e-12));
  report.checks.push_back(less("leapfrog: highest energy of 1000, 1 / (1 - eps^2 / 4)", highest, bound + 1e-12));
}

}  // namespace

Report hmc_leapfrog(const GalleryOptions& options) {
  Report report;
  report.lines = {
      "A trajectory of length 2 on a curved ridge (the model banana), in ever smaller steps: the energy error",
      "falls as the square of the step. Run back, it ends where it began; volumes stay as they are."};
  // Starts on the ridge, momenta N(0, 1).
  std::vector<State> starts;
  for (std::uint64_t i = 0; i < 32; ++i) {
    State s;
    draw_normals(options.seed, 0, i, 4, [&](int k, double z) { s[std::size_t(k)] = z; });
    starts.push_back({10 * s[0], 0.03 * (100 * s[0] * s[0] - 100) + s[1], s[2], s[3]});
  }
  const auto energy_error = [&](double eps, std::uint32_t count) {
    double squares = 0;
    for (const State& start : starts) {
      Point point(start);
      const double before = point.energy();
      point.move(eps, count);
      squares += std::pow(point.energy() - before, 2) / double(starts.size());
    }
    return std::sqrt(squares);
  };
  Table table{{"step", "steps", "energy error", "order"}, {}};
  double order = 0, last = 0;
  for (std::uint32_t count = 16; count <= 512; count *= 2) {
    const double error = energy_error(2.0 / count, count);
    order = std::log2(last / error);
    table.rows.push_back({fmt::format("{:.5f}", 2.0 / count), fmt::format("{}", count), fmt::format("{:.3e}", error),
                          last > 0 ? fmt::format("{:.4f}", order) : ""});
    last = error;
  }
  report.tables.push_back(table);

  double back = 0, volume = 0;
  for (const State& start : starts) {
    State end = moved(start, 0.1, 20);
    end[2] = -end[2], end[3] = -end[3];
    State again = moved(end, 0.1, 20);
    again[2] = -again[2], again[3] = -again[3];
    for (std::size_t i = 0; i < 4; ++i) back = std::max(back, std::fabs(again[i] - start[i]));
    const double off = std::fabs(jacobian_determinant(start, 0.1, 20) - 1);
    volume = off > volume || std::isnan(off) ? off : volume;
  }
  // The next term of the error is of relative size eps^2: the order misses two by less than a hundredth.
  report.checks = {exact("order of the energy error", 2, order, 0.01),
                   // Twenty steps and back amplify the rounding of coordinates up to some hundred, 1e-14.
                   exact("distance from the start after the way back", 0, back, 1e-10),
                   exact("determinant of the map minus one, largest", 0, volume, 1e-6)};
  oscillate(report);
  return report;
}

}  // namespace manychain::gallery
