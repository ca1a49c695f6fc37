// The file that keeps the answers of data sets, and what is read of it.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/sample_sets.hpp"
#include "io/sets_journal.hpp"
#include "sampling/sets.hpp"

namespace manychain::cli {

class KeptSets {
 public:
  /// A part that is begun with the same call as before goes on. Throws BadInput if the file is in use, or of other
  /// data, another version or another place; of several, unless they are the parts of one run; and as place_of_sets()
  /// does.
  KeptSets(const SetsCall& call, const ModelOfSet& models, const std::vector<DataSet>& sets, const SetsWanted& wanted);

  /// The sets that are left; to be called once.
  SetsToSample to_sample() { return std::move(which_); }
  std::size_t answered() const { return answered_; }
  std::size_t sets() const { return sets_; }  ///< of this run, which may be a part
  /// The run goes on if the file can no longer be written.
  void add(std::size_t number, const SetSummary& set);
  /// Throws what went wrong.
  void finish();
  /// The line to go on with; empty: there is none.
  std::string to_go_on() const;

 private:
  void put_together(const SetsCall& call, const io::StoreFacts& now);

  SetsToSample which_;
  std::size_t answered_ = 0, sets_;
  std::string path_;
  std::unique_ptr<io::SetsJournal> journal_;
  std::exception_ptr fault_;
};

}  // namespace manychain::cli
