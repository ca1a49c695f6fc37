// Terms that call no density of the library, as a model writes them by hand: their statements, and which of them pass
// on their adjoints (chain/dependent_scales.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "manychain/chain/dependent_scales.hpp"
#include "manychain/model/autodiff/own_scale.hpp"
#include "manychain/model/data/checks.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
/// Its address stands for the type.
template <class E>
inline constexpr char address_of_type = 0;
}  // namespace detail

/// Terms of one type are one statement, which a loop repeats.
class TermsByHand {
 public:
  std::size_t statements() const { return statements_.size(); }
  std::size_t terms() const { return terms_; }

  /// An evaluation in which terms of this statement pass on their adjoints; for no_statement none do, and all are
  /// noted.
  void begin(std::size_t statement) {
    wanted_ = statement;
    of_library_ = false;
    before_ = checks::densities();
  }
  /// True if a term is of the statement that is wanted. A sum of numbers may hold densities of the library beside what
  /// is written by hand.
  template <class E>
  bool wants() {
    const checks::DensityCount now = checks::densities();
    if (of_library_ || now.scaled != before_.scaled) return false;
    if (now.all != before_.all && !detail::is_sum<E>) return false;
    const void* const type = &detail::address_of_type<E>;
    const auto at = std::find(statements_.begin(), statements_.end(), type);
    if (wanted_ != no_statement) return at - statements_.begin() == static_cast<std::ptrdiff_t>(wanted_);
    if (at == statements_.end()) statements_.push_back(type);
    ++terms_;
    return false;
  }
  void end_statement() {
    if (!of_library_) before_ = checks::densities();
  }
  /// Terms that follow are those of one density of the library, or no longer; gives what they were.
  bool of_library(bool are) {
    const bool were = of_library_;
    of_library_ = are;
    return were;
  }

 private:
  std::vector<const void*> statements_;
  std::size_t terms_ = 0, wanted_ = no_statement;
  bool of_library_ = false;
  checks::DensityCount before_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
