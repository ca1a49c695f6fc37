#include "manychain/markov/stationary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manychain/core/error.hpp"
#include "markov/algebra.hpp"

namespace manychain::markov {
namespace {

[[noreturn]] void refuse_underflow(const TransitionMatrix& p, std::size_t state) {
  throw BadInput(
      fmt::format("transition matrix: the ways out of state {} are too improbable for double precision; lump states "
                  "or scale the probabilities",
                  p.name(state)));
}

/// Takes state k out of the chain on states 0 .. k: what leads to k leads on to where k leads. `a` has a row for each
/// of these states, and columns for them and for whatever else can be reached, from `extra` on. Row k then is the
/// distribution of the first other state after k. False if all ways out of k have underflowed.
bool censor(Matrix& a, std::size_t k, std::size_t extra) {
  double out = 0;
  const auto each_target = [&](auto&& body) {
    for (std::size_t j = 0; j < k; ++j) body(j);
    for (std::size_t j = extra; j < a.columns(); ++j) body(j);
  };
  each_target([&](std::size_t j) { out += a(k, j); });
  if (!(out > 0)) return false;
  each_target([&](std::size_t j) { a(k, j) /= out; });
  for (std::size_t i = 0; i < k; ++i) {
    const double through = a(i, k);
    if (through > 0) each_target([&](std::size_t j) { a(i, j) += through * a(k, j); });
    a(i, k) /= out;  // the expected number of visits to k before the next other state
  }
  return true;
}

std::vector<double> stationary_of(const TransitionMatrix& p, const std::vector<std::size_t>& states) {
  const std::size_t n = states.size();
  Matrix a(n, n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a(i, j) = p(states[i], states[j]);
  }
  for (std::size_t k = n; k-- > 1;) {
    if (!censor(a, k, n)) refuse_underflow(p, states[k]);
  }
  std::vector<double> x(n, 0);
  x[0] = 1;
  for (std::size_t k = 1; k < n; ++k) {
    for (std::size_t i = 0; i < k; ++i) x[k] += x[i] * a(i, k);
    if (x[k] > 1e100) {  // far from overflow, and what becomes zero below is far from mattering
      const double scale = x[k];
      for (std::size_t i = 0; i <= k; ++i) x[i] /= scale;
    }
  }
  double sum = 0;
  for (double value : x) sum += value;
  std::vector<double> pi(p.states(), 0);
  for (std::size_t i = 0; i < n; ++i) pi[states[i]] = x[i] / sum;
  return pi;
}

/// Adds what the pairs among `states` say to `out`.
void compare_flows(const TransitionMatrix& p, const std::vector<double>& pi, const std::vector<std::size_t>& states,
                   DetailedBalance& out) {
  for (std::size_t i : states) {
    for (std::size_t j : states) {
      if (j <= i) continue;
      const double there = pi[i] * p(i, j), back = pi[j] * p(j, i);
      const double violation = std::fabs(there - back);
      if (violation > out.worst) {
        out.worst = violation;
        out.from = i;
        out.to = j;
      }
      if (violation > 0) out.worst_relative = std::max(out.worst_relative, violation / std::max(there, back));
    }
  }
  out.reversible = out.worst_relative <= reversibility_tolerance;
}

}  // namespace

std::vector<std::vector<double>> stationary_distributions(const TransitionMatrix& p, const Structure& structure) {
  std::vector<std::vector<double>> all;
  for (const CommunicatingClass& c : structure.classes) {
    if (c.closed) all.push_back(stationary_of(p, c.states));
  }
  return all;
}

std::vector<std::vector<double>> stationary_distributions(const TransitionMatrix& p) {
  return stationary_distributions(p, structure(p));
}

Matrix absorption_probabilities(const TransitionMatrix& p, const Structure& structure) {
  std::vector<std::size_t> transient, column(structure.classes.size(), 0);
  std::size_t closed = 0;
  for (std::size_t c = 0; c < structure.classes.size(); ++c) {
    if (structure.classes[c].closed) column[c] = closed++;
  }
  for (std::size_t s = 0; s < p.states(); ++s) {
    if (!structure.recurrent(s)) transient.push_back(s);
  }
  const std::size_t n = transient.size();
  std::vector<std::size_t> place(p.states(), 0);
  for (std::size_t i = 0; i < n; ++i) place[transient[i]] = i;

  // The transient states, and a column for each closed class.
  Matrix a(n, n + closed, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < p.states(); ++s) {
      a(i, structure.recurrent(s) ? n + column[structure.class_of[s]] : place[s]) += p(transient[i], s);
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    if (!censor(a, k, n)) refuse_underflow(p, transient[k]);
  }
  for (std::size_t k = 1; k < n; ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t c = n; c < n + closed; ++c) a(k, c) += a(k, j) * a(j, c);
    }
  }

  Matrix h(p.states(), closed, 0);
  for (std::size_t s = 0; s < p.states(); ++s) {
    if (structure.recurrent(s)) {
      h(s, column[structure.class_of[s]]) = 1;
    } else {
      for (std::size_t c = 0; c < closed; ++c) h(s, c) = a(place[s], n + c);
    }
  }
  return h;
}

Matrix absorption_probabilities(const TransitionMatrix& p) { return absorption_probabilities(p, structure(p)); }

double invariance_error(const TransitionMatrix& p, const std::vector<double>& pi) {
  check_distribution(pi, p.states(), "pi");
  const Eigen::Map<const Eigen::RowVectorXd> x(pi.data(), index(pi.size()));
  return (x * view(p.matrix()) - x).cwiseAbs().maxCoeff();
}

DetailedBalance detailed_balance(const TransitionMatrix& p, const std::vector<double>& pi) {
  if (pi.size() != p.states()) throw BadInput(fmt::format("pi: {} entries for {} states", pi.size(), p.states()));
  for (std::size_t i = 0; i < pi.size(); ++i) {
    if (!(pi[i] >= 0) || std::isinf(pi[i])) {
      throw BadInput(fmt::format("pi: entry {} is {}; finite, non-negative numbers are allowed", i + 1, pi[i]));
    }
  }
  std::vector<std::size_t> states(p.states());
  for (std::size_t i = 0; i < states.size(); ++i) states[i] = i;
  DetailedBalance out;
  compare_flows(p, pi, states, out);
  return out;
}

DetailedBalance detailed_balance(const TransitionMatrix& p) {
  const Structure s = structure(p);
  const std::vector<std::vector<double>> pi = stationary_distributions(p, s);
  DetailedBalance out;
  std::size_t next = 0;
  for (const CommunicatingClass& c : s.classes) {
    if (c.closed) compare_flows(p, pi[next++], c.states, out);
  }
  return out;
}

}  // namespace manychain::markov
