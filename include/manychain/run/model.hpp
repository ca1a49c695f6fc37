// A compiled model together with its data: what sample() takes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

struct Result;
struct ModelBinding;  // a model bound to its data, as engines see it
struct ModelUnit;     // what manychain_add_model() generates

/// A log density that a program already has compiled. One chain per lane; double precision, CPU only.
struct CompiledDensity {
  std::size_t dimension = 0;
  /// Writes the gradient to gradient[0 .. dimension - 1] and returns the log density at position. Called from several
  /// threads at once, only with finite positions. A value that is not finite rejects the proposal.
  std::function<double(const double* position, double* gradient)> value_and_gradient;
  std::string name = "compiled";
  std::vector<std::string> parameters;  ///< one name per dimension; empty: "q[1]", "q[2]", ...
  /// Approximate count of numbers that a gradient reads, from which the default number of chains follows. 0: unknown,
  /// taken for many.
  std::size_t gradient_values = 0;
};

/// The C function by which nutpie and walnutpie call a log density: writes it to *log_density and its gradient to
/// gradient[0 .. dimension - 1]; returns 0, or anything else to reject the proposal.
using LogDensityCallback = int (*)(std::size_t dimension, const double* position, double* gradient, double* log_density,
                                   void* user);

/// A log density that is such a function. One chain per lane; double precision, CPU only.
struct CallbackDensity {
  std::size_t dimension = 0;
  /// Called from several threads at once, only with finite positions. Result::sampling.rejected counts what it rejects;
  /// a value that is not finite also rejects.
  LogDensityCallback function = nullptr;
  void* user = nullptr;  ///< passed to the function; must outlive the model
  std::string name = "compiled";
  std::vector<std::string> parameters;  ///< one name per dimension; empty: "q[1]", "q[2]", ...
  /// Approximate count of numbers that a gradient reads, from which the default number of chains follows. 0: unknown,
  /// taken for many.
  std::size_t gradient_values = 0;
};

/// A log density that is computed at many points at once, those of all chains. One chain per lane; double precision,
/// CPU only. All chains go through a transition together, so that each call has the points of all that still move.
/// Draws are those of a CompiledDensity with the same values.
struct BatchedDensity {
  std::size_t dimension = 0;
  /// Writes the log densities at `count` points, [point][dimension], and their gradients, [point][dimension]. Called in
  /// the thread that calls sample(), only with finite positions; the values at a point must not depend on the other
  /// points. A value that is not finite rejects the proposal of that point; an exception ends the run.
  std::function<void(const double* points, std::size_t count, double* log_densities, double* gradients)> function;
  std::string name = "compiled";
  std::vector<std::string> parameters;  ///< one name per dimension; empty: "q[1]", "q[2]", ...
  /// As CompiledDensity::gradient_values, but that 0, unknown, is taken for few: a call costs more than its points.
  std::size_t gradient_values = 0;
};

/// The comparison of a model's gradient with differences of its log density, in double.
struct GradientCheck {
  std::size_t points = 0;
  std::string worst_parameter;   ///< name of the unconstrained component that differs most
  double worst_error = 0;        ///< |gradient - difference| / max(|gradient|, |difference|)
  double gradient = 0;           ///< there
  double finite_difference = 0;  ///< there
  double tolerance = 0;          ///< largest worst_error that passes: includes the error of the difference
  std::string worst_term;        ///< of a wrong gradient: the term of the model that causes it; empty: not known
  double term_gradient = 0;      ///< of worst_term alone, along worst_parameter
  double term_difference = 0;    ///< likewise, by differences
  bool conclusive = true;  ///< false: nothing wrong was seen, but rounding would have hidden an error of 1e-4 or more
  bool passed = false;     ///< conclusive, and nothing wrong was seen
};

/// A model with its data. Cheap to copy.
class Model {
 public:
  /// Binds a generated model to data. Throws BadInput when the data do not fit.
  Model(const ModelUnit& unit, const Data& data);
  /// Binds the data that the model carries (none: empty data).
  explicit Model(const ModelUnit& unit);
  /// A compiled density.
  explicit Model(CompiledDensity density);
  explicit Model(const CallbackDensity& density);
  explicit Model(BatchedDensity density);

  const std::string& name() const;
  const Layout& layout() const;
  bool has_gradient() const;
  /// The data that it was bound to; null for a compiled density.
  std::shared_ptr<const Data> data() const;

  using Bound = ModelBinding;
  explicit Model(std::shared_ptr<const Bound> bound) : bound_(std::move(bound)) {}
  const Bound& bound() const { return *bound_; }

 private:
  std::shared_ptr<const Bound> bound_;
};

/// The generated unit of a model class. A link error that names this function means that the line of
/// manychain_add_model() is missing.
template <template <class, int...> class ModelClass>
const ModelUnit& model_unit();

/// A model of one's own: `manychain::model<Pendulum>(data)`.
template <template <class, int...> class ModelClass>
Model model(const Data& data) {
  return Model(model_unit<ModelClass>(), data);
}
template <template <class, int...> class ModelClass>
Model model() {
  return Model(model_unit<ModelClass>());
}

/// Name, description and code of one model that the library was built with.
struct ModelInfo {
  std::string name;
  std::string description;
  const ModelUnit* unit;
  bool carries_data;
};

/// The built-in models, in the order of `manychain models`. Defined in the library manychain::models.
const std::vector<ModelInfo>& builtin_models();
/// The built-in model of that name with its own data. Throws BadInput listing the names there are.
Model builtin_model(const std::string& name);
Model builtin_model(const std::string& name, const Data& data);

/// Samples. Throws BadInput before the first draw, SamplingFailed after it.
Result sample(const Model& model, const Settings& settings = {});

/// Sets `settings.warmup.initial_points` from values of parameters by name, on their constrained scale: chain c starts
/// at values[c mod K], K values in all. Parameters that they leave out are uniform within
/// `settings.warmup.initial_radius`, with up to 100 tries until log density and gradient are finite. Unless superchains
/// are set, there are as many as different starting points: K of four chains or more; 16 if values leave parameters
/// out. Throws BadInput if a name is no parameter of the model, or if a value does not fit or lies outside of its
/// constraint.
void set_initial_points(const Model& model, const std::vector<Data>& values, Settings& settings);

/// Compares gradients at `points` random points, uniform(-2, 2) on the unconstrained scale, with differences of the log
/// density in double: along 24 random directions, then by components of the direction that differs most. It takes
/// `points` gradients and at most 900 log densities, whatever the dimension. Whole numbers are not checked: they are
/// drawn uniformly from their range, and stay fixed. Throws BadInput if the model has no gradient, no parameters, or
/// none but whole numbers, SamplingFailed if the log density is finite at none of the points.
GradientCheck check_gradient(const Model& model, std::size_t points = 20, std::uint64_t seed = 0);

}  // namespace manychain
