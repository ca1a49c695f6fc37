// Trajectories with masses that depend on position are undone backwards, keep volume, and keep the energy to second
// order in the step: a force of the wrong sign, a mass of the point before or flows in an order that is not symmetric
// break one of the three.
#include "manychain/samplers/leaf_masses.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>
#include <vector>

#include "engine/leaf_memory.hpp"
#include "manychain/core/pack.hpp"
#include "manychain/models/funnel.hpp"
#include "manychain/samplers/integrator.hpp"

namespace manychain {
namespace {

constexpr int dimension = 10;
using Vector = std::vector<double>;

/// Component 9 is a leaf of 0 and 1, and 1 to 8 are leaves of 0: three levels. They fit no target, and need not.
LeafMasses three_levels() {
  LeafMasses masses;
  const auto add = [&](std::int32_t component, std::vector<std::int32_t> hypers, Vector exponents) {
    masses.component.push_back(component);
    masses.constant.push_back(0.2 + 0.05 * component);
    masses.intercept.push_back(-0.3 + 0.1 * component);
    masses.hyper.insert(masses.hyper.end(), hypers.begin(), hypers.end());
    masses.exponent.insert(masses.exponent.end(), exponents.begin(), exponents.end());
    masses.first.push_back(static_cast<std::int32_t>(masses.hyper.size()));
    masses.second.push_back(masses.first.back());
  };
  add(9, {0, 1}, {-0.6, 0.4});
  for (std::int32_t i = 1; i < 9; ++i) add(i, {0}, {-1.0 + 0.1 * i});
  // Some have a second exponential: of 9 of its last hyper, of 3 of the same hyper once more.
  masses.second_intercept.assign(masses.count(), 0);
  masses.second[0] = 1;
  masses.second_intercept[0] = -0.4;
  const auto third = static_cast<std::size_t>(masses.first[3]);
  masses.hyper.insert(masses.hyper.begin() + static_cast<std::ptrdiff_t>(third) + 1, 0);
  masses.exponent.insert(masses.exponent.begin() + static_cast<std::ptrdiff_t>(third) + 1, 0.7);
  masses.second_intercept[3] = 0.3;
  for (std::size_t l = 4; l < masses.first.size(); ++l) ++masses.first[l];
  for (std::size_t l = 4; l < masses.count(); ++l) ++masses.second[l];
  return masses;
}

/// A point of phase space in R, and what moves it. V: where vectors lie while they move.
template <class R, class N, class V>
struct Phase {
  using Number = number_of<R>;
  LeafMemory<Number> memory;
  std::vector<std::byte> bytes;
  LeafArrays<Number> leaves;
  std::vector<R> room = std::vector<R>(17 * dimension);
  std::vector<Number> steps;

  Phase() : memory(with_scales(), true), bytes(memory.packed(three_levels())) {
    leaves = memory.arrays(reinterpret_cast<const Number*>(bytes.data()), three_levels());
  }
  static Layout with_scales() {
    Layout layout;
    layout.dimension = dimension;
    for (std::size_t i = 1; i < dimension; ++i) layout.dependent_scales.push_back({i, {0}});
    layout.dependent_scales.back().hypers = {0, 1};
    layout.dependent_scales.push_back({3, {0}});
    layout.dependent_scales.back().by_data = true;
    return layout;
  }
  V vector(Arena<R>& arena, const Vector& from) {
    V v{};
    if constexpr (std::is_same_v<V, Strided<R>>) v = arena.take(dimension);
    for (int i = 0; i < dimension; ++i) v[i] = R(Number(from[static_cast<std::size_t>(i)]));
    return v;
  }
  /// `count` steps; gives the energy there, as double.
  double move(Vector& q0, Vector& v0, std::uint32_t count, double step, Integrator integrator = Integrator::leapfrog,
              bool only_energy = false) {
    const models::Funnel<Number> funnel{};
    const N n = [] {
      if constexpr (N::fixed)
        return N{};
      else
        return N(dimension);
    }();
    Arena<R> arena{Strided<R>{room.data(), 1}, 0};
    V q = vector(arena, q0), v = vector(arena, v0), gradient = vector(arena, Vector(dimension, 0.0));
    InverseMasses<R> masses;
    masses.take(arena, dimension);
    V unused = vector(arena, Vector(dimension, 0.0));
    begin_with_leaves<R>(leaves, n, q, unused, masses);
    Compensated<R> lp = evaluate<Request::value_and_gradient, R>(funnel, n, q, gradient, arena);
    TrajectoryTuning<Number> tuning;
    steps.assign(dimension, Number(step));
    for (int i = 0; i < dimension; ++i) steps[static_cast<std::size_t>(i)] *= Number(1 + 0.1 * i);
    tuning.step = steps.data();
    tuning.integrator = integrator;
    tuning.leaves = leaves;
    if (!only_energy)
      lp = Splitting::trajectory<models::Funnel<Number>, R>(funnel, n, count, tuning, q, v, gradient, masses, arena);
    for (int i = 0; i < dimension; ++i) {
      q0[static_cast<std::size_t>(i)] = lane(q[i]), v0[static_cast<std::size_t>(i)] = lane(v[i]);
    }
    return lane(end_with_leaves<R>(leaves, n, q, v, masses).value() - lp.value());
  }
  static double lane(const R& x) {
    alignas(alignof(R)) Number values[R::lanes];
    store(x, values);
    return static_cast<double>(values[R::lanes - 1]);
  }
};

using InMemory = Phase<Scalar<double>, Size<dynamic>, Strided<Scalar<double>>>;

const Vector q0 = {0.4, -0.5, 0.8, 1.1, -0.3, 0.2, -1.4, 0.6, -0.7, 0.9},
             v0 = {0.3, 1.2, -0.4, 0.9, -1.1, 0.5, 0.7, -0.2, 1.4, -0.8};

TEST(LeafMasses, trajectories_are_undone_backwards) {
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::two_stage}) {
    InMemory phase;
    Vector q = q0, v = v0;
    phase.move(q, v, 25, 0.1, integrator);
    EXPECT_GT(std::abs(q[0] - q0[0]), 0.1);
    for (double& x : v) x = -x;
    phase.move(q, v, 25, 0.1, integrator);
    for (std::size_t i = 0; i < dimension; ++i) {
      EXPECT_NEAR(q[i], q0[i], 1e-10);
      EXPECT_NEAR(v[i], -v0[i], 1e-10);
    }
  }
}

TEST(LeafMasses, keep_volume) {
  InMemory phase;
  Eigen::MatrixXd jacobian(2 * dimension, 2 * dimension);
  constexpr double h = 1e-5;
  for (int j = 0; j < 2 * dimension; ++j) {
    Vector moved[2][2];
    for (int side : {0, 1}) {
      Vector q = q0, v = v0;
      (j < dimension ? q : v)[static_cast<std::size_t>(j % dimension)] += side ? h : -h;
      phase.move(q, v, 3, 0.15);
      moved[side][0] = q, moved[side][1] = v;
    }
    for (int i = 0; i < 2 * dimension; ++i) {
      const auto k = static_cast<std::size_t>(i % dimension);
      jacobian(i, j) = (moved[1][i / dimension][k] - moved[0][i / dimension][k]) / (2 * h);
    }
  }
  EXPECT_NEAR(jacobian.determinant(), 1, 1e-6);
}

// Over one time, of steps h and h / 2: a quarter of the error. A force that is not that of the energy errs by as much
// whatever the step.
TEST(LeafMasses, keep_the_energy_to_second_order) {
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::two_stage}) {
    InMemory phase;
    const auto error = [&](std::uint32_t count) {
      Vector q = q0, v = v0;
      const double before = phase.move(q, v, 0, 1, integrator, true);
      return phase.move(q, v, count, 0.8 / count, integrator) - before;
    };
    const double coarse = error(20), fine = error(40);
    EXPECT_GT(std::abs(coarse), 1e-7);
    EXPECT_NEAR(coarse / fine, 4, 0.4) << coarse;
  }
}

TEST(LeafMasses, lie_in_registers_as_in_memory) {
  InMemory in_memory;
  Phase<Scalar<double>, Size<dimension>, Registers<Scalar<double>, dimension>> in_registers;
  Phase<Pack<double>, Size<dynamic>, Strided<Pack<double>>> in_packs;
  Vector q = q0, v = v0, q_registers = q0, v_registers = v0, q_packs = q0, v_packs = v0;
  in_memory.move(q, v, 10, 0.1);
  in_registers.move(q_registers, v_registers, 10, 0.1);
  in_packs.move(q_packs, v_packs, 10, 0.1);
  for (std::size_t i = 0; i < dimension; ++i) {
    EXPECT_EQ(q_registers[i], q[i]);
    EXPECT_EQ(v_registers[i], v[i]);
    EXPECT_NEAR(q_packs[i], q[i], 1e-12);  // exponentials of packs are others
    EXPECT_NEAR(v_packs[i], v[i], 1e-12);
  }
}

// A standard normal z has the kinetic energy z^2 / 2 + sum log mu / 2 as the momentum that becomes of it.
TEST(LeafMasses, weigh_momenta) {
  InMemory phase;
  using R = Scalar<double>;
  Arena<R> arena{Strided<R>{phase.room.data(), 1}, 0};
  auto q = phase.vector(arena, q0), v = phase.vector(arena, v0);
  const Size<dynamic> n(dimension);
  InverseMasses<R> masses;
  masses.take(arena, dimension);
  const double begun = begin_with_leaves<R>(phase.leaves, n, q, v, masses).value().v;
  const LeafMasses known = three_levels();
  double expected = 0;
  for (std::size_t l = 0; l < known.count(); ++l) {
    double exponents[] = {known.intercept[l], known.second_intercept[l]};
    for (std::int32_t e = known.first[l]; e < known.first[l + 1]; ++e)
      exponents[e >= known.second[l]] += known.exponent[static_cast<std::size_t>(e)] *
                                         q0[static_cast<std::size_t>(known.hyper[static_cast<std::size_t>(e)])];
    const bool two = known.second[l] < known.first[l + 1];
    const double mass = known.constant[l] + std::exp(exponents[0]) + (two ? std::exp(exponents[1]) : 0);
    EXPECT_NEAR(masses.of[known.component[l]].v * mass, 1, 1e-14);
    expected += 0.5 * std::log(mass);
  }
  EXPECT_EQ(masses.of[0].v, 1);
  EXPECT_NEAR(begun, expected, 1e-13);
  for (const double z : v0) expected += 0.5 * z * z;
  EXPECT_NEAR(v[9].v, v0[9] / std::sqrt(masses.of[9].v), 1e-14);
  EXPECT_NEAR(end_with_leaves<R>(phase.leaves, n, q, v, masses).value().v, expected, 1e-13);
  EXPECT_NEAR(v[9].v, v0[9] * std::sqrt(masses.of[9].v), 1e-14);
}

// Far outside of what a fit has seen nothing overflows.
TEST(LeafMasses, stay_finite) {
  Phase<Scalar<float>, Size<dynamic>, Strided<Scalar<float>>> phase;
  for (const double far : {-1e4, 1e4}) {
    Vector q = q0, v = v0;
    q[0] = far;
    phase.move(q, v, 1, 1e-30, Integrator::leapfrog, true);
    using R = Scalar<float>;
    Arena<R> arena{Strided<R>{phase.room.data(), 1}, 0};
    auto position = phase.vector(arena, q);
    InverseMasses<R> masses;
    masses.take(arena, dimension);
    auto unused = phase.vector(arena, Vector(dimension, 0.0));
    begin_with_leaves<R>(phase.leaves, Size<dynamic>(dimension), position, unused, masses);
    for (int i = 0; i < dimension; ++i) {
      EXPECT_TRUE(std::isfinite(masses.of[i].v));
      EXPECT_GT(masses.of[i].v, 0);
    }
  }
}

}  // namespace
}  // namespace manychain
