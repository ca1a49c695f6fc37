// Scales that depend on parameters, in sentences.
#pragma once

#include <string>
#include <vector>

#include "manychain/model/data/layout.hpp"

namespace manychain {

/// "the scale of mu, theta depends on tau": one sentence for each set of parameters on which scales depend. Elements of
/// a parameter are not distinguished.
std::vector<std::string> hierarchy_in_words(const Layout& layout);

}  // namespace manychain
