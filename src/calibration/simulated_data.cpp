#include "calibration/simulated_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "calibration/prior.hpp"
#include "manychain/chain/prior_density.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

constexpr const char* endings[] = {"", "_rep", "_sim", "_pred", "_new"};

std::string observe_of(const std::string& name) { return "observe(\"" + name + "\")"; }

/// Throws: what to write.
[[noreturn]] void nothing_predicts(const Model& model, const std::string& name, std::size_t size,
                                   const std::vector<std::string>& misfits) {
  std::string text = fmt::format("model {} observes {}, and nothing predicts it", model.name(), name);
  if (!misfits.empty()) text += fmt::format(" with {} elements ({})", size, fmt::join(misfits, ", "));
  text += fmt::format("; write target.predict(\"{}_rep\", ", name);
  text += size == 1 ? "DISTRIBUTION)" : fmt::format("{}, [&](int i) {{ return DISTRIBUTION; }})", size);
  throw BadInput(text + " with the distribution of its rows, for example normal_distribution(mu, sigma)");
}

}  // namespace

std::vector<Replacement> replacements(const Model& model) {
  const Layout& layout = model.layout();
  const Data* const data = model.bound().bound_data();
  const auto terms = model.bound().terms();
  auto* const prior = dynamic_cast<PriorDensity*>(terms.get());
  if (!prior) throw BadInput("model " + model.name() + no_prior);
  const std::vector<std::string> observed = prior->observed(std::vector<double>(layout.dimension, 0.5).data());
  if (!data || observed.empty())
    throw BadInput("model " + model.name() +
                   " has no observe(), which says what the data are; the terms of the data belong into "
                   "target.observe(\"y\", ...)");
  std::vector<Replacement> found;
  std::set<std::string> names;
  for (const std::string& name : observed) {
    if (!names.insert(name).second) continue;
    const Data::Variable* const variable = data->find(name);
    if (!variable)
      throw BadInput(
          fmt::format("{} of model {} is called as no variable of the data, which have {}: give it the "
                      "name of the one whose density it is",
                      observe_of(name), model.name(), fmt::join(data->names(), ", ")));
    const std::size_t size = variable->values.size();
    const Quantity* prediction = nullptr;
    std::vector<std::string> misfits;
    for (const char* ending : endings)
      for (const Quantity& quantity : layout.quantities) {
        if (!quantity.predicted || quantity.name != name + ending || prediction) continue;
        if (quantity.size() == size)
          prediction = &quantity;
        else
          misfits.push_back(fmt::format("{} has {}", quantity.name, quantity.size()));
      }
    if (!prediction) nothing_predicts(model, name, size, misfits);
    found.push_back({name, prediction->name, variable->shape, prediction->offset, size});
  }
  return found;
}

Draws outputs_at(const ModelBinding& model, const std::vector<double>& points, std::size_t count, std::uint64_t seed) {
  Draws at;
  at.draws = 1;
  at.variables = model.layout.outputs;
  at.chains = count;
  at.float64.resize(at.variables * count);
  model.operations()->outputs(points.data(), count, {.seed = seed}, at.float64.data());
  return at;
}

Data simulated(const Data& data, const std::vector<Replacement>& replacing, const Draws& outputs, std::size_t point) {
  Data made = data;
  for (const Replacement& replacement : replacing) {
    std::vector<double> values(replacement.size);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = outputs(0, replacement.offset + i, point);
    made.set(replacement.variable, std::move(values), replacement.shape);
  }
  return made;
}

}  // namespace manychain
