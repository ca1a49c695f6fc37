// Unconstrained points in messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// "mu = 1.500000, log_tau = -0.300000": its first eight components.
std::string point_in_words(const Layout& layout, const std::vector<double>& q);

/// The reason why no chain can start at q, with the message of a foreign density about it.
std::string why_no_start(const Model& model, const std::vector<double>& q, std::size_t chain);

/// The first term that is not finite at q, if the model is written in terms, and the command that tells more.
std::string where_to_look(const Model& model, const std::vector<double>& q);

}  // namespace manychain
