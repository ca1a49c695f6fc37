// The record of a run, as an attribute of its file of draws.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "manychain/diagnostics/verdict.hpp"

namespace manychain::io {

/// The attribute of the group posterior.
inline constexpr const char* run_record_name = "manychain_run";

/// One JSON object, with the chains and the draws of each chain that it is about.
std::string run_record(const diagnostics::RunFacts& facts, std::size_t chains, std::size_t draws);

/// Nothing if it is about other chains or draws: then somebody has put the file together anew. Throws BadInput if it is
/// no such object.
std::optional<diagnostics::RunFacts> read_run_record(const std::string& text, std::size_t chains, std::size_t draws);

}  // namespace manychain::io
