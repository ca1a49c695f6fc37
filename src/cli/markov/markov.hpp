// The work of the command markov on its two kinds of files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manychain/markov/inhomogeneous.hpp"

namespace manychain::cli {

struct MarkovOptions {
  std::string file;
  // Options for a chain.
  std::optional<std::uint64_t> steps, simulate;
  double epsilon = 0.25;
  std::string dot, json;
  // Options for a text.
  std::uint64_t order = 2, generate = 50;
  double smoothing = 0;
  std::string prompt, held_out;
  // Options for both.
  std::optional<std::uint64_t> seed;
};

/// Everything there is to say of the chain in a JSON file.
int analyse_chain(const MarkovOptions& options);

/// The answers for a chain whose matrix changes with time; `initial` may be empty.
int analyse_changing(const markov::InhomogeneousChain& chain, const std::vector<double>& initial,
                     const MarkovOptions& options);

/// A language model of a text file.
int model_text(const MarkovOptions& options);

/// The seed that was given, or a new one of 32 bits: enough to make runs differ, and a number that can be typed again.
std::uint64_t seed_of(const MarkovOptions& options);

}  // namespace manychain::cli
