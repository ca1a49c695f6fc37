// The C interface: runs that are stored while they go on, and go on from what is stored.
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "c_api/handles.hpp"
#include "c_api/run.hpp"
#include "io/checkpoint_file.hpp"
#include "io/open_parts.hpp"
#include "manychain/core/sample_stats.hpp"
#include "run/named_dimensions.hpp"
#include "sampling/stored.hpp"

namespace manychain::c_api {
namespace {

void read_back(const manychain_result& result) {
  Result& run = result.run;
  if (!run.output.draws_in_store) return;
  const StoredRun stored = io::open_stored_run(result.store);
  const DrawsSource::Shape shape = stored.source ? stored.source->shape() : DrawsSource::Shape();
  if (shape.draws < run.kept || shape.variables != run.layout.outputs || shape.chains != run.settings.chains)
    throw BadInput(result.store + ": no longer has the draws of this run");
  run.draws = stored.source->draws({0, run.kept}, {0, shape.variables});
  if (shape.stats) run.sample_stats = stored.source->sample_stats({0, run.kept}, {0, sample_stat_count});
}

}  // namespace

const Result& whole(const manychain_result& result) {
  std::call_once(result.draws_read, [&] { read_back(result); });
  return result.run;
}

std::unique_ptr<manychain_result> run_stored(const Model& model, Settings used,
                                             const manychain_named_settings& settings) {
  std::unique_ptr<io::KeptRun> store;
  if (settings.checkpoint) {
    store = std::make_unique<io::CheckpointFile>(settings.store);
  } else {
    require_storable(model.layout());
    store =
        std::make_unique<io::ZarrStore>(settings.store, io::ZarrStore::Shown::at_once, settings.storing.compression);
  }
  store->set_facts(settings.facts);
  std::unique_ptr<manychain_result> result = run(
      [&](const Heard& heard) {
        used.cancel = heard.cancel;
        used.progress = heard.progress;
        return sample(model, used, *store, settings.storing, heard.watch);
      },
      settings.watch, settings.watch_user);
  result->store = settings.store;
  return result;
}

}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

manychain_status manychain_set_store(manychain_named_settings* settings, const char* path, double seconds) {
  return guarded([&] {
    require_not_null(settings, some_settings);
    require_not_null(path, "path: give the name of a folder, NAME.zarr");
    const std::string store = io::require_store_name(path);
    if (!(seconds > 0)) throw BadInput("seconds: " + std::to_string(seconds) + " is not allowed; give some above 0");
    settings->store = store;
    settings->checkpoint = false;
    settings->storing.seconds = seconds;
  });
}
manychain_status manychain_set_checkpoint(manychain_named_settings* settings, const char* path, double seconds) {
  return guarded([&] {
    require_not_null(settings, some_settings);
    require_not_null(path, "path: give the name of a file");
    if (!(seconds > 0)) throw BadInput("seconds: " + std::to_string(seconds) + " is not allowed; give some above 0");
    settings->store = path;
    settings->checkpoint = true;
    settings->storing.seconds = seconds;
  });
}
manychain_status manychain_set_store_memory(manychain_named_settings* settings, double bytes) {
  return guarded([&] {
    require_not_null(settings, some_settings);
    if (!(bytes > 0)) throw BadInput("bytes: " + std::to_string(bytes) + " is not allowed; give some above 0");
    settings->storing.memory = bytes;
  });
}
manychain_status manychain_set_store_compression(manychain_named_settings* settings, const char* codec) {
  return guarded([&] {
    require_not_null(settings, some_settings);
    require_not_null(codec, "codec: give none or gzip");
    settings->storing.compression = io::compression_from(codec);
  });
}
manychain_status manychain_set_warmup_only(manychain_named_settings* settings, int only) {
  return guarded([&] {
    require_not_null(settings, some_settings);
    settings->storing.warmup_only = only != 0;
  });
}
manychain_status manychain_set_part(manychain_named_settings* settings, size_t k, size_t n) {
  return guarded([&] {
    require_not_null(settings, some_settings);
    if (k < 1 || k > n)
      throw BadInput("part: " + std::to_string(k) + " of " + std::to_string(n) + " is none: 3 of 16 is the third");
    settings->part = {k, n};
  });
}
manychain_status manychain_add_store_fact(manychain_named_settings* settings, const char* name, const char* text) {
  return guarded([&] {
    require_not_null(settings, some_settings);
    require_not_null(name, "name: give that of a fact");
    require_not_null(text, "text: give one");
    settings->facts[name] = text;
  });
}
manychain_status manychain_store_facts(const char* path, const char** json) {
  return guarded([&] {
    require_not_null(path, "path: give the name of a store");
    require_not_null(json, "json: give the address of a pointer");
    thread_local std::string text;
    text = nlohmann::json(io::read_facts(path)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    *json = text.c_str();
  });
}

manychain_status manychain_resume_model(const manychain_model* model, const char* path,
                                        const manychain_named_settings* settings, size_t more,
                                        manychain_result** result) {
  return result_into(result, [&] {
    require_not_null(model, a_model);
    require_not_null(path, "path: give the name of a store");
    const manychain_named_settings defaults;
    const manychain_named_settings& given = settings ? *settings : defaults;
    const bool elsewhere = !given.store.empty() && given.store != path;
    if (elsewhere && !given.part) throw BadInput(given.store + ": a run goes on where it was stored, in " + path);
    Resumed resumed;
    resumed.draws = given.settings.sampling.draws;
    resumed.target_ess = given.settings.sampling.target_ess;
    resumed.threads = given.settings.threads;
    resumed.time_limit = given.settings.time_limit;
    if (given.settings.output.log_likelihood > 0) resumed.log_likelihood = given.settings.output.log_likelihood;
    if (more > 0) resumed.more = more;
    const std::string at = elsewhere ? given.store : given.part ? io::part_name(path, *given.part) : path;
    std::unique_ptr<io::KeptRun> store;
    if (!given.part) store = io::reopen_run(at);
    StoredRun stored = io::open_run(path);
    if (given.part && io::is_begun(at, *given.part, stored.state)) {
      store = io::reopen_run(at);
      stored = io::open_run(at);
    } else if (given.part) {
      resumed.part = given.part;
      store = std::make_unique<io::ZarrStore>(at, io::ZarrStore::Shown::at_once, io::compression_of(path));
      store->set_facts(io::read_facts(path));
    }
    std::unique_ptr<manychain_result> made = run(
        [&](const Heard& heard) {
          resumed.cancel = heard.cancel;
          resumed.progress = heard.progress;
          return resume(model->model, std::move(stored), resumed, *store, given.storing, heard.watch);
        },
        given.watch, given.watch_user);
    made->store = at;
    return made;
  });
}

manychain_status manychain_merge_model(const manychain_model* model, const char* path, const char* const* parts,
                                       size_t count, const manychain_named_settings* settings,
                                       manychain_result** result) {
  return result_into(result, [&] {
    require_not_null(model, a_model);
    require_not_null(path, "path: give the name of a folder, NAME.zarr");
    if (count > 0) require_not_null(parts, "parts: give their names");
    for (size_t k = 0; k < count; ++k) require_not_null(parts[k], "parts: give a name for each");
    io::require_store_name(path);
    if (count == 0) throw BadInput("parts: there are none");
    const manychain_named_settings defaults;
    const manychain_named_settings& given = settings ? *settings : defaults;
    io::OpenParts opened = io::open_parts({parts, parts + count}, path);
    io::ZarrStore store(path, io::ZarrStore::Shown::when_whole, io::compression_of(parts[0]));
    store.set_facts(io::read_store_facts(parts[0]));
    Resumed how;
    how.threads = given.settings.threads;
    std::unique_ptr<manychain_result> made = run(
        [&](const Heard& heard) {
          how.cancel = heard.cancel;
          how.progress = heard.progress;
          return merge(model->model, std::move(opened.parts), how, store, given.storing);
        },
        given.watch, given.watch_user);
    made->store = path;
    return made;
  });
}

}  // extern "C"
