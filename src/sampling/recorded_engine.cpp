#include "sampling/recorded_engine.hpp"

#include <cstring>

#include "manychain/core/error.hpp"
#include "sampling/engine_parts.hpp"

namespace manychain {
namespace {
constexpr const char* damaged_warmup = "the state of the run's warm-up is damaged: it cannot go on";
}

RecordedEngine::Replay::Replay(WarmupState of) : state(std::move(of)), read(state.answers, damaged_warmup) {}

void RecordedEngine::record(std::size_t most) {
  most_ = most;
  answers_.emplace();
}

void RecordedEngine::replay(WarmupState state) { replay_ = std::make_unique<Replay>(std::move(state)); }

template <class Ask>
auto RecordedEngine::answer(const Ask& ask) const {
  decltype(ask()) given{};
  if (replay_) {
    replay_->read(given);
    if (replay_->read.at_end()) {
      engine_->restore_image(replay_->state.image);
      replay_.reset();
    }
  } else if (answers_) {
    given = ask();
  } else {
    return ask();
  }
  if (answers_) (*answers_)(given);
  if (answers_ && answers_->bytes.size() > most_) answers_.reset();
  return given;
}

std::vector<double> RecordedEngine::position(std::size_t chain) const {
  return answer([&] { return engine_->position(chain); });
}
ChainPoints RecordedEngine::points(std::size_t chains) const {
  return answer([&] { return engine_->points(chains); });
}
std::vector<double> RecordedEngine::gradients(std::size_t chains) const {
  return answer([&] { return engine_->gradients(chains); });
}
GroupTuning RecordedEngine::tuning(int group) const {
  return answer([&] { return engine_->tuning(group); });
}
std::vector<MomentSum> RecordedEngine::window_moments(int group, std::size_t transitions) const {
  return answer([&] { return engine_->window_moments(group, transitions); });
}
Snapshot RecordedEngine::snapshot() const {
  return answer([&] { return engine_->snapshot(); });
}
ChainStatistics RecordedEngine::statistics() const {
  return answer([&] { return engine_->statistics(); });
}

void RecordedEngine::collect_adaptation() {
  if (!replay_) engine_->collect_adaptation();
  Adapter& adapter = *engine_->adapter();
  const std::size_t bytes = adapter.record_bytes() * static_cast<std::size_t>(engine_->groups());
  const std::string records =
      answer([&] { return std::string(reinterpret_cast<const char*>(adapter.records()), bytes); });
  if (records.size() != bytes) throw BadInput(damaged_warmup);
  std::memcpy(adapter.records(), records.data(), bytes);
}

std::uint32_t RecordedEngine::next_block(std::uint32_t wanted) const {
  if (!replay_) return wanted;
  replay_->read(replay_->block);
  // More than is left in this stretch of warm-up cannot have been one block.
  if (replay_->block == 0 || replay_->block > wanted) throw BadInput(damaged_warmup);
  return replay_->block;
}

std::uint64_t RecordedEngine::advance(const Block& block, std::size_t adaptation_interval) {
  if (answers_) (*answers_)(block.count);
  return answer([&] { return engine_->advance(block, adaptation_interval); });
}

}  // namespace manychain
