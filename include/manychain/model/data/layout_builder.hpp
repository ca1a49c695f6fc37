// The part of a layout's target that does not depend on types of the model: the library has it, compiled once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"

namespace manychain {

/// Collects what a model declares, in its order: the layout, and a starting point on the unconstrained scale. Every
/// function that takes a name throws BadInput with a message about what has that name.
class LayoutBuilder {
 public:
  LayoutBuilder() = default;
  /// The starting point has the values of `given`, which must outlive this.
  explicit LayoutBuilder(const Data& given) : given_(&given) {}
  LayoutBuilder(const LayoutBuilder&) = delete;
  LayoutBuilder& operator=(const LayoutBuilder&) = delete;
  ~LayoutBuilder();

  /// A parameter with `components` unconstrained components.
  void declare(const char* name, std::vector<std::size_t> shape, int components);
  /// One that is not recorded.
  void declare_latent(const char* name, int components);
  /// The parameter that was declared last is a matrix.
  void reshape(std::size_t rows, std::size_t columns);
  /// An element of the parameter that was declared last has one value, by its constraint.
  void mark_constant(std::size_t element);
  /// The last `count` components are whole numbers.
  void mark_integers(std::size_t count, int low, int high);
  void observe(const char* name, std::size_t rows, bool scalar = false);
  void derive(const char* name, std::vector<std::size_t> shape, bool predicted = false);
  /// Terms of a sum; few of them are in registers and do not count.
  void add_terms(std::size_t count);
  /// Numbers of working memory of a chain.
  std::size_t& scratch() { return layout_.scratch; }

  const Data::Variable* find_given(const char* name) const;
  /// The given value of a parameter with `size` elements; null if there is none.
  const double* given(const char* name, std::size_t size, bool scalar) const;
  /// The next component of the starting point.
  double start(const char* name, double component);
  /// The next `size` components, which have no transform, at their given values; these, or null.
  const double* start_values(const char* name, std::size_t size);
  /// The next `size` components, whole numbers, at their given values or the smallest; the former, or null.
  const double* start_integers(const char* name, std::size_t size, int low, int high);

  /// Throws BadInput where names do not tell quantities apart.
  const Layout& finish();
  /// After finish(): the starting point. Components without a given value are zero, or the smallest whole number.
  const std::vector<double>& start() const { return start_; }
  /// After finish(), one per component: whether its value was given.
  const std::vector<bool>& was_given() const { return was_given_; }

 private:
  void add_components(const char* name, bool indexed, int count);
  void pad_start(std::size_t size, double value);

  Layout layout_;
  std::vector<Quantity> derived_;
  std::vector<std::string> latent_;
  std::vector<double> start_;
  std::vector<bool> was_given_;
  const Data* given_ = nullptr;
};

}  // namespace manychain
