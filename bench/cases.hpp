// The cases that are measured, and how one is run.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "peak.hpp"

namespace manychain::bench {

struct Options {
  Backend backend = Backend::automatic;  ///< resolved to cpu or cuda before a case is run
  int threads = 0;
  bool scalar = false;
  Precision precision = Precision::single_precision;
  double seconds = 0.5;  ///< measured of each throughput case
};

enum class Kind { throughput, end_to_end, cold_start, summary };

struct Case {
  Kind kind;
  std::string sampler, model;
  std::size_t chains;
  double step = 0;                    ///< throughput: given
  std::size_t warmup = 0, draws = 0;  ///< end to end; draws of the summary
  std::size_t dimensions = 0;         ///< summary
  std::string name() const;
};

struct Figure {
  Case what;
  double transitions_per_second = 0;
  double gradients_per_second = 0;  ///< 0 for Metropolis
  std::optional<double> min_ess_bulk_per_second;
  std::map<std::string, double> seconds;  ///< end to end: of the phases; cold start: to the first draw
  double bytes_per_second = 0;            ///< summary: of draws, each counted once
  double memory_share = 0;                ///< summary: peak memory, the draws included, over that of the draws
  double bound = 0;                       ///< transitions a second at the machine's peak
  std::string bound_by;                   ///< "multiply-adds" or "bytes"
  double acceptance_rate = 0;
  bool converged = true;
};

/// More chains on a device.
std::vector<Case> all_cases(bool cuda);
/// Its model is compiled for one chain per lane, too (SCALAR in cmake/models.cmake).
bool has_scalar(const Case& what);
/// The built-in model behind a name of this benchmark: "normal_10" is "normal".
Model benchmark_model(const std::string& name);

Figure run_case(const Case& what, const Options& options, const Peak& peak);
/// The other end of a cold start: samples to the first draw, says so on standard output, and leaves.
int first_draw(const Case& what, const Options& options);

/// Settings that the options say.
Settings settings_of(const Case& what, const Options& options);
double median(std::vector<double> values);

}  // namespace manychain::bench
