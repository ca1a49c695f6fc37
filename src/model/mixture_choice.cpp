#include "manychain/model/data/mixture_choice.hpp"

#include <algorithm>
#include <cstdint>

namespace manychain::checks {
namespace {

constexpr std::size_t most_choices = 64, most_evaluated = 256;
thread_local Mixtures* of_thread = nullptr;
thread_local std::size_t evaluated_by_thread = 0;

/// A number that looks random, by the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
std::size_t mixed(std::size_t mixture, std::size_t choice) {
  std::uint64_t z = (choice * most_evaluated + mixture + 1) * std::uint64_t{0x9E3779B97F4A7C15};
  z = (z ^ (z >> 30)) * std::uint64_t{0xBF58476D1CE4E5B9};
  z = (z ^ (z >> 27)) * std::uint64_t{0x94D049BB133111EB};
  return static_cast<std::size_t>(z ^ (z >> 31));
}

}  // namespace

void Mixtures::begin(std::size_t choice) {
  if (choice == none) {
    mixtures_.clear();
    evaluated_ = 0;
  }
  choice_ = choice;
  term_ = 0;
}

int Mixtures::part(const void* type, int parts) {
  const auto found = std::find_if(mixtures_.begin(), mixtures_.end(),
                                  [&](const Mixture& known) { return known.term == term_ && known.type == type; });
  if (choice_ == none) {
    ++evaluated_;
    if (evaluated_ > most_evaluated) return -1;  // and no more to be looked through
    if (found == mixtures_.end())
      mixtures_.push_back({term_, type, parts});
    else
      found->parts = std::max(found->parts, parts);
    return -1;
  }
  if (found == mixtures_.end() || parts < 1) return -1;  // of a branch that was not taken when they were counted
  const auto mixture = static_cast<std::size_t>(found - mixtures_.begin());
  const auto among = static_cast<std::size_t>(parts);
  if (combinations() > most_choices) {
    const auto most = std::max_element(mixtures_.begin(), mixtures_.end(), [](const Mixture& a, const Mixture& b) {
                        return a.parts < b.parts;
                      })->parts;
    return static_cast<int>((choice_ < static_cast<std::size_t>(most) ? choice_ : mixed(mixture, choice_)) % among);
  }
  std::size_t left = choice_;
  for (std::size_t m = 0; m < mixture; ++m) left /= static_cast<std::size_t>(std::max(mixtures_[m].parts, 1));
  return static_cast<int>(left % among);
}

std::size_t Mixtures::combinations() const {
  std::size_t product = 1;
  for (const Mixture& mixture : mixtures_) {
    product *= static_cast<std::size_t>(std::max(mixture.parts, 1));
    if (product > most_choices) break;
  }
  return product;
}

std::size_t Mixtures::choices() const {
  if (mixtures_.empty() || evaluated_ > most_evaluated) return 0;
  return std::min(combinations(), most_choices);
}

MixturesOfThread::MixturesOfThread(Mixtures* mixtures) { of_thread = mixtures; }
MixturesOfThread::~MixturesOfThread() { of_thread = nullptr; }
int part_of_mixture(const void* type, int parts) {
  ++evaluated_by_thread;
  return of_thread ? of_thread->part(type, parts) : -1;
}
std::size_t mixtures_evaluated() { return evaluated_by_thread; }

}  // namespace manychain::checks
