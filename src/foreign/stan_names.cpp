#include "foreign/stan_names.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace manychain {
namespace {

/// "theta.1.2": an element of theta, index {1, 2}. A name with another form has no indices.
struct Element {
  std::string base;
  std::vector<std::size_t> index;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

Element element_of(const std::string& name) {
  // Behind the last ':' of a tuple: "t.1:2.3" is element 3 of "t.1:2".
  const std::size_t tuple = name.rfind(':');
  const std::size_t from = tuple == std::string::npos ? 0 : tuple;
  const std::size_t dot = name.find('.', from);
  if (dot == std::string::npos) return {name, {}};
  Element element{name.substr(0, dot), {}};
  for (const std::string& part : split(name.substr(dot + 1), '.')) {
    std::size_t value = 0;
    const char* const end = part.data() + part.size();
    const auto [rest, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc() || rest != end || value == 0) return {name, {}};
    element.index.push_back(value);
  }
  return element;
}

/// True if these are all elements of a rectangular array, first index fastest; gives its shape.
bool is_array(const std::vector<Element>& elements, std::vector<std::size_t>& shape) {
  shape = elements.back().index;
  std::size_t size = 1;
  for (const std::size_t extent : shape) {
    if (extent > elements.size()) return false;
    size *= extent;
  }
  if (size != elements.size()) return false;
  std::vector<std::size_t> index(shape.size(), 1);
  for (const Element& element : elements) {
    if (element.index != index) return false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (++index[axis] <= shape[axis]) break;
      index[axis] = 1;
    }
  }
  return true;
}

}  // namespace

StanQuantities stan_quantities(const std::vector<std::string>& names, std::size_t parameters) {
  StanQuantities all;
  const auto add = [&](Quantity quantity, std::size_t first) {
    quantity.offset = all.order.size();
    quantity.derived = first >= parameters;
    all.quantities.push_back(std::move(quantity));
  };
  for (std::size_t first = 0; first < names.size();) {
    std::vector<Element> elements = {element_of(names[first])};
    std::size_t end = first + 1;
    for (; end < names.size() && end != parameters && !elements[0].index.empty(); ++end) {
      Element next = element_of(names[end]);
      if (next.base != elements[0].base || next.index.size() != elements[0].index.size()) break;
      elements.push_back(std::move(next));
    }
    std::vector<std::size_t> shape;
    if (elements[0].index.empty() || !is_array(elements, shape)) {
      for (std::size_t i = first; i < end; ++i) {
        add({names[i], {}, 0, false}, i);
        all.order.push_back(i);
      }
    } else {
      add({elements[0].base, shape, 0, false}, first);
      // Rows of ours: the last index fastest.
      std::vector<std::size_t> index(shape.size(), 0);
      for (std::size_t k = first; k < end; ++k) {
        std::size_t at = 0;
        for (std::size_t axis = shape.size(); axis-- > 0;) at = at * shape[axis] + index[axis];
        all.order.push_back(first + at);
        for (std::size_t axis = shape.size(); axis-- > 0;) {
          if (++index[axis] < shape[axis]) break;
          index[axis] = 0;
        }
      }
    }
    first = end;
  }
  return all;
}

std::string base_name(const std::string& name) { return element_of(name).base; }

std::string with_brackets(const std::string& name) {
  const Element element = element_of(name);
  std::string text = element.base;
  for (std::size_t axis = 0; axis < element.index.size(); ++axis)
    text += (axis == 0 ? "[" : ",") + std::to_string(element.index[axis]);
  return element.index.empty() ? text : text + "]";
}

std::vector<std::string> split_names(const std::string& text) {
  return text.empty() ? std::vector<std::string>{} : split(text, ',');
}

}  // namespace manychain
