// `--bias`: gradients of a chain from a cold start until the chains of one moment have the target's second moments.
#pragma once

#include <string>
#include <vector>

#include "bias/squared_bias.hpp"
#include "cases.hpp"

namespace manychain::bench {

/// default_settings: paths of Pathfinder, 16 superchains. uniform: on (-2, 2), 16 superchains. own_points: likewise,
/// every chain at a point of its own, as published figures have it; warm-up then is of fixed length.
enum class ColdStart { default_settings, uniform, own_points };

struct BiasCase {
  std::string target;
  std::size_t chains = 0;
  ColdStart start = ColdStart::default_settings;
  std::string name() const;  ///< "bias/banana/4096/default"
};

struct BiasFigure {
  BiasCase what;
  std::size_t dimension = 0;
  Crossing gradients;            ///< of a chain, those of paths included
  double of_paths = 0;           ///< of the longest path of Pathfinder
  double watched = 0;            ///< gradients until nobody looked any more
  double of_warmup = 0;          ///< until warm-up ended, those of paths included
  double mean_times_chains = 0;  ///< b^2 M, mean over parameters and transitions behind warm-up: 1 if draws were
                                 ///< independent of each other and of the target
  double largest_sampling = 0;   ///< the largest b^2 behind warm-up
  std::string source, published;
};

inline constexpr double bias_limit = 0.01;

std::vector<BiasCase> bias_cases();
BiasFigure run_bias(const BiasCase& what, const Options& options);

void print_bias_heading();
void print_bias(const BiasFigure& figure);
void print_bias_end();

}  // namespace manychain::bench
