// The gallery: problems whose answers are known, each solved by what this library has and held against the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "manychain/run/settings.hpp"

namespace manychain::gallery {

/// Every entry follows the seed; those that run compiled chains follow the rest too.
struct GalleryOptions {
  Backend backend = Backend::automatic;
  int threads = 0;  ///< 0: all there are
  std::uint64_t seed = 1;
  Precision precision = Precision::automatic;
  bool quick = false;  ///< about a tenth of the draws; errors grow by three, and checks with them
};

/// A score passes up to this, as in the statistical tests: P(|Z| > 6.22) = 5.0e-10. The whole gallery makes fewer than
/// 2000 such comparisons, so that it raises a false alarm with a probability of at most 1e-6 (Bonferroni).
inline constexpr double threshold = 6.22;

/// An answer that is known beside the one that came out.
struct Check {
  std::string what;
  std::string known, got;       ///< in digits or in words
  double standard_error = 0;    ///< of `got`; 0 where it is no Monte Carlo estimate
  double score = 0;             ///< standard errors between the two, scored to normal; of Monte Carlo estimates only
  double tolerance = 0;         ///< of estimates without a standard error
  bool passed = false;          ///< a NaN never passes
  std::size_t comparisons = 1;  ///< that this one stands for, being the farthest of so many
};

/// |got - known| <= tolerance, where no random number is used, or the tolerance is derived.
Check exact(const std::string& what, double known, double got, double tolerance);
/// |got - known| <= 6.22 standard errors. `freedom`: degrees of freedom of an estimated standard error, if they are
/// few; the score is then the normal one that is as rare as Student's t (Wallace 1959).
Check monte_carlo(const std::string& what, double known, double got, double standard_error,
                  double freedom = std::numeric_limits<double>::infinity());
/// An estimate of which the exact distribution is known: `below` and `above` are the probabilities of this or less and
/// of this or more. The score is the normal one whose tail is as rare as the smaller of the two.
Check within_tails(const std::string& what, double known, double got, double standard_deviation, double below,
                   double above);
/// The ratio of the mean square of `n` normal errors to their known variance, which should be one: n times it is a
/// chi-square, scored by Wilson and Hilferty's cube root (1931).
Check variance_ratio(const std::string& what, double got, double n);
/// Words that must agree.
Check same(const std::string& what, const std::string& known, const std::string& got);
/// smaller < larger; `what` says which.
Check less(const std::string& what, double smaller, double larger);

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct Report {
  std::vector<std::string> lines;  ///< prose, a line each
  std::vector<Table> tables;
  std::vector<Table> timings;  ///< what this run on this machine took; all else is a function of the seed
  std::vector<Check> checks;

  /// There is a check, and all hold.
  bool passed() const;
};

/// For a terminal, ending in a line for each check and a verdict.
std::string to_text(const Report& report);

inline constexpr const char* chapters[] = {"Sampling without a chain", "Markov chains", "Markov chain Monte Carlo"};

struct Entry {
  const char* name;     ///< as on the command line
  const char* chapter;  ///< one of `chapters`
  const char* title;
  Report (*run)(const GalleryOptions& options);
};

/// All entries, chapter by chapter. The table is in entries.cpp.
const std::vector<Entry>& entries();

/// Settings of a run that the options decide about.
Settings settings_for(const GalleryOptions& options);

}  // namespace manychain::gallery
