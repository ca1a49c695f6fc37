#include "manychain/model/data/mixture_choice.hpp"

#include <algorithm>

namespace manychain::checks {
namespace {

constexpr std::size_t most_choices = 64, most_evaluated = 256;
thread_local Mixtures* of_thread = nullptr;
thread_local std::size_t evaluated_by_thread = 0;

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
  if (combinations() > most_choices) return static_cast<int>(choice_ % among);
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
  if (combinations() <= most_choices) return combinations();
  int most = 1;
  for (const Mixture& mixture : mixtures_) most = std::max(most, mixture.parts);
  return std::min(static_cast<std::size_t>(most), most_choices);
}

MixturesOfThread::MixturesOfThread(Mixtures* mixtures) { of_thread = mixtures; }
MixturesOfThread::~MixturesOfThread() { of_thread = nullptr; }
int part_of_mixture(const void* type, int parts) {
  ++evaluated_by_thread;
  return of_thread ? of_thread->part(type, parts) : -1;
}
std::size_t mixtures_evaluated() { return evaluated_by_thread; }

}  // namespace manychain::checks
