// The parts of a model as the host sees them: names, shapes, and the place of each quantity.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace manychain {

/// One named quantity of a model: a parameter on its constrained scale, or a derived quantity.
struct Quantity {
  std::string name;                ///< as declared, for example "theta"
  std::vector<std::size_t> shape;  ///< empty for a scalar, {J} for a vector
  std::size_t offset = 0;          ///< position of the first element among the outputs of the model
  bool derived = false;            ///< false: a parameter; true: computed from the parameters
  bool predicted = false;          ///< drawn by predict(): a posterior predictive draw, which is derived, too

  std::size_t size() const {
    std::size_t product = 1;
    for (std::size_t extent : shape) product *= extent;
    return product;
  }
};

/// Data terms of a model: one observe().
struct Observed {
  std::string name;      ///< as declared, most often the name of a data variable
  std::size_t rows = 0;  ///< terms, each of which has a log likelihood
  bool scalar = false;   ///< one number, no vector: of no dimension in a file

  /// The shape of its log likelihood in a file.
  std::vector<std::size_t> shape() const {
    return scalar ? std::vector<std::size_t>{} : std::vector<std::size_t>{rows};
  }
};

/// A component whose scale depends on others: it stands in a location-scale density as the variate or in the location,
/// they in the scale.
struct DependentScale {
  std::size_t component = 0;
  std::vector<std::size_t> hypers;  ///< ascending
  /// Derivatives of the log scale, one for each hyper, in the density whose variate is the component itself; empty
  /// where there is no such density. Zero: the hyper is that of another density, or the derivative is not known. Those
  /// of one hyper are taken where the scale is small, if it is small anywhere.
  std::vector<double> slopes = {};
  bool knows_small_scales = false;  ///< the slopes hold wherever the scale is small
  /// The location of that density as far as it is known: constant + sum of coefficient times component.
  struct Term {
    std::size_t component = 0;
    double coefficient = 0;
  };
  double location = 0;
  std::vector<Term> location_terms = {};
  /// The density is that of a datum, whose location the component can move to it: slopes and location are those of the
  /// component, where it meets the datum. Without slopes: of data that share the component.
  bool by_data = false;
  /// The value of a density is a difference of terms that grow as 1 / scale^2: single precision has no digits left
  /// in its neck.
  bool cancels = false;
};

/// The quantities of a model in the order of their declaration, parameters first, derived quantities after them.
struct Layout {
  std::size_t dimension = 0;         ///< number of unconstrained parameters
  std::size_t outputs = 0;           ///< number of scalars that one draw consists of
  std::size_t scratch = 0;           ///< reals of working memory a chain needs beside its state (vector intermediates)
  std::size_t terms = 0;             ///< of long sums: those that no fixed size unrolls
  std::vector<Quantity> quantities;  ///< what the outputs are
  std::vector<Observed> observed;    ///< in the order of their declaration
  std::size_t integers = 0;          ///< components that are whole numbers
  std::vector<bool> integer;         ///< one per dimension: which (empty: none)
  std::vector<int> lowest, highest;  ///< one per dimension: the range of a whole number (empty: none)
  std::vector<bool> conditional;     ///< one per dimension: the model gives its full conditional
  std::vector<bool> proposed;        ///< one per dimension: the model's proposal names it
  /// One per output: a constant, because its constraint leaves it one value; of a Stan model, because it was the same
  /// at all points that were looked at. Empty: none.
  std::vector<bool> constant;
  /// By component, one of data behind one of parameters; none where no density says so.
  std::vector<DependentScale> dependent_scales;
  bool scales_unknown = false;  ///< nobody sees the densities: on what scales depend, gradients may tell
  std::vector<std::string> unconstrained_names;  ///< one per dimension: the parameter (and index) each belongs to

  // They are defined in the library: each is as long as a model of few lines, and compilers would put it into every
  // unit.
  Layout();
  ~Layout();
  Layout(const Layout&);
  Layout(Layout&&) noexcept;
  Layout& operator=(const Layout&);
  Layout& operator=(Layout&&) noexcept;

  /// The flat names of all outputs, in order, 1-based as in Stan: "mu", "theta[1]", "theta[2]", ...
  std::vector<std::string> output_names() const;
  /// Outputs that are parameters, which come first.
  std::size_t parameter_outputs() const;
  /// The first output that is derived; `outputs` if none is.
  int first_derived() const;
  /// Data terms of all observe() together.
  std::size_t observed_rows() const;
  /// True if masses may depend on position.
  bool may_have_leaves() const { return scales_unknown || !dependent_scales.empty(); }
  /// Threads that a chain has on a GPU where terms can be dealt: outputs are not, so that there must be few.
  int threads_per_chain() const;
};

/// The name that a quantity has in a NetCDF file: '/' would be a group, and chain and draw are dimensions.
std::string stored_name(std::string name);

/// Throws BadInput where two quantities have one name, here or as files name them (latent: of parameters that are not
/// recorded), or one has none.
void check_names(const Layout& layout, const std::vector<std::string>& latent = {});

}  // namespace manychain
