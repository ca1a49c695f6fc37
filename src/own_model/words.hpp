#pragma once

#include <cctype>

namespace manychain::own_model {

/// True for characters of C++'s names.
inline bool of_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace manychain::own_model
