#include "io/zarr_store.hpp"

#include <algorithm>
#include <utility>

#include "io/zarr_draws.hpp"
#include "io/zarr_writer.hpp"
#include "manychain/io/zarr.hpp"

namespace manychain::io {

std::size_t store_block(std::size_t chains, std::size_t variables, std::size_t number_bytes, std::size_t planned,
                        double block_bytes) {
  const double row = std::max(double(chains) * double(variables) * double(number_bytes), 1.0);
  const std::size_t most = std::max<std::size_t>(planned, 1);
  return static_cast<std::size_t>(std::clamp(block_bytes / row, 1.0, double(most)));
}

ZarrStore::ZarrStore(std::string path, Shown shown, Compression compression)
    : writer_(std::make_unique<Writer>(std::move(path), shown, compression)) {}
ZarrStore::ZarrStore(std::string path, Reopened reopened)
    : writer_(std::make_unique<Writer>(std::move(path), reopened)) {}
ZarrStore::ZarrStore(std::string path, Joined joined) : writer_(std::make_unique<Writer>(std::move(path), joined)) {}
ZarrStore::~ZarrStore() = default;
void ZarrStore::share(std::size_t chains) { writer_->share(chains); }
std::size_t ZarrStore::chains_of_chunk() const { return writer_->column(); }
std::string ZarrStore::mark() const { return ZarrFolder(writer_->path()).digest(); }
bool ZarrStore::join(const Result& facts, const std::string& mark) { return writer_->join(facts, mark); }
void ZarrStore::write_chains(Stretch chains) { writer_->write_chains(chains); }
void ZarrStore::commit() { writer_->commit(); }
void ZarrStore::set_facts(StoreFacts facts) { writer_->facts = std::move(facts); }
std::size_t ZarrStore::draws() const { return writer_->draws(); }
void ZarrStore::begin(const Result& facts) { writer_->begin(facts); }
std::size_t ZarrStore::block_draws() const { return writer_->at_once(); }
void ZarrStore::write(std::size_t first, const Draws& draws, const Draws& sample_stats, const RunState& state) {
  writer_->append(Phase::sampling, first, draws, sample_stats, state);
  writer_->settle();
}
void ZarrStore::begin_append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
  writer_->append(Phase::sampling, first, draws, sample_stats, state);
}
void ZarrStore::flush() { writer_->settle(); }
void ZarrStore::append_warmup(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
  writer_->append(Phase::warmup, first, draws, sample_stats, state);
  writer_->settle();
}
void ZarrStore::write_warmup(const Draws& draws, const Draws& sample_stats) {
  writer_->append(Phase::warmup, 0, draws, sample_stats, "");
  writer_->settle();
}
void ZarrStore::finish(const Result& result) { writer_->finish(result); }
std::unique_ptr<DrawsSource> ZarrStore::open() {
  writer_->settle();
  return std::make_unique<ZarrDraws>(writer_->folder());
}

}  // namespace manychain::io

void manychain::write_zarr(const std::string& path, const Result& result) {
  io::require_draws(path, result);
  io::ZarrStore store(path, io::ZarrStore::Shown::when_whole);
  store.begin(result);
  if (!result.warmup.draws.empty()) store.write_warmup(result.warmup.draws, result.warmup.sample_stats);
  store.write(0, result.draws, result.sample_stats, "");
  store.finish(result);
}
