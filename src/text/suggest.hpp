// The name that a misspelt one was probably meant to be.
#pragma once

#include <string>
#include <vector>

namespace manychain {

/// The name that is nearest to `word`, or nothing if none is near.
std::string closest(const std::string& word, const std::vector<std::string>& names);

/// `; did you mean "name"?`, or nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

}  // namespace manychain
