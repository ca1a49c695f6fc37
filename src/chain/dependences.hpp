// On which components the arguments of densities depend: components are moved, and what changes is noted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "manychain/chain/dependent_scales.hpp"

namespace manychain {

using Notes = std::vector<checks::ScaleArguments>;
using Components = std::vector<std::size_t>;  ///< ascending

enum Argument : std::size_t { variate, location, scale, arguments };

/// Components that are moved alone, and the others.
struct Moves {
  Components alone, in_sets;
  explicit Moves(const std::vector<std::string>& names);
  /// Evaluations that they take.
  std::size_t passes() const;
};

/// A search does not take more numbers of parameters and intermediates in all passes.
inline constexpr double most_work = 2e8;

/// The components on which each argument of each note depends, ascending.
class Dependences {
 public:
  Dependences(const Layout& layout, const ScaleArgumentsAt& evaluate, const Moves& moves);
  /// Notes were the same at all positions.
  bool whole() const { return whole_; }
  std::size_t notes() const { return before_.size(); }
  const Components& operator()(std::size_t note, Argument which) const { return of_[note * arguments + which]; }
  /// The position at which all was noted first, and what was noted there.
  const std::vector<double>& position() const { return position_; }
  const checks::ScaleArguments& at(std::size_t note) const { return before_[note]; }
  /// Changes of an argument, or of the log scale, by that of a component, for those that were moved alone.
  const std::vector<DependentScale::Term>& slopes(std::size_t note, Argument which) const {
    return slopes_[note * arguments + which];
  }
  /// Adds slopes of components that were moved in sets, where an argument depends on one of these only. Slopes of a log
  /// scale that depends on one component become those where it is small, as of a scale between two bounds.
  void find_other_slopes();
  /// The slopes of this log scale hold where it is small.
  bool knows_small_scales(std::size_t note) const { return knows_small_scales_[note]; }

 private:
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  /// Calls f(note * arguments + argument, from, to) for what changes when these components move, by `by` of each.
  template <class F>
  void move(const Components& components, std::vector<double>& by, const F& f);
  void move_sets(const Components& components);
  void find_slopes_of_sets();
  void find_slopes_of_small_scales();
  void add_slope(std::size_t place, long double from, long double to, std::size_t component, double by);

  const ScaleArgumentsAt& evaluate_;
  const Moves& moves_;
  std::mt19937_64 engine_{20260409};
  std::vector<double> position_;
  Notes before_;
  std::vector<Components> of_;
  std::vector<std::vector<DependentScale::Term>> slopes_;  ///< as of_; of components that were moved alone
  std::vector<bool> knows_small_scales_;                   ///< [note]
  bool whole_ = true;
};

Components united(const Components& a, const Components& b);

/// A location with more parameters than that has no leaf that matters.
inline constexpr std::size_t most_in_location = 64;

/// Notes the slopes of the log scale of this density, one for each hyper of the leaf.
void set_slopes(const Dependences& depends, std::size_t note, DependentScale& leaf);

/// Components that do not lead to themselves by way of their hypers, which are those of each component.
std::vector<bool> outside_of_circles(const std::vector<Components>& hypers);

}  // namespace manychain
