#include <optional>

#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"
#include "manychain/mpi.hpp"
#include "mpi/mpi_ranks.hpp"
#include "run/named_dimensions.hpp"
#include "sampling/background_store.hpp"
#include "sampling/ranked.hpp"

namespace manychain {
namespace {

/// The store of the first rank; the others have none.
class StoreOfFirst {
 public:
  template <class... Args>
  StoreOfFirst(const Ranks& ranks, const Args&... args) {
    if (ranks.rank() > 0) return;
    store_.emplace(args...);
    behind_.emplace(*store_);
  }
  RunStore* get() { return behind_ ? &*behind_ : nullptr; }

 private:
  std::optional<io::ZarrStore> store_;
  std::optional<BackgroundStore> behind_;
};

}  // namespace

Result sample(const Model& model, const Settings& settings, MPI_Comm communicator) {
  MpiRanks ranks(communicator);
  Result result;
  ranks.together([&] {
    Settings mine = settings;
    ranks.share_machine(model, mine);
    result = sample_in_ranks(model, mine, ranks);
  });
  return result;
}

Result sample(const Model& model, const Settings& settings, const std::string& store, MPI_Comm communicator,
              const Storing& storing) {
  MpiRanks ranks(communicator);
  Result result;
  ranks.together([&] {
    require_storable(model.layout());
    Settings mine = settings;
    ranks.share_machine(model, mine);
    StoreOfFirst first(ranks, io::require_store_name(store));
    result = sample_in_ranks(model, mine, ranks, first.get(), storing);
  });
  return result;
}

Result resume(const Model& model, const std::string& store, MPI_Comm communicator, const Resumed& resumed,
              const Storing& storing) {
  MpiRanks ranks(communicator);
  Result result;
  ranks.together([&] {
    StoreOfFirst first(ranks, store, io::ZarrStore::Reopened{});
    StoredRun stored = ranks.rank() == 0 ? io::open_stored_run(store) : StoredRun();
    const auto share = [&](const Model& of, Settings& settings) { ranks.share_machine(of, settings); };
    result = resume_in_ranks(model, std::move(stored), resumed, ranks, share, first.get(), storing);
  });
  return result;
}

}  // namespace manychain
