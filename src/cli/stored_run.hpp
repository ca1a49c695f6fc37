// The command that began a run, as its store says it, so that another can go on with it.
#pragma once

#include "cli/model_source.hpp"
#include "io/zarr_store.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/run/stored_run.hpp"

namespace manychain::cli {

/// The command that began a run.
struct BegunBy {
  ModelSource source;  ///< with absolute paths
  Settings settings;   ///< as they were given
};

/// "3/16". Throws BadInput.
RunPart part_from(const std::string& text);
/// An absolute path, or none.
std::string absolute_or_empty(const std::string& path);
io::StoreFacts facts_of(const ModelSource& source, const Settings& settings);
/// Throws BadInput if they are not of facts_of(), or if a file has changed that the model or its data came from.
BegunBy begun_by(const std::string& store, const io::StoreFacts& facts);
/// The model of the run of a store. Throws BadInput as load_model() does, with the store.
Model model_of(const std::string& store, const BegunBy& begun);

}  // namespace manychain::cli
