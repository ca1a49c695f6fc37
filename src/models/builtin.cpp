#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "run/models_left_out.hpp"

namespace manychain {
namespace {

const ModelUnit& find(const std::string& name) {
  std::string known;
  for (const ModelInfo& model : builtin_models()) {
    if (model.name == name) return *model.unit;
    known += (known.empty() ? "" : ", ") + model.name;
  }
  require_not_left_out(name);
  throw BadInput("unknown model: " + name + "; there are " + known);
}

}  // namespace

Model builtin_model(const std::string& name) { return Model(find(name)); }
Model builtin_model(const std::string& name, const Data& data) { return Model(find(name), data); }

}  // namespace manychain
