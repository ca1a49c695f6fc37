#include "cli/kept_sets.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/files.hpp"
#include "cli/stored_run.hpp"
#include "core/digest.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"

namespace manychain::cli {
namespace {

constexpr const char* goes_on_not = ": the run cannot go on";

std::string digest_of_input(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none))
    throw BadInput(path + ": a run that goes on reads it again; with --checkpoint it must be a file");
  return digest_of_file(path);
}

/// Beside those of any run.
io::StoreFacts facts_of_sets(const SetsCall& call, const std::string& place) {
  Settings settings = call.settings;
  settings.threads = 0;
  settings.time_limit.reset();
  io::StoreFacts facts = facts_of(call.source, settings);
  facts["sets"] = absolute_or_empty(call.sets.file);
  facts["sets_digest"] = digest_of_input(call.sets.file);
  facts["sets_column"] = call.sets.column;
  facts["init"] = absolute_or_empty(call.init);
  facts["init_digest"] = call.init.empty() ? "" : digest_of_input(call.init);
  facts["part"] = call.sets.part;
  facts["output"] = call.output == "none" ? call.output : absolute_or_empty(call.output);
  facts["memory"] = std::to_string(call.memory);
  facts["version"] = version;
  facts["place"] = place;
  return facts;
}

std::string fact(const io::StoreFacts& facts, const char* name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

/// The settings and the digests of the model's files are those of the run: begun_by() has read them there.
void require_same_place(const std::string& path, const io::StoreFacts& stored, const io::StoreFacts& now) {
  for (const char* name : {"sets", "init"}) {
    const std::string digest = std::string(name) + "_digest";
    if (fact(stored, digest.c_str()) != fact(now, digest.c_str()))
      throw BadInput(fact(now, name) + ": has changed since the run began, or is gone" + goes_on_not);
  }
  for (const auto& [name, what] : {std::pair("version", "of manychain"), std::pair("place", "with")})
    if (fact(stored, name) != fact(now, name))
      throw BadInput(fmt::format("{}: the run was {} {}, this is {} {}, and draws may differ{}", path, what,
                                 fact(stored, name), what, fact(now, name), goes_on_not));
}

/// The K-th of N ranges, of about as many sets each.
Stretch sets_of(const RunPart& part, std::size_t sets) {
  const Stretch found = stretch_of(sets, part.number - 1, part.of);
  if (found.count == 0) throw BadInput(fmt::format("--part: {} data sets are fewer than {} parts", sets, part.of));
  return found;
}

/// A job that is started again.
bool is_begun(const std::string& path, const io::StoreFacts& now) {
  try {
    return io::is_sets_journal(path) && io::read_sets_journal(path).facts == now;
  } catch (const BadInput&) {
    return false;
  }
}

SetAnswers answers_of(const std::string& path, const std::vector<std::string>& records, std::size_t sets) {
  try {
    SetAnswers answers = answers_from(records);
    if (!answers.empty() && answers.rbegin()->first >= sets) throw BadInput("it has answers of other data sets");
    return answers;
  } catch (const BadInput& error) {
    throw BadInput(path + ": " + error.what());
  }
}

}  // namespace

KeptSets::KeptSets(const SetsCall& call, const ModelOfSet& models, const std::vector<DataSet>& sets,
                   const SetsWanted& wanted)
    : sets_(sets.size()) {
  if (!call.sets.part.empty()) {
    which_.part = sets_of(part_from(call.sets.part), sets.size());
    sets_ = which_.part->count;
  }
  if (call.kept.empty()) return;
  const io::StoreFacts now = facts_of_sets(call, place_of_sets(models, sets, call.settings, wanted));
  if (call.how == SetsKept::merges) {
    put_together(call, now);
    return;
  }
  path_ = call.kept.front();
  const auto seconds = static_cast<double>(call.every);
  if (call.how == SetsKept::begins && !(which_.part && is_begun(path_, now))) {
    journal_ = std::make_unique<io::SetsJournal>(path_, now, seconds);
    return;
  }
  journal_ = std::make_unique<io::SetsJournal>(path_, seconds, io::SetsJournal::Reopened{});
  require_same_place(path_, journal_->facts(), now);
  which_.answered = answers_of(path_, journal_->take_records(), sets.size());
  answered_ = which_.answered.size();
}

void KeptSets::put_together(const SetsCall& call, const io::StoreFacts& now) {
  io::StoreFacts run = now;
  for (const char* own : {"part", "output"}) run.erase(own);
  for (const std::string& path : call.kept) {
    io::SetsRecords part = io::read_sets_journal(path);
    require_same_place(path, part.facts, now);
    for (const char* own : {"part", "output"}) part.facts.erase(own);
    if (part.facts != run) throw BadInput(path + ": is of another run than " + call.kept.front());
    for (auto& [number, set] : answers_of(path, part.records, sets_))
      if (!which_.answered.emplace(number, std::move(set)).second)
        throw BadInput(
            fmt::format("{}: data set {} has an answer in a part before: give each part once", path, number + 1));
  }
  answered_ = which_.answered.size();
  for (std::size_t k = 0; k < sets_; ++k)
    if (!which_.answered.contains(k))
      throw BadInput(
          fmt::format("{} of {} data sets have no answer, the first of them the one with number {}: a part is "
                      "missing, or has not ended (manychain resume)",
                      sets_ - answered_, sets_, k + 1));
}

void KeptSets::add(std::size_t number, const SetSummary& set) {
  if (!journal_ || fault_) return;
  try {
    journal_->add(to_bytes(number, set));
  } catch (const Error& error) {
    fault_ = std::current_exception();
    say(stderr, "manychain: {}. The run goes on.\n", sentence(error.what()));
  }
}

void KeptSets::finish() {
  if (fault_) std::rethrow_exception(fault_);
  if (journal_) journal_->finish();
}

std::string KeptSets::to_go_on() const { return journal_ && !fault_ ? "manychain resume " + path_ : ""; }

}  // namespace manychain::cli
