#include "run/initial_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/random/stream.hpp"
#include "manychain/run/model.hpp"
#include "run/defaults.hpp"

namespace manychain {
namespace {

bool has_quantity(const Layout& layout, const std::string& name) {
  return std::any_of(layout.quantities.begin(), layout.quantities.end(),
                     [&](const Quantity& quantity) { return quantity.name == name; }) ||
         // A parameter that is not recorded: its components alone have names, "z[1]" and so on.
         std::any_of(layout.unconstrained_names.begin(), layout.unconstrained_names.end(),
                     [&](const std::string& own) { return own.substr(0, own.find('[')) == name; });
}

}  // namespace

void require_initial_points(const Layout& layout, const Settings& settings) {
  const std::size_t dimension = layout.dimension;
  if (!settings.warmup.initial_points.empty() && settings.warmup.initial_points.size() != dimension * settings.chains)
    throw BadInput("Settings::warmup.initial_points must hold dimension x chains = " +
                   std::to_string(dimension * settings.chains) + " values, found " +
                   std::to_string(settings.warmup.initial_points.size()));
  for (std::size_t i = 0; layout.integers && i < settings.warmup.initial_points.size(); ++i) {
    const std::size_t d = i / settings.chains;
    const double start = settings.warmup.initial_points[i];
    if (layout.integer[d] && !(start == std::floor(start) && start >= layout.lowest[d] && start <= layout.highest[d]))
      throw BadInput("Settings::warmup.initial_points: " + layout.unconstrained_names[d] + " is a whole number from " +
                     std::to_string(layout.lowest[d]) + " to " + std::to_string(layout.highest[d]) + "; chain " +
                     std::to_string(i % settings.chains) + " starts at " + std::to_string(start));
  }
}

void set_initial_points(const Model& model, const std::vector<Data>& values, Settings& settings) {
  if (values.empty()) throw BadInput("initial values: there are none");
  settings.warmup.initial_points.clear();
  settings.validate();
  const Layout& layout = model.layout();
  const bool open = settings.chains == 0;
  const std::size_t d = layout.dimension;
  bool complete = true;
  for (const Data& point : values) {
    for (const std::string& name : point.names())
      if (!has_quantity(layout, name)) throw BadInput("initial values: the model has no parameter " + name);
    std::vector<double> unused(d);
    for (const bool given : model.bound().unconstrain(point, unused)) complete = complete && given;
  }
  choose_chains(model, settings);
  // Superchains of four chains each, as far as a default run goes elsewhere.
  if (open && complete && settings.groups == 1) {
    const std::size_t wanted = std::max(values.size(), std::min(4 * values.size(), most_default_chains));
    settings.chains = std::max(settings.chains, wanted);
  }
  const std::size_t chains = settings.chains, of_group = chains / settings.groups;
  if (complete && values.size() > chains)
    throw BadInput("initial values: " + std::to_string(values.size()) + " starting points, but Settings::chains is " +
                   std::to_string(chains) + ": give one for each chain at most");
  if (!settings.superchains) {
    const std::size_t starts = complete ? values.size()
                               : open   ? std::min(default_superchains, of_group / 4)
                                        : default_superchains;
    settings.superchains = starts > 1 && 4 * starts <= of_group ? starts : 0;
  }

  const DensityEvaluator evaluate = model.bound().evaluator();
  std::vector<double> position(d), gradient(d);
  const auto usable = [&] {
    double log_density = 0;
    evaluate(position.data(), 1, &log_density, model.has_gradient() ? gradient.data() : nullptr);
    return std::isfinite(log_density) &&
           std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); });
  };
  settings.warmup.initial_points.resize(d * chains);
  for (std::size_t c = 0; c < chains; ++c) {
    // The first chain that starts at the same point: of this one's superchain or, if values are complete, with its
    // values.
    std::size_t same = c;
    if (*settings.superchains > 1) same -= c % of_group - c % of_group % *settings.superchains;
    if (complete) same %= values.size();
    if (same != c) {
      for (std::size_t i = 0; i < d; ++i)
        settings.warmup.initial_points[i * chains + c] = settings.warmup.initial_points[i * chains + same];
      continue;
    }
    for (std::uint64_t attempt = 0; attempt < (complete ? 1 : 100); ++attempt) {
      const Stream<Scalar<double>> stream(settings.seed, Purpose::initial_point, settings.first_chain + c, attempt);
      uniforms(stream, Size<dynamic>(static_cast<int>(d)), [&](int k, Scalar<double> u) {
        const auto i = static_cast<std::size_t>(k);
        position[i] = layout.integers && layout.integer[i]
                          ? layout.lowest[i] + std::floor(u.v * (layout.highest[i] - layout.lowest[i] + 1.0))
                          : settings.warmup.initial_radius * (2 * u.v - 1);
      });
      model.bound().unconstrain(values[c % values.size()], position);
      if (complete || usable()) break;
    }
    for (std::size_t i = 0; i < d; ++i) settings.warmup.initial_points[i * chains + c] = position[i];
  }
}

}  // namespace manychain
