#include "manychain/model/data/layout.hpp"

#include <algorithm>
#include <unordered_set>

#include "manychain/core/chain_threads.hpp"
#include "manychain/core/error.hpp"

namespace manychain {

Layout::Layout() = default;
Layout::~Layout() = default;
Layout::Layout(const Layout&) = default;
Layout::Layout(Layout&&) noexcept = default;
Layout& Layout::operator=(const Layout&) = default;
Layout& Layout::operator=(Layout&&) noexcept = default;

std::vector<std::string> Layout::output_names() const {
  std::vector<std::string> names;
  names.reserve(outputs);
  for (const Quantity& quantity : quantities) {
    const std::size_t rank = quantity.shape.size();
    std::vector<std::size_t> index(rank, 1);
    for (std::size_t element = 0; element < quantity.size(); ++element) {
      std::string name = quantity.name;
      for (std::size_t axis = 0; axis < rank; ++axis) {
        name += (axis == 0 ? "[" : ",") + std::to_string(index[axis]);
      }
      if (rank > 0) name += "]";
      names.push_back(std::move(name));
      // Row-major: the last index runs fastest.
      for (std::size_t axis = rank; axis-- > 0;) {
        if (++index[axis] <= quantity.shape[axis]) break;
        index[axis] = 1;
      }
    }
  }
  return names;
}

int Layout::first_derived() const {
  std::size_t first = outputs;
  for (auto q = quantities.rbegin(); q != quantities.rend() && q->derived; ++q) first = q->offset;
  return static_cast<int>(first);
}

std::size_t Layout::parameter_outputs() const {
  std::size_t count = 0;
  for (const Quantity& quantity : quantities) count += quantity.derived ? 0 : quantity.size();
  return count;
}

std::size_t Layout::observed_rows() const {
  std::size_t count = 0;
  for (const Observed& one : observed) count += one.rows;
  return count;
}

int Layout::threads_per_chain() const {
  std::size_t derived = 0;
  for (const Quantity& quantity : quantities) derived += quantity.derived ? quantity.size() : 0;
  return 4 * derived <= terms ? manychain::threads_per_chain(terms) : 1;
}

std::string stored_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  if (name == "chain" || name == "draw") name += '_';
  return name;
}

void check_names(const Layout& layout, const std::vector<std::string>& latent) {
  std::vector<std::string> names = latent;
  for (const Quantity& quantity : layout.quantities) names.push_back(quantity.name);
  std::unordered_set<std::string> taken;
  for (const std::string& name : names) {
    if (name.empty()) throw BadInput("a parameter, derived quantity or prediction has an empty name: give it one");
    if (!taken.insert(name).second)
      throw BadInput("the name " + name + " is declared twice: parameters, derived quantities and predictions each " +
                     "need a name of their own");
  }
  // The elements of a vector x are called x[1], x[2], ...
  if (std::any_of(names.begin(), names.end(), [](const std::string& n) { return n.find('[') != n.npos; })) {
    std::unordered_set<std::string> flat;
    for (const std::string& name : layout.output_names())
      if (!flat.insert(name).second)
        throw BadInput("the name " + name + " is that of a quantity and of an element of another: rename one");
  }
  // Files have names of their own.
  std::unordered_set<std::string> stored;
  for (const Quantity& quantity : layout.quantities)
    for (std::size_t axis = 0; axis < quantity.shape.size(); ++axis)
      stored.insert(stored_name(quantity.name) + "_dim_" + std::to_string(axis));
  for (const Quantity& quantity : layout.quantities)
    if (!stored.insert(stored_name(quantity.name)).second)
      throw BadInput("the name " + quantity.name + " is taken in NetCDF files, where it is " +
                     stored_name(quantity.name) + ": by another quantity ('/' becomes '_' there) or by a dimension " +
                     "of a vector; rename one");
}

}  // namespace manychain
