// One part of each mixture of a model in the place of the mixture: log_sum_exp() and log_mix() in units that check a
// model (model/data/checks.hpp) ask here, when they are evaluated.
#pragma once

#include <cstddef>
#include <vector>

namespace manychain::checks {

/// The mixtures of one evaluation of a model. They are told apart by the term that they are in and by their type, so
/// that mixtures within mixtures have parts of their own. For one thread.
class Mixtures {
 public:
  /// The choice of no part: mixtures are evaluated as the model has them, and are counted.
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Another evaluation of the same model, with the parts of that choice, one of choices().
  void begin(std::size_t choice);
  void next_term() { ++term_; }
  /// The number of the part that stands for a mixture of so many, or -1.
  int part(const void* type, int parts);
  /// The number of ways to choose a part of each mixture that was counted. Where it would be more than 64, those that
  /// take parts of one number everywhere. 0: there is no mixture, or there are so many, as in rows of data, that no one
  /// choice is near the posterior.
  std::size_t choices() const;

 private:
  struct Mixture {
    std::size_t term;
    const void* type;
    int parts;
  };
  std::size_t combinations() const;

  std::vector<Mixture> mixtures_;
  std::size_t term_ = 0, evaluated_ = 0, choice_ = none;
};

/// Mixtures that this thread evaluates while it lives belong to these.
class MixturesOfThread {
 public:
  explicit MixturesOfThread(Mixtures* mixtures);
  ~MixturesOfThread();
  MixturesOfThread(const MixturesOfThread&) = delete;
  MixturesOfThread& operator=(const MixturesOfThread&) = delete;
};

/// As Mixtures::part() has it. -1 where none are chosen.
int part_of_mixture(const void* type, int parts);
/// Mixtures that this thread has evaluated in checks.
std::size_t mixtures_evaluated();

/// Its address stands for a type. Not a constant: linkers may merge those.
template <class...>
inline char mixture_type = 0;

}  // namespace manychain::checks
