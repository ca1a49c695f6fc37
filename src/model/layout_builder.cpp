#include "manychain/model/data/layout_builder.hpp"

#include <cmath>
#include <utility>

#include "manychain/core/error.hpp"
#include "manychain/core/size.hpp"
#include "manychain/model/data/layout_checks.hpp"

namespace manychain {

LayoutBuilder::~LayoutBuilder() = default;

void LayoutBuilder::declare(const char* name, std::vector<std::size_t> shape, int components) {
  layout_.quantities.push_back({name, std::move(shape), layout_.outputs, false});
  layout_.outputs += layout_.quantities.back().size();
  add_components(name, !layout_.quantities.back().shape.empty(), components);
}

void LayoutBuilder::declare_latent(const char* name, int components) {
  latent_.emplace_back(name);
  add_components(name, true, components);
}

void LayoutBuilder::add_components(const char* name, bool indexed, int count) {
  pad_start(layout_.dimension, 0);
  layout_.dimension += static_cast<std::size_t>(count);
  checks::require_dimension(name, layout_.dimension);
  for (int i = 0; i < count; ++i)
    layout_.unconstrained_names.push_back(indexed ? std::string(name) + "[" + std::to_string(i + 1) + "]"
                                                  : std::string(name));
}

void LayoutBuilder::pad_start(std::size_t size, double value) {
  start_.resize(size, value);
  was_given_.resize(size, false);
}

void LayoutBuilder::reshape(std::size_t rows, std::size_t columns) {
  layout_.quantities.back().shape = {rows, columns};
}

void LayoutBuilder::mark_constant(std::size_t element) {
  layout_.constant.resize(layout_.quantities.back().offset + element, false);
  layout_.constant.push_back(true);
}

void LayoutBuilder::mark_integers(std::size_t count, int low, int high) {
  layout_.integers += count;
  layout_.integer.resize(layout_.dimension - count, false);
  layout_.integer.resize(layout_.dimension, true);
  layout_.lowest.resize(layout_.dimension - count);
  layout_.lowest.resize(layout_.dimension, low);
  layout_.highest.resize(layout_.dimension - count);
  layout_.highest.resize(layout_.dimension, high);
}

void LayoutBuilder::observe(const char* name, std::size_t rows, bool scalar) {
  layout_.observed.push_back({name, rows, scalar});
}

void LayoutBuilder::derive(const char* name, std::vector<std::size_t> shape, bool predicted) {
  derived_.push_back({name, std::move(shape), 0, true, predicted});
}

void LayoutBuilder::add_terms(std::size_t count) {
  if (count > register_components) layout_.terms += count;
}

const Data::Variable* LayoutBuilder::find_given(const char* name) const {
  return given_ ? given_->find(name) : nullptr;
}

const double* LayoutBuilder::given(const char* name, std::size_t size, bool scalar) const {
  const Data::Variable* const found = find_given(name);
  if (!found) return nullptr;
  if (found->values.size() != size || (!scalar && found->shape.empty()))
    throw BadInput(
        "initial value of " + std::string(name) + ": " +
        (scalar ? std::string("one number is needed") : "a vector of " + std::to_string(size) + " is needed") +
        ", found " + std::to_string(found->values.size()));
  return found->values.data();
}

double LayoutBuilder::start(const char* name, double component) {
  if (!std::isfinite(component))
    throw BadInput("initial value of " + std::string(name) + ": it must lie inside of its constraint, not on its edge");
  start_.push_back(component);
  was_given_.push_back(true);
  return component;
}

const double* LayoutBuilder::start_values(const char* name, std::size_t size) {
  const double* const values = given(name, size, false);
  if (values)
    for (std::size_t i = 0; i < size; ++i) start(name, values[i]);
  return values;
}

const double* LayoutBuilder::start_integers(const char* name, std::size_t size, int low, int high) {
  const double* const values = given(name, size, false);
  if (!values) {
    pad_start(layout_.dimension, low);
    return nullptr;
  }
  for (std::size_t i = 0; i < size; ++i)
    if (!(values[i] >= low && values[i] <= high && values[i] == std::floor(values[i])))
      throw BadInput("initial value of " + std::string(name) + ": whole numbers from " + std::to_string(low) + " to " +
                     std::to_string(high) + " are needed");
  return start_values(name, size);
}

const Layout& LayoutBuilder::finish() {
  layout_.integer.resize(layout_.dimension, false);
  layout_.lowest.resize(layout_.dimension);
  layout_.highest.resize(layout_.dimension);
  pad_start(layout_.dimension, 0);
  for (const Quantity& quantity : derived_) {
    layout_.quantities.push_back(quantity);
    layout_.quantities.back().offset = layout_.outputs;
    layout_.outputs += quantity.size();
  }
  if (!layout_.constant.empty()) layout_.constant.resize(layout_.outputs, false);
  check_names(layout_, latent_);
  return layout_;
}

}  // namespace manychain
