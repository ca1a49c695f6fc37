// The C interface: its handles, and errors as statuses. Everything that can throw runs inside guarded().
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/zarr_store.hpp"
#include "manychain/data_sets.h"
#include "manychain/manychain.h"
#include "manychain/manychain.hpp"
#include "sampling/stored.hpp"

struct manychain_data {
  manychain::Data data;
};

struct manychain_data_sets {
  std::vector<manychain::DataSet> sets;
  std::set<std::string> names;
  manychain::Data common;
};

struct manychain_model {
  manychain::Model model;
  manychain::ModelOfSet of_set = {};  // of a model of data sets; empty: `model` is bound to them
};

struct manychain_named_settings {
  manychain::Settings settings;
  std::vector<manychain::Data> initial_values;
  manychain_watch watch = nullptr;
  void* watch_user = nullptr;
  std::string store;        // empty: the run is not stored
  bool checkpoint = false;  // `store` is one
  manychain::Storing storing;
  std::optional<manychain::RunPart> part;  // of a run that goes on
  manychain::io::StoreFacts facts;
};

struct manychain_result {
  /// Its draws are read back from `store` when they are first asked for, if they are there alone: whole().
  mutable manychain::Result run;
  std::string store = {};
  mutable std::once_flag draws_read = {};
  std::string table;
  manychain::diagnostics::Verdict verdict;  // with settings spelt as in C
  mutable std::once_flag json_made;
  mutable std::string json;
};

struct manychain_sets_result {
  manychain::SetsResult run;
  std::vector<std::size_t> places;  ///< of each set in the table
  std::string table;
  mutable std::once_flag json_made;
  mutable std::string json;
};

namespace manychain::c_api {

/// Notes the message for manychain_last_error(), with settings spelt as in C.
manychain_status fail(manychain_status status, const char* message) noexcept;

template <class Work>
manychain_status guarded(Work&& work) noexcept {
  try {
    work();
    return MANYCHAIN_OK;
  } catch (const BadInput& error) {
    return fail(MANYCHAIN_BAD_INPUT, error.what());
  } catch (const std::bad_alloc&) {
    return fail(MANYCHAIN_SAMPLING_FAILED, "out of memory: take fewer chains or draws");
  } catch (const std::exception& error) {
    return fail(MANYCHAIN_SAMPLING_FAILED, error.what());
  } catch (...) {
    return fail(MANYCHAIN_SAMPLING_FAILED, "an exception of unknown type");
  }
}

/// The result with all of its draws.
const Result& whole(const manychain_result& result);

/// `what`: the argument, and what it should be.
inline void require_not_null(const void* given, const char* what) {
  if (!given) throw BadInput(std::string(what) + ", not NULL");
}
inline constexpr const char* a_result = "result: give one that manychain_sample() has made";
inline constexpr const char* a_model = "model: give one that a function of this interface has made";
inline constexpr const char* some_data = "data: give what manychain_data_new() has made";
inline constexpr const char* some_sets = "sets: give what manychain_data_sets_new() has made";
inline constexpr const char* some_settings = "settings: give what manychain_named_settings_new() has made";

/// The value that `get` finds in the handle; without one, or if `get` throws, `nothing`, and manychain_last_error()
/// says so.
template <class Value, class Handle, class Get>
Value found_in(const Handle* handle, const char* what, const Value& nothing, const Get& get) noexcept {
  Value value = nothing;
  guarded([&] {
    require_not_null(handle, what);
    value = get(*handle);
  });
  return value;
}

/// Throws BadInput unless there are more than `index` of `what`.
void require_index(const char* what, std::size_t index, std::size_t count);

manychain_quantity quantity_of(const Quantity& quantity);

std::vector<std::string> names_of(std::size_t dimension, const char* const* parameters);
Model model_of(std::size_t dimension, const char* const* parameters, manychain_density density, void* user,
               std::size_t gradient_values = 0);
Model model_of(std::size_t dimension, const char* const* parameters, manychain_logp logp, void* user,
               std::size_t gradient_values = 0);

/// Puts the handle that `make` returns into *model.
template <class Make>
manychain_status handle_into(manychain_model** model, const Make& make) noexcept {
  if (!model) return fail(MANYCHAIN_BAD_INPUT, "model: give the address of a pointer, not NULL");
  *model = nullptr;
  return guarded([&] { *model = make(); });
}
/// Puts the model that `load` returns into *model.
template <class Load>
manychain_status model_into(manychain_model** model, const Load& load) noexcept {
  return handle_into(model, [&] { return new manychain_model{load()}; });
}

}  // namespace manychain::c_api
