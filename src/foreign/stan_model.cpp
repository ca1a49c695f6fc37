// A Stan model that BridgeStan has compiled, as a model of ours.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "core/nan.hpp"
#include "core/read_file.hpp"
#include "foreign/foreign_density.hpp"
#include "foreign/stan_library.hpp"
#include "foreign/stan_names.hpp"
#include "foreign/stanli.hpp"
#include "manychain/run/foreign.hpp"
#include "model/data_json.hpp"

namespace manychain {
namespace {

/// The diagonal of a correlation matrix is 1 or a few units in the last place off.
bool equal_but_for_rounding(double value, double constant) {
  return std::fabs(value - constant) <= 1e-12 * std::fabs(constant);
}

class StanDensity final : public ForeignDensity {
 public:
  StanDensity(const std::string& path, const std::string& json, std::uint64_t seed)
      : library_(path),
        model_(library_.construct_model(json, static_cast<unsigned int>(seed ^ (seed >> 32)))),
        threads_(built_with_threads(text(library_.model_info(model_.get())))) {
    require_same_threads(path, threads_);
    const auto names = split_names(text(library_.param_names(model_.get(), true, true)));
    parameters_ = count(library_.param_num(model_.get(), false, false));
    without_generated_ = count(library_.param_num(model_.get(), true, false));
    all_ = count(library_.param_num(model_.get(), true, true));
    dimension_ = count(library_.param_unc_num(model_.get()));
    auto unconstrained = split_names(text(library_.param_unc_names(model_.get())));
    if (unconstrained.size() > dimension_) unconstrained.resize(dimension_);  // some name transformed parameters, too
    if (names.size() != all_ || unconstrained.size() != dimension_ || parameters_ > without_generated_ ||
        without_generated_ > all_)
      throw BadInput("its names and its numbers of parameters do not agree");
    StanQuantities found = stan_quantities(names, parameters_);
    order_ = std::move(found.order);
    in_order_ = std::is_sorted(order_.begin(), order_.end());
    layout_.quantities = std::move(found.quantities);
    layout_.dimension = dimension_;
    layout_.outputs = all_;
    for (const std::string& name : unconstrained) {
      layout_.unconstrained_names.push_back(with_brackets(name));
      unconstrained_of_.push_back(base_name(name));
    }
    find_constants();
  }

  ForeignTraits traits() const {
    ForeignTraits traits;
    traits.name = text(library_.name(model_.get()));
    // stanc's habit.
    if (const std::size_t end = traits.name.rfind("_model");
        end != std::string::npos && end > 0 && end + 6 == traits.name.size())
      traits.name.resize(end);
    traits.foreign = "a Stan model";
    traits.layout = layout_;
    traits.own_outputs = true;
    if (!threads_) traits.one_thread = "the Stan model was built without STAN_THREADS";
    return traits;
  }

  double value_and_gradient(const double* position, double* gradient) const override {
    double log_density = 0;
    char* error = nullptr;
    if (library_.log_density_gradient(model_.get(), true, true, position, &log_density, gradient, &error) == 0)
      return log_density;
    log_.evaluation(library_.message(error));
    // A trajectory must not go on from there.
    std::fill_n(gradient, dimension_, nan);
    return -std::numeric_limits<double>::infinity();
  }

  void outputs(const double* position, std::uint32_t seed, double* values) const override {
    if (in_order_) {
      constrain(position, seed, values);
    } else {
      std::vector<double> made(all_);
      constrain(position, seed, made.data());
      for (std::size_t k = 0; k < all_; ++k) values[k] = made[order_[k]];
    }
    for (const auto& [k, constant] : constants_)
      if (equal_but_for_rounding(values[k], constant)) values[k] = constant;
  }

  std::vector<bool> unconstrain(const Data& given, std::vector<double>& position, const Layout&) const override {
    std::vector<bool> was_given(dimension_, false);
    // Given values take the place of those of the position, and all of them go back.
    std::vector<double> constrained(parameters_), free(dimension_);
    char* error = nullptr;
    bool any = false;
    if (library_.param_constrain(model_.get(), false, false, position.data(), constrained.data(), nullptr, &error) != 0)
      throw BadInput("initial values: " + library_.message(error));
    for (const Quantity& quantity : layout_.quantities) {
      const Data::Variable* const found = given.find(quantity.name);
      if (!found) continue;
      if (quantity.derived) throw BadInput("initial value of " + quantity.name + ": it is no parameter");
      require_values(quantity, *found);
      any = true;
      for (std::size_t k = 0; k < quantity.size(); ++k) constrained[order_[quantity.offset + k]] = found->values[k];
      for (std::size_t i = 0; i < dimension_; ++i) was_given[i] = was_given[i] || unconstrained_of_[i] == quantity.name;
    }
    if (!any) return was_given;
    if (library_.param_unconstrain(model_.get(), constrained.data(), free.data(), &error) != 0)
      throw BadInput("initial values: " + library_.message(error));
    for (std::size_t i = 0; i < dimension_; ++i)
      if (was_given[i] && !std::isfinite(free[i])) throw outside(unconstrained_of_[i]);
    require_inverse(free, constrained, given);
    for (std::size_t i = 0; i < dimension_; ++i)
      if (was_given[i]) position[i] = free[i];
    return was_given;
  }

  Rejections take_rejections() const override { return log_.take(); }

 private:
  static BadInput outside(const std::string& parameter) {
    return BadInput("initial value of " + parameter + ": it must lie inside of its constraint, not on its edge");
  }
  /// Stan takes a value that breaks its constraint for another one that does not (a simplex that does not add up to 1).
  void require_inverse(const std::vector<double>& free, const std::vector<double>& wanted, const Data& given) const {
    constexpr double close = 1e-6;
    std::vector<double> found(parameters_);
    char* error = nullptr;
    if (library_.param_constrain(model_.get(), false, false, free.data(), found.data(), nullptr, &error) != 0)
      throw BadInput("initial values: " + library_.message(error));
    for (const Quantity& quantity : layout_.quantities)
      for (std::size_t k = 0; given.find(quantity.name) && k < quantity.size(); ++k) {
        const std::size_t at = order_[quantity.offset + k];
        if (!(std::fabs(found[at] - wanted[at]) <= close * (1 + std::fabs(wanted[at])))) throw outside(quantity.name);
      }
  }
  static std::string text(const char* from) { return from ? from : ""; }
  static std::size_t count(int n) { return static_cast<std::size_t>(std::max(n, 0)); }

  /// In Stan's order. Where generated quantities fail, what comes before them is kept.
  void constrain(const double* position, std::uint32_t seed, double* values) const {
    const bool generates = all_ > without_generated_;
    char* error = nullptr;
    int status = 0;
    {
      const auto generator = generates ? library_.construct_generator(seed, &error)
                                       : StanLibrary::GeneratorPointer(nullptr, library_.rng_destruct);
      status = generates && !generator
                   ? -1
                   : library_.param_constrain(model_.get(), true, generates, position, values, generator.get(), &error);
    }
    if (status == 0) return;
    log_.outputs(library_.message(error));
    error = nullptr;
    std::fill_n(values, all_, nan);
    if (!generates) return;
    if (library_.param_constrain(model_.get(), true, false, position, values, nullptr, &error) == 0) return;
    library_.message(error);
    std::fill_n(values, all_, nan);
  }

  /// Outputs that are the same at points that have no coordinate in common: the upper triangle of a Cholesky factor,
  /// the diagonal of a correlation matrix. They have no R-hat, and need none. What is the same but for rounding is made
  /// the same in all draws: of two neighbouring numbers there would be a tail without an ESS.
  void find_constants() {
    constexpr int points = 8;
    std::vector<double> position(dimension_), values(all_), first(all_, nan);
    std::vector<int> finite(all_, 0);
    std::vector<bool> differs(all_, false);
    for (int k = 0; k < points; ++k) {
      // In each coordinate the multiples of the golden ratio, modulo one, from a place of its own.
      for (std::size_t i = 0; i < dimension_; ++i) {
        const double place = 0.6180339887498949 * (k + 1) + 0.41421356237309515 * static_cast<double>(i % 1000);
        position[i] = 4 * (place - std::floor(place)) - 2;
      }
      outputs(position.data(), static_cast<std::uint32_t>(k), values.data());
      for (std::size_t i = 0; i < all_; ++i) {
        if (!std::isfinite(values[i])) continue;
        if (finite[i]++ == 0) first[i] = values[i];
        differs[i] = differs[i] || !equal_but_for_rounding(values[i], first[i]);
      }
    }
    for (std::size_t i = 0; i < all_; ++i) {
      layout_.constant.push_back(!differs[i] && finite[i] >= points / 2);
      if (layout_.constant[i]) constants_.emplace_back(i, first[i]);
    }
    log_.take();
  }

  StanLibrary library_;
  StanLibrary::ModelPointer model_;
  bool threads_;
  std::size_t parameters_ = 0, without_generated_ = 0, all_ = 0, dimension_ = 0;
  std::vector<std::size_t> order_;  // output k is Stan's value order_[k]
  bool in_order_ = true;
  std::vector<std::pair<std::size_t, double>> constants_;  // output and value
  std::vector<std::string> unconstrained_of_;              // one per dimension: the parameter it belongs to
  Layout layout_;
  mutable RejectionLog log_;
};

bool is_json(const std::string& data) {
  const std::size_t first = data.find_first_not_of(" \t\r\n");
  return first != std::string::npos && data[first] == '{';
}

Model bound_model(const std::string& library, const std::string& json, std::uint64_t seed) {
  auto density = std::make_shared<StanDensity>(library, json, seed);
  ForeignTraits traits = density->traits();
  return Model(bind_foreign(std::move(density), std::move(traits)));
}

}  // namespace

Model load_stan(const std::string& library, const std::string& data, std::uint64_t seed) {
  const bool from_file = !data.empty() && !is_json(data);
  const std::string json = from_file ? read_file(data) : data;
  if (from_file && !is_json(json))
    throw BadInput(data + ": JSON: offset 0: a data file is one object, {\"name\": value, ...}");
  // The message about a wrong library has its path.
  const std::string where = from_file ? data + ": " : "";
  try {
    if (!names_stan_program(library)) return bound_model(library, json, seed);
    const StanliProgram program = compile_with_stanli(library);
    return bound_model(program.library, with_manifest(json, program), seed);
  } catch (const BadInput& error) {
    if (std::strncmp(error.what(), library.c_str(), library.size()) == 0) throw;
    throw BadInput(library + ": " + where + error.what() + (data.empty() ? " (no data were given)" : ""));
  }
}

ModelOfSet stan_models(const std::string& library, const std::string& manifest) {
  StanliProgram program{library, manifest};
  if (manifest.empty() && names_stan_program(library)) program = compile_with_stanli(library);
  return [program](std::size_t, const Data& data, std::uint64_t seed) {
    const std::string json = json_of(data);
    return bound_model(program.library, program.manifest.empty() ? json : with_manifest(json, program), seed);
  };
}

}  // namespace manychain
