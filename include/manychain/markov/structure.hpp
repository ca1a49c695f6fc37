// Which states lead where: communicating classes, periods, recurrence. Decided by which probabilities are positive,
// however small they are.
// Norris, Markov Chains (1997), sections 1.2, 1.5 and 1.8; Levin, Peres and Wilmer (2017), sections 1.3 and 1.7.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/markov/transition_matrix.hpp"

namespace manychain::markov {

/// States of which each leads to each other one.
struct CommunicatingClass {
  std::vector<std::size_t> states;  ///< ascending
  /// No probability leads out. In a finite chain the states of a closed class are positive recurrent, all others are
  /// transient (Norris, theorem 1.5.6 and section 1.7).
  bool closed = false;
  /// Greatest common divisor of the lengths of all paths from a state back to itself; 0 if there is no such path.
  std::size_t period = 0;
};

struct Structure {
  std::vector<CommunicatingClass> classes;  ///< in the order of their first states
  std::vector<std::size_t> class_of;        ///< of each state: its place in `classes`

  std::size_t closed_classes() const;
  /// Positive recurrent; else transient. Nothing between the two exists in a finite chain.
  bool recurrent(std::size_t state) const { return classes[class_of[state]].closed; }
  std::size_t period(std::size_t state) const { return classes[class_of[state]].period; }
  /// There is one class.
  bool irreducible() const { return classes.size() == 1; }
  /// Some power of P has positive entries only (P is primitive): irreducible and aperiodic.
  bool regular() const { return irreducible() && classes[0].period == 1; }
  /// P^n tends to a matrix with equal rows: one closed class, and that aperiodic. Transient states may lead to it.
  bool converges() const;
};

/// Tarjan's (1972) strong components, and a breadth-first search for the period of each. O(S^2).
Structure structure(const TransitionMatrix& p);

}  // namespace manychain::markov
