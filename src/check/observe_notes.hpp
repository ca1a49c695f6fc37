// The check that observe() names what the data have.
#pragma once

#include <string>
#include <vector>

#include "manychain/model/data/data.hpp"
#include "manychain/model/language/layout.hpp"

namespace manychain {

/// A sentence for each observe() whose name no variable of the data has, or whose terms are neither as many as that
/// variable has rows nor as many as it has values. No mistakes: names are free, and rows may be left out. None where
/// there are no data.
std::vector<std::string> observe_notes(const Layout& layout, const Data* data);

}  // namespace manychain
