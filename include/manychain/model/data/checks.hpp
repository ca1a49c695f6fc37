// A unit compiled with MANYCHAIN_CHECKED looks at every index, at every pair of sizes and at the bounds of parameters,
// and answers with the sentences of this header. manychain_add_model() generates one such unit for each model: it
// evaluates all terms once, on the host, when data are bound. Units that run chains check nothing. Such a unit compiles
// in a second or so, and refuses what is no model with the sentences of the other units.
//
// It also evaluates the gradient once (chain/term_target.hpp). Every intermediate that an adjoint reaches must still be
// there, and all steps of a recurrence must name the same parameters: on a GPU nothing else could tell.
//
// The linker takes none of its code for chain code. Its inline namespace is its own (core/macros.hpp), and the model is
// instantiated for a number type that no chain uses (CheckedNumber). That protects this library, and code of users that
// is a template on the number type or marked MANYCHAIN_HD. Any other inline function of a user has one body, which
// serves all units.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "manychain/core/macros.hpp"

namespace manychain {
namespace checks {

/// One pass over a model with its data. While it lives, messages of this thread say where in the model they arose, and
/// call data by their names.
class Pass {
 public:
  explicit Pass(const std::string& model);
  ~Pass();
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  /// Messages name this from now on: `what` is a function of the target ("observe"), `name` what it was given, or null.
  void enter(const char* what, const char* name);
  void leave() { enter(nullptr, nullptr); }
  void term(int j);
  /// The model writes components by itself, on the unconstrained scale: a bound would change the meaning of what it
  /// writes, so that none is asked for.
  void take_unconstrained();
  /// Throws BadInput if an adjoint has been passed to an intermediate that was gone.
  void require_intermediates() const;

  struct State;

 private:
  State* state_;
};

/// The data at that address are called so; `columns` of a matrix, 0 of a vector.
void name_data(const void* data, std::size_t element, int size, int columns, bool integer, const char* name);
/// Whole number `value` has been read: it may be the next index.
void note_integer(const void* element, int value);

/// An intermediate, or its adjoints, lie there from now on, or no longer.
void note_made(const void* memory, std::size_t bytes);
void note_gone(const void* memory, std::size_t bytes);
/// True if the intermediate of this adjoint is there: else a function has returned an expression of its own one. The
/// first that is not is noted, as destructors ask, too (Pass::require_intermediates()). An intermediate that has since
/// been made in the same place is taken for the one that is gone.
bool is_there(const void* adjoint);
/// Throws BadInput where a vector is asked for an element that is not there.
void require_there(const void* vector);

/// A parameter as it was declared: target.real("tau", lower(0)) is {"real", "tau", 0, infinity}. A bound that other
/// parameters decide is NaN.
struct Declared {
  const char* statement;
  const char* name;
  double low, high;
  bool together = false;  ///< its constraint is one of all elements together, which bounds would replace
  bool ordered = false;   ///< increasing
};
/// Intermediates that are made while it lives are this parameter.
class Declaration {
 public:
  explicit Declaration(const Declared& parameter);
  ~Declaration();
  Declaration(const Declaration&) = delete;
  Declaration& operator=(const Declaration&) = delete;
  /// The adjoints of a parameter on the whole line lie there.
  void lies(const void* adjoints, std::size_t bytes) const;

 private:
  Declared parameter_;
};
/// Throws BadInput where the adjoint is that of a parameter that may lie outside of [low, high], the range of an
/// argument of a density.
void require_range(const void* adjoint, double low, double high, const char* density, const char* argument);
/// An end of a uniform distribution is a number, or the adjoint of what may be a parameter, or unknown.
struct End {
  double number = std::numeric_limits<double>::quiet_NaN();
  const void* adjoint = nullptr;
};
/// Throws BadInput where the ends may cross because one is a parameter without a bound on the side of the other. Finite
/// ranges that overlap are right: outside of its support a density is -inf.
void require_order(const End& low, const End& high, const char* density);

/// The body of a vector reads variables that are gone: throws BadInput. `function`: that they were of, "the step".
[[noreturn]] void throw_gone(const char* function);
/// Vectors of a body that are made while it lives remember their first elements, and look if these are the same when
/// they are read.
class Remembering {
 public:
  Remembering();
  ~Remembering();
  Remembering(const Remembering&) = delete;
  Remembering& operator=(const Remembering&) = delete;
};
bool remembers();

/// A parameter that is declared with offset_multiplier() while it lives holds its elements with the digits of double.
/// Terms that change by that have lost digits: the others are evaluated from what is sampled
/// (model/autodiff/own_scale.hpp).
class RoundedElements {
 public:
  explicit RoundedElements(bool rounds);
  ~RoundedElements();
  RoundedElements(const RoundedElements&) = delete;
  RoundedElements& operator=(const RoundedElements&) = delete;
};
/// An element as checks hold it: a real number of any type.
long double held_element(long double x);

/// The arguments of a location-scale density of one element, which is evaluated while a ScaleNotes of this thread
/// lives: which parameters each of them depends on says whose scale depends on others (chain/dependent_scales.hpp).
struct ScaleArguments {
  long double variate, location, scale;
  bool data = false;     ///< of observe(), or the variate is a number
  bool cancels = false;  ///< the density is a difference of terms that grow as 1 / scale^2
};
void note_scale(const ScaleArguments& arguments);
void forget_scale();  ///< the last one
/// Densities of the library that this thread has evaluated, and those of them that had a scale to note: a term that
/// adds to neither is one that a model writes by hand.
struct DensityCount {
  std::size_t all = 0, scaled = 0;
};
void note_density();
DensityCount densities();
class ScaleNotes {
 public:
  /// `with_data`: also notes densities of data.
  explicit ScaleNotes(std::vector<ScaleArguments>& notes, bool with_data = false);
  ~ScaleNotes();
  ScaleNotes(const ScaleNotes&) = delete;
  ScaleNotes& operator=(const ScaleNotes&) = delete;
  /// The densities that follow are those of observe(), or they are not.
  void observing(bool whether);
};

/// A vector as a message names it: a parameter by its name, data by their address. size < 0: it is no vector.
struct Operand {
  int size = -1;
  const char* parameter = nullptr;
  const void* data = nullptr;
};

// Each throws BadInput.
[[noreturn]] void throw_index(const Operand& vector, int index);
[[noreturn]] void throw_row(const void* matrix, int rows, int index);
[[noreturn]] void throw_sizes(const char* what, const Operand& a, const Operand& b);
[[noreturn]] void throw_many_elements(const char* what, int most);
[[noreturn]] void throw_shapes(int rows, int columns, int other_rows, int other_columns);
[[noreturn]] void throw_outcome(const char* density, double y, double most);
[[noreturn]] void throw_count(const char* density, double y);
[[noreturn]] void throw_cutpoints(const char* density, double before, double at);
[[noreturn]] void throw_overflow(const char* operation);
[[noreturn]] void throw_prediction_size(std::size_t size, std::size_t first);
[[noreturn]] void throw_component(const char* what, int index, int count, int dimension);

// Inline functions, in one namespace for each instruction set: units of chains call them, too, when they make a layout.
inline namespace MANYCHAIN_ISA {

inline void index(const Operand& vector, int i) {
  if (static_cast<unsigned>(i) >= static_cast<unsigned>(vector.size)) throw_index(vector, i);
}
inline void row(const void* matrix, int rows, int i) {
  if (static_cast<unsigned>(i) >= static_cast<unsigned>(rows)) throw_row(matrix, rows, i);
}

/// All that are vectors have one size.
template <class... Operands>
void same_size(const char* what, const Operand& first, const Operands&... rest) {
  const Operand* known = nullptr;
  for (const Operand* next : {&first, &rest...}) {
    if (next->size < 0) continue;
    if (known && known->size != next->size) throw_sizes(what, *known, *next);
    known = next;
  }
}

}  // namespace MANYCHAIN_ISA
}  // namespace checks

inline namespace MANYCHAIN_ISA {

#if defined(MANYCHAIN_CHECKED)
inline constexpr bool checks_bounds = true;
#else
inline constexpr bool checks_bounds = false;
#endif

namespace detail {
/// An argument of a density or a dot product.
template <class T>
checks::Operand checked_operand(const T& x) {
  checks::Operand operand;
  if constexpr (requires { x.size().value(); }) operand.size = x.size().value();
  if constexpr (requires { x.parameter_name(); })
    operand.parameter = x.parameter_name();
  else if constexpr (requires { static_cast<const void*>(x.data()); })
    operand.data = x.data();
  return operand;
}
}  // namespace detail

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
