// The C interface: the built-in models. A part of manychain::models, which has them.
#include <algorithm>

#include "c_api/handles.hpp"
#include "sampling/sets.hpp"

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

size_t manychain_builtin_count(void) {
  size_t count = 0;
  guarded([&] { count = builtin_models().size(); });
  return count;
}
manychain_status manychain_get_builtin(size_t index, manychain_builtin* builtin) {
  return guarded([&] {
    require_not_null(builtin, "builtin: give the address of one");
    require_index("index", index, builtin_models().size());
    const ModelInfo& info = builtin_models()[index];
    *builtin = {info.name.c_str(), info.description.c_str(), info.carries_data};
  });
}
manychain_status manychain_builtin_model(const char* name, const manychain_data* data, manychain_model** model) {
  return model_into(model, [&] {
    require_not_null(name, "name: give that of a built-in model");
    return data ? builtin_model(name, data->data) : builtin_model(name);
  });
}

manychain_status manychain_builtin_model_of_sets(const char* name, const manychain_data_sets* sets,
                                                 manychain_model** model) {
  return model_into(model, [&] {
    require_not_null(name, "name: give that of a built-in model");
    require_not_null(sets, some_sets);
    const std::vector<ModelInfo>& all = builtin_models();
    const auto found = std::find_if(all.begin(), all.end(), [&](const ModelInfo& info) { return info.name == name; });
    if (found == all.end()) return builtin_model(name);  // which says that there is none
    return first_model(of_data([&](const Data& data) { return Model(*found->unit, data); }), sets->sets, sets->common);
  });
}

}  // extern "C"
