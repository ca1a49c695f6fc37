// Places of the terms of a model, and the numerical Jacobians for comparison with those of its constraints.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace manychain {

/// Places of terms in the model: statements, as runs of rows. Every evaluation writes the same list.
class TermPlaces {
 public:
  void clear() { statements_.clear(); }
  /// The next statement, whose first term has the number `first`. `what`: a function of the target; null: `+=`.
  /// `elements`: its terms are those of a vector.
  void begin(const char* what, const char* name, bool elements, std::size_t first);
  /// The next row of a statement.
  void row(std::size_t first) { statements_.back().rows.push_back(first); }
  /// "statement 3, observe("y"), row 3"; "statement 2 (target +=), element 4". All are counted from 1.
  std::string name(std::size_t term) const;

 private:
  struct Statement {
    std::string called;
    bool elements;
    std::size_t first;
    std::vector<std::size_t> rows;  ///< their first terms
  };
  std::vector<Statement> statements_;
};

/// log |det| of the derivatives of u -> x, both of one size, by central differences in extended precision.
/// `transform` fills x.
long double numerical_log_jacobian(
    const std::vector<long double>& u,
    const std::function<void(const std::vector<long double>& u, std::vector<long double>& x)>& transform);

}  // namespace manychain
