#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "io/checkpoint_file.hpp"
#include "io/joined_store.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"
#include "manychain/mpi.hpp"
#include "mpi/mpi_ranks.hpp"
#include "run/named_dimensions.hpp"
#include "sampling/background_store.hpp"
#include "sampling/ranked.hpp"

namespace manychain {
namespace {

/// The store or checkpoint of the first rank; the others join a store.
class StoreOfRank {
 public:
  /// `open()` returns that of the first one.
  template <class Open>
  StoreOfRank(const Ranks& ranks, const std::string& path, const Open& open) {
    if (ranks.rank() > 0) {
      joined_.emplace(path);
    } else {
      store_ = open();
      behind_.emplace(*store_);
    }
  }
  RunStore* get() { return joined_ ? joined_->get() : &*behind_; }

 private:
  std::optional<io::JoinedStore> joined_;
  std::unique_ptr<io::KeptRun> store_;
  std::optional<BackgroundStore> behind_;
};

template <class Open>
Result sample_kept(const Model& model, const Settings& settings, MPI_Comm communicator, const Storing& storing,
                   DrawsAt draws, const std::string& path, const Open& open) {
  MpiRanks ranks(communicator);
  Result result;
  ranks.together([&] {
    Settings mine = settings;
    ranks.share_machine(model, mine);
    StoreOfRank store(ranks, path, open);
    result = sample_in_ranks(model, mine, ranks, store.get(), storing, draws);
  });
  return result;
}

}  // namespace

Result sample(const Model& model, const Settings& settings, MPI_Comm communicator, DrawsAt draws) {
  MpiRanks ranks(communicator);
  Result result;
  ranks.together([&] {
    Settings mine = settings;
    ranks.share_machine(model, mine);
    result = sample_in_ranks(model, mine, ranks, draws);
  });
  return result;
}

Result sample(const Model& model, const Settings& settings, const std::string& store, MPI_Comm communicator,
              const Storing& storing, DrawsAt draws) {
  return sample_kept(model, settings, communicator, storing, draws, store, [&] {
    require_storable(model.layout());
    return std::make_unique<io::ZarrStore>(io::require_store_name(store), io::ZarrStore::Shown::at_once,
                                           storing.compression);
  });
}

Result sample(const Model& model, const Settings& settings, const Checkpoint& checkpoint, MPI_Comm communicator,
              const Storing& storing, DrawsAt draws) {
  return sample_kept(model, settings, communicator, storing, draws, checkpoint.file,
                     [&] { return std::make_unique<io::CheckpointFile>(checkpoint.file); });
}

Result resume(const Model& model, const std::string& store, MPI_Comm communicator, const Resumed& resumed,
              const Storing& storing, DrawsAt draws) {
  MpiRanks ranks(communicator);
  Result result;
  ranks.together([&] {
    StoreOfRank kept(ranks, store, [&] { return io::reopen_run(store); });
    StoredRun stored = ranks.rank() == 0 ? io::open_run(store) : StoredRun();
    const auto share = [&](const Model& of, Settings& settings) { ranks.share_machine(of, settings); };
    result = resume_in_ranks(model, std::move(stored), resumed, ranks, share, kept.get(), storing, draws);
  });
  return result;
}

}  // namespace manychain
