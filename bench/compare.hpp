// Two ways to do the same, measured in turns: ratios that hold on a machine that does other things, too.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases.hpp"

namespace manychain::bench {

/// Something that can be run in slices.
struct Contender {
  std::string name;
  std::function<void(double seconds)> calibrate;  ///< a slice shall take that long
  std::function<double()> rate;                   ///< of one slice, per second
};

struct Pair {
  std::string name;
  Contender a, b;     ///< the ratio is a's rate to b's
  double target = 0;  ///< that the ratio is held to; 0: none
  std::string unit;
};

struct Comparison {
  std::string name, a, b, unit;
  double rate_a = 0, rate_b = 0, ratio = 0, target = 0;  ///< medians
  double low = 0, high = 0;                              ///< quartiles of the ratio
};

/// Slices of a and b alternate; the ratio is the median of the ratios of neighbours.
Comparison compare(const Pair& pair, double seconds);

/// Packs to scalar code, two threads to one.
std::vector<Pair> engine_pairs(const Options& options);
/// The cost of streaming diagnostics: a run's HMC with them to the same without.
std::vector<Pair> streaming_pairs(const Options& options);
/// Two threads to one in warm-up and sampling: alone, beside a process that keeps one core busy, and with one on each.
/// Throws BadInput on a machine of one core.
std::vector<Pair> neighbour_pairs(const Options& options);
/// The gradient that one definition gives to one written by hand, on packs.
std::vector<Pair> gradient_pairs(Precision precision);

}  // namespace manychain::bench
