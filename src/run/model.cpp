#include "manychain/run/model.hpp"

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "run/named_dimensions.hpp"

namespace manychain {

namespace {

/// Binds the data. A complaint about them names the file that they are from.
std::shared_ptr<const Model::Bound> bind(const ModelUnit& unit, const Data& data) {
  const auto bound = [&] {
    auto made = unit.bind(data);
    require_named_dimensions(made->layout, data);
    return made;
  };
  if (data.file().empty()) return bound();
  try {
    return bound();
  } catch (const BadInput& error) {
    throw BadInput(data.file() + ": " + error.what());
  }
}

}  // namespace

Model::Model(const ModelUnit& unit, const Data& data) : bound_(bind(unit, data)) {}
Model::Model(const ModelUnit& unit) : Model(unit, unit.data()[0] ? Data::from_json(unit.data()) : Data()) {}

const std::string& Model::name() const { return bound_->name; }
const Layout& Model::layout() const { return bound_->layout; }
bool Model::has_gradient() const { return bound_->gives.gradient; }
std::shared_ptr<const Data> Model::data() const { return {bound_, bound_->bound_data()}; }

}  // namespace manychain
