// Which rows of a long table are shown.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace manychain {

/// Places in `names` of at most `most` rows (0: all). If there are more, scalars come first, up to half of `most`:
/// those that are `worse` than other scalars, in their order; then the worst of the others, the worst first.
std::vector<std::size_t> rows_to_show(const std::vector<std::string>& names, std::size_t most,
                                      const std::function<bool(std::size_t, std::size_t)>& worse);

/// Places of `name` itself, or of all elements of a vector of that name; empty if there is none.
std::vector<std::size_t> rows_called(const std::string& name, const std::vector<std::string>& names);

}  // namespace manychain
