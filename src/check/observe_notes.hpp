// Checks that observe() names variables of the data.
#pragma once

#include <string>
#include <vector>

#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"

namespace manychain {

/// A sentence for each observe() whose name is no variable of the data, or that has neither as many terms as this
/// variable has rows nor as it has values. These are no mistakes: names are free, and rows may be left out. None
/// without data.
std::vector<std::string> observe_notes(const Layout& layout, const Data* data);

}  // namespace manychain
