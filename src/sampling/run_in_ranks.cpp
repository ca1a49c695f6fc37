// The part of a run that knows of ranks: what they agree on. All else is done by every rank from the same numbers.
#include <fmt/format.h>

#include <numeric>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "run/share.hpp"
#include "sampling/run.hpp"

namespace manychain {
namespace {

/// Throws BadInput at all ranks if one has another text than the first.
void require_same(Ranks& ranks, const std::string& mine, const char* what) {
  const std::vector<std::string> all = ranks.texts(mine);
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0])
      throw BadInput(fmt::format("rank {} of the run has other {} than rank 0: all ranks must have the same", r, what));
}

}  // namespace

/// A clock or a flag of a rank alone must not decide.
void Run::agree_on_settings() {
  if (!settings_.devices.empty() && model_.bound().runs_on_cuda)
    throw BadInput("Settings::devices: a rank takes one device, Settings::device; start a rank for each");
  const RunIdentity identity = identity_of(model_);
  require_same(*ranks_, identity.model + " " + identity.layout, "models");
  require_same(*ranks_, identity.data, "data");
  require_same(*ranks_, digest_of(settings_), "settings");
  require_same(*ranks_, std::to_string(static_cast<int>(draws_at_)), "places for the draws (DrawsAt)");
  require_same(*ranks_, fmt::format("{} {}", storing_.memory, storing_.warmup_only), "memory for draws (Storing)");
  settings_.cancel = &cancelled_by_rank_;
  if (ranks_->any(static_cast<bool>(settings_.progress)) && !settings_.progress)
    settings_.progress = [](const Progress&) {};  // one that shows progress asks all
}

void Run::agree_on_place() const {
  const RunIdentity identity = identity_of(model_, *engine_);
  require_same(*ranks_, identity.backend + ", " + identity.place, "processors, where numbers are rounded otherwise,");
}

/// Before a block: whether there is one, and how long it is.
void Run::agree_on_block(bool cancelled, bool late) {
  struct Said {
    std::uint64_t block_length, cancelled, late, due;
  };
  const bool due = store_ && seconds_since(stored_at_) >= storing_.seconds;
  const std::vector<Said> all = ranks_->each(Said{block_length_, cancelled, late, due});
  block_length_ = static_cast<std::size_t>(all[0].block_length);
  due_ = all[0].due;
  for (const Said& said : all) {
    if (said.cancelled) cancelled_by_rank_ = true;
    late_ = late_ || said.late;
  }
}

void Run::add_of_all_ranks(Rejections& rejected) const {
  Rejections all;
  for (const std::string& message : ranks_->texts(rejected.message)) add_rejections(all, {0, 0, message});
  all.evaluations = ranks_->sum(rejected.evaluations);
  all.outputs = ranks_->sum(rejected.outputs);
  rejected = all;
}

/// The summaries of the outputs that were dealt to the ranks, up to the first rank that has not all of its own.
std::vector<VariableSummary> Run::of_all_ranks(const std::vector<VariableSummary>& mine,
                                               const std::vector<Stretch>& dealt) const {
  const std::vector<std::size_t> counts = ranks_->each(mine.size());
  std::vector<std::size_t> bytes;
  for (const std::size_t count : counts) bytes.push_back(count * sizeof(VariableSummary));
  std::vector<VariableSummary> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  ranks_->gather(mine.data(), all.data(), bytes);
  std::size_t whole = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    whole += counts[r];
    if (counts[r] < dealt[r].count) break;
  }
  all.resize(whole);
  return all;
}

std::unique_ptr<Engine> Run::on_cpu() {
  const Settings settings = settings_of_engine();
  return ranks_ ? make_cpu_engine(model_, settings, Share(settings, *ranks_)) : make_cpu_engine(model_, settings);
}
std::unique_ptr<Engine> Run::on_cuda() {
  const Settings settings = settings_of_engine();
  return ranks_ ? make_cuda_engine(model_, settings, Share(settings, *ranks_)) : make_cuda_engine(model_, settings);
}

}  // namespace manychain
