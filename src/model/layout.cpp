#include "manychain/model/layout.hpp"

namespace manychain {

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

}  // namespace manychain
