#include "manychain/model/data/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "manychain/core/error.hpp"
#include "text/unsigned_nan.hpp"

namespace manychain::checks {
namespace {

std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// A variable of the data, in memory.
struct Variable {
  std::string name;
  std::uintptr_t begin;
  std::size_t element;  // bytes
  int size, columns;    // columns: 0 of a vector
  bool integer;

  bool holds(const void* p) const {
    return address(p) == begin || address(p) - begin < static_cast<std::size_t>(size) * element;
  }
  /// The name of the element at p: "county[12]", "X[3][0]".
  std::string element_name(const void* p) const {
    const std::size_t i = (address(p) - begin) / element;
    if (columns == 0) return fmt::format("{}[{}]", name, i);
    return fmt::format("{}[{}]", row_name(p), i % static_cast<std::size_t>(columns));
  }
  /// The name of the row that begins at p: "X[3]".
  std::string row_name(const void* p) const {
    return fmt::format("{}[{}]", name, (address(p) - begin) / element / static_cast<std::size_t>(columns));
  }
};

}  // namespace

struct Pass::State {
  std::string model;
  State* outer = nullptr;
  std::vector<Variable> data;
  const char* what = nullptr;
  const char* name = nullptr;
  int term = -1;
  const void* integer = nullptr;  // the whole number that was read last
  int value = 0;
  struct Memory {
    std::uintptr_t begin, end;
  };
  struct Parameter : Memory {
    Declared declared;
  };
  const Declared* declaring = nullptr;
  std::vector<Parameter> parameters;
  std::vector<Memory> gone;  // intermediates lay there, and no other does now
  std::string lost;          // the sentence on the first adjoint that went there
  bool unconstrained = false;

  const Variable* holding(const void* p) const {
    for (const Variable& variable : data)
      if (variable.holds(p)) return &variable;
    return nullptr;
  }
};

namespace {

thread_local Pass::State* pass = nullptr;

/// "model radon, observe("y"), index 12: "
std::string where() {
  if (!pass) return "";
  std::string text = "model " + pass->model;
  if (pass->what) text += std::string(", ") + pass->what;
  if (pass->what && pass->name) text += fmt::format("(\"{}\")", pass->name);
  if (pass->what && pass->term >= 0) text += fmt::format(", index {}", pass->term);
  return text + ": ";
}

std::string name_of(const Operand& vector) {
  if (vector.parameter) return vector.parameter;
  const Variable* variable = pass && vector.data ? pass->holding(vector.data) : nullptr;
  if (!variable) return vector.data ? "a vector that data() computed" : "a vector";
  return variable->columns == 0 ? variable->name : variable->row_name(vector.data);
}

/// True of a member that data() gave nothing: a vector that was read has an address, though it be empty.
bool never_read(const Operand& vector) { return vector.size == 0 && !vector.parameter && !vector.data; }
constexpr const char* was_it_read = ": was it read by in(...) in data()?";

std::string elements(int n) { return n == 1 ? "1 element" : fmt::format("{} elements", n); }

/// C++ counts from 0, and most data do not.
std::string first_to_last(const std::string& name, int size) {
  return size > 0 ? fmt::format(", {}[0] to {}[{}]", name, name, size - 1) : "";
}

/// The place that the index was read from, if data gave it, and what is probably wrong with it.
std::string origin(int index, int size) {
  const Variable* variable = pass && pass->integer ? pass->holding(pass->integer) : nullptr;
  if (!variable || !variable->integer || variable->size == 0) return "";
  const int* values = reinterpret_cast<const int*>(variable->begin);
  const auto [smallest, largest] = std::minmax_element(values, values + variable->size);
  std::string text =
      fmt::format("; {}, the whole number of the data that was read last, is {}, and all of {} are {} to {}",
                  variable->element_name(pass->integer), pass->value, variable->name, *smallest, *largest);
  if (index == pass->value && index == size && *smallest > 0)
    text += fmt::format(": where {} counts from 1, subtract 1", variable->name);
  if (index == -1 && pass->value == 0)
    text += fmt::format(": {} counts from 0 already, subtract nothing", variable->name);
  return text;
}

[[noreturn]] void throw_beyond(const std::string& name, const char* of_what, int size, int index, bool unread) {
  throw BadInput(fmt::format("{}{}[{}] is asked for, but {} has {}{} (counted from 0){}", where(), name, index, name,
                             of_what ? fmt::format("{} {}", size, of_what) : elements(size), first_to_last(name, size),
                             unread ? was_it_read : origin(index, size)));
}

}  // namespace

Pass::Pass(const std::string& model) : state_(new State) {
  state_->model = model;
  state_->outer = pass;
  pass = state_;
}
Pass::~Pass() {
  pass = state_->outer;
  delete state_;
}
void Pass::enter(const char* what, const char* name) {
  state_->what = what;
  state_->name = name;
  term(-1);
}
void Pass::term(int j) {
  state_->term = j;
  state_->integer = nullptr;
}

void name_data(const void* data, std::size_t element, int size, int columns, bool integer, const char* name) {
  if (pass) pass->data.push_back({name, address(data), element, size, columns, integer});
}
void note_integer(const void* element, int value) {
  if (!pass) return;
  pass->integer = element;
  pass->value = value;
}

namespace {
/// Nothing is known of that memory any more.
void forget(std::uintptr_t begin, std::uintptr_t end) {
  const auto shares = [&](const Pass::State::Memory& m) { return m.begin < end && begin < m.end; };
  pass->gone.erase(std::remove_if(pass->gone.begin(), pass->gone.end(), shares), pass->gone.end());
  pass->parameters.erase(std::remove_if(pass->parameters.begin(), pass->parameters.end(), shares),
                         pass->parameters.end());
}
const Declared* declared_at(const void* adjoint) {
  if (!pass || !adjoint) return nullptr;
  for (const Pass::State::Parameter& parameter : pass->parameters)
    if (parameter.begin <= address(adjoint) && address(adjoint) < parameter.end) return &parameter.declared;
  return nullptr;
}
/// A bound as a program has it: "" where there is none, `unknown` where other parameters decide it.
std::string written(double bound, const char* unknown) {
  return std::isinf(bound) ? "" : std::isnan(bound) ? unknown : fmt::format("{}", bound);
}
/// "target.real("tau", manychain::lower(0))": the declaration with bounds ("": none). A constraint of all elements
/// together would be lost by that: an expression has the bounds.
std::string with_bounds(const Declared& parameter, const std::string& low, const std::string& high) {
  const std::string statement = parameter.statement, name = parameter.name;
  const char* const shape = statement == "real" ? "" : statement == "matrix" ? ", rows, columns" : ", n";
  if (parameter.ordered && low == "0" && high.empty())
    return fmt::format("target.{}(\"{}\"{}, manychain::positive_ordered())", statement, name, shape);
  if (parameter.together) {
    const bool positive = parameter.low == 0;  // exp() of it would begin at 1, and inv_logit() at 1/2
    const std::string above_zero = positive ? name : "exp(" + name + ")";
    if (high.empty()) return (low == "0" ? "" : low + " + ") + above_zero;
    if (low.empty()) return high + " - " + above_zero;
    return positive ? "1 - exp(-" + name + ")" : "inv_logit(" + name + ")";
  }
  const std::string bounds = high.empty()  ? fmt::format("lower({})", low)
                             : low.empty() ? fmt::format("upper({})", high)
                                           : fmt::format("interval({}, {})", low, high);
  std::string text = fmt::format("target.{}(\"{}\"{}, manychain::{})", statement, name, shape, bounds);
  if (low == "low") text += ", where low is the lower bound that it has";
  if (high == "high") text += ", where high is the upper bound that it has";
  return text;
}
/// A value in [low, high] and in the bounds that it has.
std::string within(const Declared& parameter, double low, double high) {
  const double above = std::isnan(parameter.low) ? parameter.low : std::max(low, parameter.low);
  const double below = std::isnan(parameter.high) ? parameter.high : std::min(high, parameter.high);
  if (parameter.together || above >= below) return with_bounds(parameter, written(low, ""), written(high, ""));
  return with_bounds(parameter, written(above, "low"), written(below, "high"));
}
std::string lower_bound_of(const Declared& parameter) {
  return std::isinf(parameter.low) ? "has no lower bound" : fmt::format("has the lower bound {}", parameter.low);
}
}  // namespace

void note_made(const void* memory, std::size_t bytes) {
  if (!pass) return;
  forget(address(memory), address(memory) + bytes);
  if (pass->declaring) pass->parameters.push_back({{address(memory), address(memory) + bytes}, *pass->declaring});
}
void note_gone(const void* memory, std::size_t bytes) {
  if (!pass) return;
  forget(address(memory), address(memory) + bytes);  // each place once
  pass->gone.push_back({address(memory), address(memory) + bytes});
}
Declaration::Declaration(const Declared& parameter) : parameter_(parameter) {
  if (pass) pass->declaring = &parameter_;
}
Declaration::~Declaration() {
  if (pass) pass->declaring = nullptr;
}
void Declaration::lies(const void* adjoints, std::size_t bytes) const {
  if (pass) pass->parameters.push_back({{address(adjoints), address(adjoints) + bytes}, parameter_});
}
void require_range(const void* adjoint, double low, double high, const char* density, const char* argument) {
  if (pass && pass->unconstrained) return;
  const Declared* const found = declared_at(adjoint);
  if (!found || !(found->low < low || found->high > high)) return;
  const bool probability = std::isfinite(high);
  const std::string advice = within(*found, low, high);
  throw BadInput(fmt::format("{}{} of {}() is the parameter {}, which {}: write {}{}", where(), argument, density,
                             found->name, probability ? "is not bound to [0, 1]" : lower_bound_of(*found).c_str(),
                             advice, advice.rfind("target.", 0) == 0 ? "" : " in its place"));
}
void require_order(const End& low, const End& high, const char* density) {
  if (pass && pass->unconstrained) return;
  const Declared *const a = declared_at(low.adjoint), *const b = declared_at(high.adjoint);
  const double above = a ? a->high : low.number, below = b ? b->low : high.number;
  if (!(above > below)) return;
  if (b && std::isinf(below))
    throw BadInput(fmt::format(
        "{}the upper end of {}() is the parameter {}, which has no lower bound: bind it to what is above "
        "the lower end and above each variate, {}",
        where(), density, b->name, with_bounds(*b, "largest", b->together ? "" : written(b->high, "high"))));
  if (a && std::isinf(above))
    throw BadInput(
        fmt::format("{}the lower end of {}() is the parameter {}, which has no upper bound: bind it to what is below "
                    "the upper end and below each variate, {}",
                    where(), density, a->name, with_bounds(*a, a->together ? "" : written(a->low, "low"), "smallest")));
}
bool is_there(const void* adjoint) {
  if (!pass) return true;
  const std::uintptr_t p = address(adjoint);
  const auto holds = [&](const Pass::State::Memory& m) { return m.begin <= p && p < m.end; };
  if (std::none_of(pass->gone.begin(), pass->gone.end(), holds)) return true;
  if (pass->lost.empty())
    pass->lost = where() +
                 "a function has returned an expression of its own intermediate, a let() or a constrained parameter, "
                 "whose gradient is lost: make it where the function is called, and give it as an argument";
  return false;
}
void require_there(const void* vector) {
  if (!is_there(vector)) throw BadInput(pass->lost);
}
void Pass::take_unconstrained() { state_->unconstrained = true; }
void Pass::require_intermediates() const {
  if (!state_->lost.empty()) throw BadInput(state_->lost);
}

namespace {
thread_local bool rounds_elements = false;
}  // namespace
RoundedElements::RoundedElements(bool rounds) { rounds_elements = rounds; }
RoundedElements::~RoundedElements() { rounds_elements = false; }
long double held_element(long double x) { return rounds_elements ? static_cast<double>(x) : x; }

namespace {
struct NotedScales {
  std::vector<ScaleArguments>* notes = nullptr;
  bool with_data = false, observing = false;
};
thread_local NotedScales noted_scales;
thread_local DensityCount density_count;
}  // namespace
void note_density() { ++density_count.all; }
DensityCount densities() { return density_count; }
ScaleNotes::ScaleNotes(std::vector<ScaleArguments>& notes, bool with_data) { noted_scales = {&notes, with_data}; }
ScaleNotes::~ScaleNotes() { noted_scales = {}; }
void ScaleNotes::observing(bool whether) { noted_scales.observing = whether; }
void note_scale(const ScaleArguments& arguments) {
  ++density_count.scaled;
  const bool data = arguments.data || noted_scales.observing;
  if (!noted_scales.notes || (data && !noted_scales.with_data)) return;
  noted_scales.notes->push_back(arguments);
  noted_scales.notes->back().data = data;
}
void forget_scale() {
  if (noted_scales.notes) noted_scales.notes->pop_back();
}

void throw_index(const Operand& vector, int index) {
  throw_beyond(name_of(vector), nullptr, vector.size, index, never_read(vector));
}
void throw_row(const void* matrix, int rows, int index) {
  const Variable* variable = pass ? pass->holding(matrix) : nullptr;
  throw_beyond(variable ? variable->name : "a matrix that data() computed", rows == 1 ? "row" : "rows", rows, index,
               rows == 0 && !matrix);
}
void throw_sizes(const char* what, const Operand& a, const Operand& b) {
  const std::string first = name_of(a), second = name_of(b);
  throw BadInput(fmt::format("{}{} takes {} and {} element by element, but {} has {} and {} has {}{}", where(), what,
                             first, second, first, elements(a.size), second, elements(b.size),
                             never_read(a) || never_read(b) ? was_it_read : ""));
}
void throw_many_elements(const char* what, int most) {
  throw BadInput(fmt::format("{}{} takes {} elements at most, or any number that is fixed, as that of Size<40> is",
                             where(), what, most));
}
void throw_shapes(int rows, int columns, int other_rows, int other_columns) {
  throw BadInput(fmt::format("{}a density takes matrices element by element, but one is {} x {} and another {} x {}",
                             where(), rows, columns, other_rows, other_columns));
}
void throw_component(const char* what, int first, int count, int dimension) {
  const std::string of = count == 1 ? fmt::format("{}", first) : fmt::format("{} to {}", first, first + count - 1);
  throw BadInput(fmt::format("{}{} {} of the state is asked for, but the parameters have {} components, 0 to {}",
                             where(), what, of, dimension, dimension - 1));
}

void throw_let_in_body(const char* what) {
  throw BadInput(where() + "target." + std::string(what) +
                 "() stands in the body of observe() or sum_over(): declare it before, " +
                 "where its working memory is counted; one number is let(x)");
}

namespace {
thread_local int remembering = 0;
}  // namespace
Remembering::Remembering() { ++remembering; }
Remembering::~Remembering() { --remembering; }
bool remembers() { return remembering > 0; }

void throw_gone(const char* function) {
  throw BadInput(
      fmt::format("{}{} returns a vector that reads variables of it, which are gone then: capture what the "
                  "body uses of them by value, [&, t]",
                  where(), function));
}

void throw_times(int index, double before, double at) {
  if (index == 0)
    throw BadInput(fmt::format("{}the first time is {}, before the initial time {}", where(), at, before));
  throw BadInput(fmt::format("{}the times must not decrease: {} comes after {}", where(), at, before));
}
void throw_method(const char* what, double value) { throw BadInput(fmt::format("{}{}, not {}", where(), what, value)); }

void throw_interval(const char* parameter, double low, double high) {
  throw BadInput(
      fmt::format("{}{} is declared with interval({}, {}): the bounds must be finite, and the lower one below "
                  "the upper one",
                  where(), parameter, unsigned_nan(low), unsigned_nan(high)));
}

void throw_other_parameters() {
  throw BadInput(where() +
                 "this step names other parameters than the step of index 1, and observe() along a recurrence takes "
                 "derivatives by the same ones in all: keep the states, auto h = target.scan(n, first, step), and say "
                 "observe(name, n, body) of h[t]");
}

void throw_outcome(const char* density, double y, double most) {
  throw BadInput(
      fmt::format("{}{}() of the outcome {}: outcomes are whole numbers from 0 to {}", where(), density, y, most));
}

void throw_count(const char* density, double y) {
  throw BadInput(fmt::format("{}{}() of the count {}: counts are whole numbers", where(), density, y));
}
void throw_cutpoints(const char* density, double before, double at) {
  throw BadInput(fmt::format("{}{}() of cutpoints that decrease: {} comes after {}", where(), density, at, before));
}

void throw_overflow(const char* operation) {
  throw BadInput(
      fmt::format("{}the result of {} of two whole numbers is beyond 2^31: declare the data as real numbers, "
                  "View<const Number>",
                  where(), operation));
}

void throw_prediction_size(std::size_t size, std::size_t first) {
  throw BadInput(
      fmt::format("{}this prediction has {} elements and that of index 0 has {}: give all one size, or each a "
                  "predict() of its own",
                  where(), size, first));
}

void throw_unread_parameters() {
  throw BadInput("this model's parameters cannot be read from its draws, as its log likelihoods need");
}

void throw_target_in_body() {
  throw BadInput(where() + "the target is added to inside a body: add to what the body is given, term += ...");
}

}  // namespace manychain::checks
