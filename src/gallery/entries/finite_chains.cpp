// Finite chains, and one that is not: what becomes of them after many steps.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "gallery/entries.hpp"
#include "manychain/core/error.hpp"
#include "manychain/markov/markov.hpp"

namespace manychain::gallery {
namespace {

using markov::BirthDeath;
using markov::Recurrence;
using markov::TransitionMatrix;

constexpr double rounding = 1e-14;

std::string yes(bool holds) { return holds ? "yes" : "no"; }

std::string words(Recurrence recurrence) {
  switch (recurrence) {
    case Recurrence::positive_recurrent:
      return "positive recurrent";
    case Recurrence::null_recurrent:
      return "null recurrent";
    case Recurrence::transient:
      return "transient";
  }
  return "";
}

}  // namespace

Report two_state_chain(const GalleryOptions&) {
  // In books that write columns, column j is the distribution after state j: (0.4, 0.6) and (0.5, 0.5).
  const TransitionMatrix p({{0.4, 0.6}, {0.5, 0.5}});
  Report report;
  report.lines = {"P = ((0.4, 0.6), (0.5, 0.5)), rows the distribution of the next state. From any start it settles at",
                  "5 : 6, a tenth of the way remaining after each step: the eigenvalues are 1 and -0.1."};
  Table table{{"steps", "from state 1", "distance from 5 : 6"}, {}};
  for (std::uint64_t n : {0, 1, 2, 4, 8}) {
    const std::vector<double> x = p.evolve({1, 0}, n);
    table.rows.push_back({fmt::format("{}", n), fmt::format("({:.8f}, {:.8f})", x[0], x[1]),
                          fmt::format("{:.1e}", std::fabs(x[0] - 5.0 / 11))});
  }
  report.tables.push_back(table);
  const std::vector<double> pi = markov::stationary_distributions(p)[0];
  report.checks = {
      exact("stationary, state 1", 5.0 / 11, pi[0], rounding), exact("stationary, state 2", 6.0 / 11, pi[1], rounding),
      exact("state 1 after 3 steps", 5.0 / 11 + 6.0 / 11 * -0.001, p.evolve({1, 0}, 3)[0], rounding),
      exact("state 1 after 10^12 steps from state 2", 5.0 / 11, p.evolve({0, 1}, 1'000'000'000'000)[0], rounding),
      exact("spectral gap", 0.9, markov::spectrum(p).gap, rounding)};
  return report;
}

Report two_state_metropolis(const GalleryOptions&) {
  const std::vector<double> target = {0.2, 0.8};
  const TransitionMatrix p = markov::metropolis_hastings_matrix(target, TransitionMatrix({{0, 1}, {1, 0}}));
  Report report;
  report.lines = {
      "The target (0.2, 0.8), the other state proposed: the step to state 2 is always accepted, the step back",
      "with probability 0.2 / 0.8, so that P = ((0, 1), (1/4, 3/4))."};
  report.checks = {exact("P(1, 1)", 0, p(0, 0), rounding),
                   exact("P(1, 2)", 1, p(0, 1), rounding),
                   exact("P(2, 1)", 0.25, p(1, 0), rounding),
                   exact("P(2, 2)", 0.75, p(1, 1), rounding),
                   exact("stationary, state 1", 0.2, markov::stationary_distributions(p)[0][0], rounding),
                   exact("|pi P - pi|", 0, markov::invariance_error(p, target), rounding),
                   same("in detailed balance", "yes", yes(markov::detailed_balance(p, target).reversible)),
                   exact("second eigenvalue, modulus", 0.25, markov::spectrum(p).second_modulus, rounding)};
  return report;
}

Report birth_death(const GalleryOptions&) {
  Report report;
  report.lines = {
      "On 0, 1, 2, ..: down with probability p, up with q = 1 - p, at 0 staying instead of going down.",
      "Positive recurrent for p > q, with pi_k = (1 - q/p) (q/p)^k; else there is no stationary distribution."};
  Table table{{"p", "chain", "P(ever back at 0 from 1)", "steps until then", "pi_0", "pi_0 of 0 .. 199"}, {}};
  for (double p : {0.7, 0.5, 0.4}) {
    const BirthDeath chain(p);
    const double ratio = chain.q() / chain.p();
    const double cut_off = markov::stationary_distributions(chain.truncate(200))[0][0];
    table.rows.push_back({fmt::format("{}", p), words(chain.recurrence()),
                          fmt::format("{:.4f}", chain.hitting_probability(1)),
                          fmt::format("{:.4g}", chain.expected_hitting_time(1)),
                          chain.has_stationary_distribution() ? fmt::format("{:.6f}", chain.stationary(0)) : "none",
                          fmt::format("{:.3g}", cut_off)});
    // Cut off, every chain has a stationary distribution: geometric weights, summed.
    const double known = ratio == 1 ? 1.0 / 200 : (1 - ratio) / (1 - std::pow(ratio, 200));
    report.checks.push_back(same(fmt::format("p = {}", p),
                                 p > 0.5    ? "positive recurrent"
                                 : p == 0.5 ? "null recurrent"
                                            : "transient",
                                 words(chain.recurrence())));
    report.checks.push_back(exact(fmt::format("pi_0 of 0 .. 199, p = {}", p), known, cut_off, rounding));
  }
  report.tables.push_back(table);
  // 1 - 3/7 = 4/7; steps until zero from k: k / (p - q). The chain that is cut off far out agrees with the whole one.
  const BirthDeath chain(0.7);
  report.checks.push_back(exact("pi_0, p = 0.7", 4.0 / 7, chain.stationary(0), rounding));
  report.checks.push_back(exact("steps from 3 to 0, p = 0.7", 7.5, chain.expected_hitting_time(3), 1e-13));
  report.checks.push_back(
      exact("P(ever at 0 from 2), p = 0.4", 4.0 / 9, BirthDeath(0.4).hitting_probability(2), rounding));
  std::string refused = "a distribution";
  try {
    BirthDeath(0.5).stationary(0);
  } catch (const BadInput&) {
    refused = "none";
  }
  report.checks.push_back(same("stationary distribution, p = 0.5", "none", refused));
  return report;
}

Report chain_structure(const GalleryOptions&) {
  struct Case {
    const char* name;
    TransitionMatrix p;
    const char *classes, *period, *reversible, *converges;
  };
  const std::vector<Case> cases = {
      {"lazy walk on 3", TransitionMatrix({{0.75, 0.25, 0}, {0.25, 0.5, 0.25}, {0, 0.25, 0.75}}), "1", "1", "yes",
       "yes"},
      {"walk on a ring of 4",
       TransitionMatrix({{0, 0.5, 0, 0.5}, {0.5, 0, 0.5, 0}, {0, 0.5, 0, 0.5}, {0.5, 0, 0.5, 0}}), "1", "2", "yes",
       "no"},
      {"two ends", TransitionMatrix({{0.5, 0.25, 0.25}, {0, 1, 0}, {0, 0, 1}}), "3", "1", "yes", "no"},
      {"one way round 3", TransitionMatrix({{0.1, 0.9, 0}, {0, 0.1, 0.9}, {0.9, 0, 0.1}}), "1", "1", "no", "yes"}};
  Report report;
  report.lines = {"A chain converges if it has one closed class and that is aperiodic. It is reversible if, under its",
                  "stationary distribution, each step is as frequent as the step back."};
  Table table{{"chain", "classes", "closed", "period", "reversible", "gap", "mixing time"}, {}};
  for (const Case& c : cases) {
    const markov::Structure structure = markov::structure(c.p);
    const auto mixing = markov::mixing_time(c.p);
    const std::string classes = std::to_string(structure.classes.size());
    const std::string period = std::to_string(structure.period(0));
    const std::string reversible = yes(markov::detailed_balance(c.p).reversible);
    table.rows.push_back({c.name, classes, std::to_string(structure.closed_classes()), period, reversible,
                          fmt::format("{:.4g}", markov::spectrum(c.p).gap),
                          mixing ? std::to_string(*mixing) : "infinite"});
    report.checks.push_back(same(fmt::format("{}: communicating classes", c.name), c.classes, classes));
    report.checks.push_back(same(fmt::format("{}: period of state 1", c.name), c.period, period));
    report.checks.push_back(same(fmt::format("{}: reversible", c.name), c.reversible, reversible));
    report.checks.push_back(same(fmt::format("{}: converges", c.name), c.converges, yes(mixing.has_value())));
  }
  report.tables.push_back(table);
  // From the first state of "two ends" either end is reached with the same probability.
  report.checks.push_back(
      exact("two ends: absorbed in the first", 0.5, markov::absorption_probabilities(cases[2].p)(0, 0), rounding));
  // Eigenvalues 0.1 + 0.9 w, w^3 = 1: the modulus of 0.1 + 0.9 exp(2 pi i / 3) is sqrt(0.73).
  report.checks.push_back(
      exact("one way round 3: spectral gap", 1 - std::sqrt(0.73), markov::spectrum(cases[3].p).gap, 1e-12));
  return report;
}

}  // namespace manychain::gallery
