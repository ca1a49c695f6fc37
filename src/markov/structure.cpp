#include "manychain/markov/structure.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace manychain::markov {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Tarjan's algorithm with a stack of its own: a chain of a million states must not overflow the program's.
class StrongComponents {
 public:
  explicit StrongComponents(const TransitionMatrix& p)
      : p_(p), number_(p.states(), none), low_(p.states(), 0), on_stack_(p.states(), false) {
    for (std::size_t s = 0; s < p.states(); ++s) {
      if (number_[s] == none) search(s);
    }
  }

  std::vector<std::vector<std::size_t>> components;

 private:
  struct Visit {
    std::size_t state, next;  // the successor to look at next
  };

  void enter(std::size_t s) {
    number_[s] = low_[s] = count_++;
    on_stack_[s] = true;
    stack_.push_back(s);
    visits_.push_back({s, 0});
  }

  void search(std::size_t root) {
    enter(root);
    while (!visits_.empty()) {
      const std::size_t s = visits_.back().state;
      std::size_t& next = visits_.back().next;
      while (next < p_.states() && !(p_(s, next) > 0)) ++next;
      if (next < p_.states()) {
        const std::size_t t = next++;
        if (number_[t] == none) {
          enter(t);
        } else if (on_stack_[t]) {
          low_[s] = std::min(low_[s], number_[t]);
        }
        continue;
      }
      visits_.pop_back();
      if (!visits_.empty()) low_[visits_.back().state] = std::min(low_[visits_.back().state], low_[s]);
      if (low_[s] == number_[s]) take_component(s);
    }
  }

  void take_component(std::size_t root) {
    std::vector<std::size_t> states;
    do {
      states.push_back(stack_.back());
      stack_.pop_back();
      on_stack_[states.back()] = false;
    } while (states.back() != root);
    std::sort(states.begin(), states.end());
    components.push_back(std::move(states));
  }

  const TransitionMatrix& p_;
  std::vector<std::size_t> number_, low_;
  std::vector<bool> on_stack_;
  std::vector<std::size_t> stack_;
  std::vector<Visit> visits_;
  std::size_t count_ = 0;
};

/// With d the distance from one state of the class, each edge i -> j inside it adds d(i) + 1 - d(j) to the gcd.
std::size_t period_of(const TransitionMatrix& p, const std::vector<std::size_t>& states) {
  std::vector<std::size_t> distance(p.states(), none);
  std::vector<std::size_t> queue = {states[0]};
  distance[states[0]] = 0;
  for (std::size_t k = 0; k < queue.size(); ++k) {
    for (std::size_t j : states) {
      if (!(p(queue[k], j) > 0) || distance[j] != none) continue;
      distance[j] = distance[queue[k]] + 1;
      queue.push_back(j);
    }
  }
  std::size_t period = 0;
  for (std::size_t i : states) {
    for (std::size_t j : states) {
      if (!(p(i, j) > 0)) continue;
      const std::size_t there = distance[i] + 1, here = distance[j];
      period = std::gcd(period, there > here ? there - here : here - there);
    }
  }
  return period;
}

}  // namespace

std::size_t Structure::closed_classes() const {
  return static_cast<std::size_t>(
      std::count_if(classes.begin(), classes.end(), [](const CommunicatingClass& c) { return c.closed; }));
}

bool Structure::converges() const {
  if (closed_classes() != 1) return false;
  return std::all_of(classes.begin(), classes.end(),
                     [](const CommunicatingClass& c) { return !c.closed || c.period == 1; });
}

Structure structure(const TransitionMatrix& p) {
  Structure out;
  StrongComponents found(p);
  std::sort(found.components.begin(), found.components.end());  // they are disjoint: by first states
  out.class_of.assign(p.states(), 0);
  for (std::size_t c = 0; c < found.components.size(); ++c) {
    for (std::size_t s : found.components[c]) out.class_of[s] = c;
  }
  for (std::vector<std::size_t>& states : found.components) {
    CommunicatingClass one;
    one.closed = true;
    for (std::size_t i : states) {
      for (std::size_t j = 0; j < p.states(); ++j) {
        if (p(i, j) > 0 && out.class_of[j] != out.class_of[i]) one.closed = false;
      }
    }
    one.period = period_of(p, states);
    one.states = std::move(states);
    out.classes.push_back(std::move(one));
  }
  return out;
}

}  // namespace manychain::markov
