// Answers of data sets as bytes and back.
#include <fmt/format.h>

#include <atomic>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "manychain/core/error.hpp"
#include "sampling/bytes.hpp"
#include "sampling/engine_parts.hpp"
#include "sampling/sets.hpp"

namespace manychain {

template <>
inline constexpr bool is_plain<VariableSummary> = true;

void visit_parts(PartsOf<SetQuantities> auto& s, const auto& visit) {
  visit(s.quantities), visit(s.names), visit(s.observed);
}
/// All but the quantities and the draws.
void visit_parts(PartsOf<SetSummary> auto& s, const auto& visit) {
  visit(s.name), visit(s.state), visit(s.said), visit(s.seed), visit(s.converged), visit(s.warmup), visit(s.draws);
  visit(s.single_precision), visit(s.gradients), visit(s.divergences), visit(s.largest_rhat), visit(s.smallest_ess);
  visit(s.worst), visit(s.seconds), visit(s.summary);
}

namespace {

constexpr const char* damaged_answer = "an answer of a data set is damaged: the run cannot go on";

void write_draws(ByteWriter& write, const Draws& draws) {
  write(draws.draws), write(draws.variables), write(draws.chains);
  write(std::vector<float>(draws.float32.begin(), draws.float32.end()));
  write(std::vector<double>(draws.float64.begin(), draws.float64.end()));
}

Draws read_draws(ByteReader& read) {
  Draws draws;
  std::vector<float> single;
  std::vector<double> wide;
  read(draws.draws), read(draws.variables), read(draws.chains);
  read(single), read(wide);
  draws.float32.assign(single.begin(), single.end());
  draws.float64.assign(wide.begin(), wide.end());
  const double numbers = double(draws.draws) * double(draws.variables) * double(draws.chains);
  if (double(single.size() + wide.size()) != numbers) throw BadInput(damaged_answer);
  return draws;
}

/// The statistics are as many as the names, and no quantity lies beyond these.
void require_whole(const SetSummary& set) {
  if ((set.state == SetState::sampled) != (set.of != nullptr) || set.state > SetState::left_out)
    throw BadInput(damaged_answer);
  if (!set.of) return;
  const std::size_t outputs = set.of->names.size();
  if (set.summary.size() != outputs || (!set.kept.empty() && set.kept.variables != outputs))
    throw BadInput(damaged_answer);
  for (const Quantity& one : set.of->quantities)
    if (one.offset + one.size() > outputs) throw BadInput(damaged_answer);
}

}  // namespace

std::string to_bytes(std::size_t number, const SetSummary& set) {
  ByteWriter write, of;
  write(number), write(set);
  if (set.of) of(*set.of);
  write(of.bytes);
  write_draws(write, set.kept);
  write_draws(write, set.log_likelihood);
  return std::move(write.bytes);
}

SetAnswers answers_from(const std::vector<std::string>& records) {
  SetAnswers answers;
  std::map<std::string, std::shared_ptr<const SetQuantities>> known;
  for (const std::string& record : records) {
    ByteReader read(record, damaged_answer);
    std::size_t number = 0;
    SetSummary set;
    std::string of;
    read(number), read(set), read(of);
    set.kept = read_draws(read);
    set.log_likelihood = read_draws(read);
    read.require_end();
    if (!of.empty()) {
      std::shared_ptr<const SetQuantities>& shared = known[of];
      if (!shared) {
        SetQuantities quantities;
        ByteReader read_of(of, damaged_answer);
        read_of(quantities);
        read_of.require_end();
        shared = std::make_shared<const SetQuantities>(std::move(quantities));
      }
      set.of = shared;
    }
    require_whole(set);
    if (!answers.emplace(number, std::move(set)).second)
      throw BadInput(fmt::format("data set {} has two answers", number + 1));
  }
  return answers;
}

SetsResult sample_sets_in_ranks(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Settings& settings,
                                const SetsWanted& wanted, Ranks& ranks) {
  const auto here = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
  const Stretch range = stretch_of(sets.size(), here, size);
  SetsResult own = sample_sets(model_of, sets, settings, wanted, {range});
  std::vector<std::string> records;
  for (std::size_t i = 0; i < own.sets.size(); ++i)
    if (own.sets[i].state != SetState::left_out) records.push_back(to_bytes(range.first + i, own.sets[i]));
  ByteWriter mine;
  mine(records);
  std::vector<std::size_t> sent(size, 0), received(size, 0);
  sent[0] = mine.bytes.size();
  const std::vector<std::size_t> sizes = ranks.each(mine.bytes.size());
  if (here == 0) received = sizes;
  std::string all(std::accumulate(received.begin(), received.end(), std::size_t{0}), '\0');
  ranks.exchange(mine.bytes.data(), sent, all.data(), received);
  if (here != 0) return own;
  records.clear();
  ByteReader read(all, damaged_answer);
  while (!read.at_end()) {
    std::vector<std::string> of_rank;
    read(of_rank);
    records.insert(records.end(), std::move_iterator(of_rank.begin()), std::move_iterator(of_rank.end()));
  }
  // Sets that a rank has left out are left out here, too.
  const std::atomic<bool> ended{true};
  Settings no_more = settings;
  no_more.cancel = &ended;
  no_more.time_limit.reset();
  SetsWanted kept = wanted;
  kept.done = nullptr;
  SetsResult result = sample_sets(model_of, sets, no_more, kept, {{}, answers_from(records)});
  result.settings.cancel = settings.cancel;
  result.settings.time_limit = settings.time_limit;
  result.seconds += own.seconds;
  return result;
}

}  // namespace manychain
