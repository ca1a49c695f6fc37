#include "own_model/compiler_hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <vector>

#include "own_model/other_languages.hpp"
#include "text/suggest.hpp"

namespace manychain::own_model {
namespace {

using Match = std::smatch;
using Pattern = std::regex;

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

/// The first group of the first pattern that is found in `text`; empty: of none.
std::string first_group(const std::string& text, const std::vector<Pattern>& patterns) {
  Match match;
  for (const Pattern& pattern : patterns)
    if (std::regex_search(text, match, pattern)) return match[1];
  return "";
}

/// "normal(x, mu, sigma)", or "real(name) or real(name, constraint)" of several; with what stands before each.
std::string joined(const std::vector<std::string>& calls, const std::string& before = "") {
  std::string text;
  for (std::size_t i = 0; i < calls.size(); ++i)
    text += (i == 0 ? "" : i + 1 == calls.size() ? " or " : ", ") + before + calls[i];
  return text;
}

bool is_qualified(const std::string& name) {
  const std::vector<std::string>& all = LanguageNames::qualified();
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// True of simplex(), a constraint; simplex(name, n) declares a parameter.
bool is_constraint(const std::vector<std::string>& calls) { return !calls.empty() && arguments_of(calls.front()) == 0; }

const char* const body = "the body of a row has two arguments: write [&](auto j, auto& term) { term += ...; }";

/// The hint for a name that the compiler does not know.
std::string unknown(const std::string& name, const std::string& suggested, bool member, const CompilerSays& error,
                    const LanguageNames& names) {
  const std::string& source = error.source;
  const auto is = [&](const std::string& pattern) { return std::regex_search(source, Pattern(pattern)); };
  if (name == "manychain" || name == "MANYCHAIN_HD")
    return "write #include \"manychain/model.hpp\" at the top: the one header that a model needs";
  if (!closest(name, {"manychain"}).empty()) return fmt::format("there is no {}: did you mean manychain?", name);
  if (name == "target" && has(error.message, "declared"))
    return "write template <class Target> MANYCHAIN_HD void log_density(Target& target) const";
  if (name == "Target") return "write template <class Target> above log_density(Target& target)";
  if (name == "Number") return "write template <class Number> above the class";
  if (is(R"(Column::\w+\(([^()]*,)?\s*)" + name + R"(\s*[,)])"))
    return fmt::format("variables of the data stand in double quotes: write \"{}\"", name);
  if (is(R"(\]\s*\([^)]*\b)" + name + R"(\b)") || name == "term") return body;
  if ((name == "lower" || name == "upper") && is(name + R"(\s*=[^=])"))
    return fmt::format("write manychain::{}(0), a function of the bound, in the place of {} = 0", name, name);
  if (is(R"([(,]\s*)" + name + R"(\s*=[^=])"))
    return "arguments have no names: give the values alone, in the order of docs/functions.md, normal(x, mu, sigma)";
  const std::string instead = in_place_of(name, member, source, names);
  if (!instead.empty()) return fmt::format("there is no {} here: {}", name, instead);
  if (is(R"(^\s*)" + name + R"(\s*=[^=])"))
    return fmt::format("{} is not declared: what is new begins with auto, auto {} = ...", name, name);
  const std::string call = call_in(source, name);
  const std::size_t given = arguments_of(call);
  const std::vector<std::string> known = names.calls(name);
  if (is_qualified(name) || (is_constraint(known) && given == 0))
    return fmt::format("write manychain::{}: this name needs its namespace", name);
  if (!known.empty() && !is_constraint(known)) {
    if (names.is_distribution(name) && given > 0 && given + 1 == arguments_of(known.front()))
      return fmt::format("{} takes the variate first: write {}", name, known.front());
    if (name == "vector_of" || name == "matrix_of")  // their elements may be of parameters: the sizes decide
      return fmt::format("write manychain::{}(): where all sizes are plain numbers this name needs its namespace",
                         name);
    return fmt::format(
        "no argument of this {}() is a parameter: name parameters and what is made of them with auto, not double; of "
        "numbers alone write manychain::{}()",
        name, name);
  }
  const bool called = !call.empty() || is(name + R"(\s*\()");
  if (const auto of_target = names.target_calls(name); called && !of_target.empty())
    return fmt::format("{} is a function of the target: write {}", name, joined(of_target, "target."));
  if (!called && !suggested.empty() && !closest(name, {suggested}).empty())
    return fmt::format("there is no {} here: did you mean {}?", name, suggested);
  if (const std::string near = called ? names.nearest_function(name) : ""; !near.empty())
    return fmt::format("there is no {}: did you mean {}?", name, names.calls(near).front());
  if (const std::string near = closest(name, LanguageNames::qualified()); !near.empty() && (member || called))
    return fmt::format("there is no {}: did you mean manychain::{}?", name, near);
  if (called)
    return fmt::format(
        "there is no function {}: docs/functions.md has those of the language, and elementary(value, partial(x, "
        "slope)) makes others",
        name);
  if (member) return "";
  return fmt::format(
      "there is no {} here: declare it above this line, with auto, or as a member of the class if it is data", name);
}

std::string unknown_name(const CompilerSays& error, const LanguageNames& names) {
  static const std::vector<Pattern> of_types = {
      Pattern("'(\\w+)' does not name a type"), Pattern("unknown type name '(\\w+)'"),
      Pattern("'(\\w+)' in namespace 'manychain' does not name"), Pattern("no template named '(\\w+)'"),
      Pattern("no type named '(\\w+)' in namespace 'manychain'")};
  static const std::vector<Pattern> of_names = {Pattern("'(\\w+)' was not declared in this scope"),
                                                Pattern("'(\\w+)' has not been declared"),
                                                Pattern("there are no arguments to '(\\w+)' that depend on"),
                                                Pattern("'(\\w+)' is not a member of '(?:manychain|std)"),
                                                Pattern("use of undeclared identifier '(\\w+)'"),
                                                Pattern("no member named '(\\w+)' in namespace 'manychain"),
                                                Pattern("identifier \"(\\w+)\" is undefined"),
                                                Pattern("namespace \"[\\w:]+\" has no member \"(\\w+)\"")};
  static const std::vector<Pattern> suggestion = {Pattern("did you mean '([\\w:]+)'")};
  const std::string type = first_group(error.message, of_types);
  const std::string name = type.empty() ? first_group(error.message, of_names) : type;
  if (name.empty()) return "";
  return unknown(name, first_group(error.message, suggestion), !type.empty(), error, names);
}

/// "normal" of "manychain::normal(X&, int)" and of "X<A(B)>::normal(int)".
std::string function_of(const std::string& call, std::string* scope) {
  int depth = 0;
  std::size_t begin = 0, i = 0;
  for (; i < call.size(); ++i) {
    const char c = call[i];
    depth += (c == '<') - (c == '>');
    if (depth == 0 && (c == '(' || c == ' ')) break;  // of nvcc " [with ...]"
    if (depth == 0 && c == ':') begin = i + 1;
  }
  *scope = call.substr(0, begin);
  return call.substr(begin, std::min(i, call.find('<', begin)) - begin);
}

/// The hint for a call that fits no function.
std::string no_match(const CompilerSays& error, const LanguageNames& names) {
  static const std::vector<Pattern> calls = {
      Pattern("no matching (?:member )?function for call to '(.*)'"),
      Pattern("no instance of (?:overloaded function |function template |)\"(.*?)\" matches the argument list")};
  const std::string call = first_group(error.message, calls);
  if (call.empty()) return "";
  std::string scope;
  const std::string name = function_of(call, &scope);
  if (name == "unconstrain" || name == "constrain" || name == "log_jacobian")
    return "what follows the name of a parameter is a constraint: write manychain::lower(0), not a number";
  if (name == "as_size")
    return "the number of elements follows the name, and the constraint stands last: write " +
           joined(names.target_calls("vector"), "target.");
  if (!error.users) return "";
  const std::string written = call_in(error.source, name);
  const bool in_call = call.find('(') != std::string::npos;  // g++ gives the types, the others the name alone
  const std::size_t given = arguments_of(written.empty() && in_call ? call.substr(scope.size()) : written);
  const std::string prefix = is_qualified(name) ? "manychain::" : "";
  const auto takes = [&](std::size_t count) {
    return [count](const std::string& one) { return has(one, "...") || arguments_of(one) == count; };
  };

  const std::vector<std::string> known = names.calls(name);
  if (!known.empty() && !(is_constraint(known) && !names.target_calls(name).empty())) {
    const std::string draws = names.draws(name);
    if (!draws.empty() && has(error.source, "predict("))
      return fmt::format("predict() takes what is drawn from: write {}", draws);
    if (has(error.source, "std::" + name))
      return fmt::format("write {}, without std::", written.empty() ? known.front() : written);
    if (has(call, "std::vector") || has(call, "std::array"))
      return fmt::format("{}() takes no std::vector: hold data in manychain::View, read in data()", name);
    if ((name == "lower" || name == "upper" || name == "interval") && has(error.message, "manychain::Size<"))
      return fmt::format("a Size is a number as N.value(): write it so in {}", joined(known, prefix));
    if (std::any_of(known.begin(), known.end(), takes(given)))
      return fmt::format("these arguments do not fit {}: docs/functions.md says what each may be",
                         joined(known, prefix));
    return fmt::format("{} argument{} here: write {}", given, given == 1 ? " is given" : "s are given",
                       joined(known, prefix));
  }
  if (const std::vector<std::string> of_target = names.target_calls(name); !of_target.empty()) {
    if (has(written, "lower(") && has(written, "upper("))
      return "a parameter has one constraint: write interval(a, b) for two bounds";
    if (has(error.source, "'") && !has(error.source, "\""))
      return fmt::format("a name stands in double quotes: write {}", joined(of_target, "target."));
    const bool named =
        std::all_of(of_target.begin(), of_target.end(), [](const std::string& one) { return has(one, "(name"); });
    if (named && written.size() > name.size() + 2 && written[name.size() + 1] != '"')
      return fmt::format("{}() takes a name in double quotes first: write {}", name, joined(of_target, "target."));
    return fmt::format("write {}", joined(of_target, "target."));
  }
  return "";
}

/// X = in.design<Number, 2>(N, {...}) and y = in.prepared<Number>(N, column), and what is written in their place.
std::string design(const CompilerSays& error) {
  static const std::vector<Pattern> no_column = {Pattern("'(\\w+)' is not a member of '(?:manychain::)?Column'"),
                                                 Pattern("no member named '(\\w+)' in '(?:manychain::)?Column'"),
                                                 Pattern("class \"manychain::Column\" has no member \"(\\w+)\"")};
  const std::string& m = error.message;
  if (const std::string name = first_group(m, no_column); !name.empty()) {
    const std::string near = closest(name, {"ones", "of", "log", "centred", "standardised", "equal", "product"});
    if (!near.empty()) return fmt::format("there is no Column::{}: did you mean Column::{}?", name, near);
    return fmt::format(
        "there is no Column::{}: there are ones(), of(name), log(x), centred(x), standardised(x), equal(x, number) and "
        "product(a, b)",
        name);
  }
  static const Pattern of_design(R"(\.\s*design\b)"), of_prepared(R"(\.\s*prepared\b)"),
      assignment("'operator='|overloaded '='|operator \"=\""), call("no match|no instance of");
  const bool matrix = std::regex_search(error.source, of_design), vector = std::regex_search(error.source, of_prepared);
  if (!matrix && !vector) return "";
  if (matrix && std::regex_search(m, assignment))
    return "the member and in.design name one number of columns, or neither does: manychain::Matrix<const Number, 2> X "
           "and X = in.design<Number, 2>(N, {...})";
  if (std::regex_search(m, assignment))
    return "in.prepared makes a vector: the member is a manychain::View<const Number>";
  if (!std::regex_search(m, call)) return "";
  if (vector)
    return "in.prepared takes the rows and a column: write y = in.prepared<Number>(N, Column::log(\"income\"))";
  return "in.design takes the rows and a list of columns: write X = in.design<Number, 2>(N, {Column::of(\"age\"), "
         "Column::log(\"income\")})";
}

/// in("y", y, N), and what is written in its place.
std::string reading(const CompilerSays& error) {
  const std::string& m = error.message;
  static const Pattern member(R"(\(\s*"(\w+)\"\s*,\s*(\w+))"), base("'manychain::Size<.*' .*base .*'manychain::View<"),
      private_base("'manychain::View<.*private base class 'Size<|inaccessible base class \"manychain::Size<");
  Match match;
  const bool of_view = std::regex_search(m, base) || std::regex_search(m, private_base);
  if (!of_view && !has(m, "DataReader")) return "";
  if (!of_view && !has(m, "no match for call to") && !has(m, "no matching function for call") &&
      !has(m, "no instance of overloaded function"))
    return "";
  if (!std::regex_search(error.source, match, member))
    return "in() takes the name of the data first: write in(\"N\", N)";
  const std::string name = match[1], what = match[2];
  if (of_view || has(m, "], manychain::View<")) {
    if (has(m, "manychain::Lower<") && has(m, "manychain::Upper<"))
      return "data have one bound: write manychain::interval(low, high) for lower and upper";
    static const Pattern two_sizes(R"(\(\s*"[^"]*"\s*,\s*\w+\s*,\s*(\w+)\s*,\s*(\w+)\s*\))");
    std::string matrix;
    if (Match sizes; std::regex_search(error.source, sizes, two_sizes))
      matrix = fmt::format("; with {} rows and {} columns declare it as manychain::Matrix<const Number>",
                           sizes[1].str(), sizes[2].str());
    return fmt::format("a View is read with one size: write in(\"{}\", {}, N), with N read before{}", name, what,
                       matrix);
  }
  if (has(m, "], manychain::Matrix<"))
    return fmt::format("a Matrix is read with two sizes: write in(\"{}\", {}, N, K), with N and K read before", name,
                       what);
  return "write in(\"N\", N) of a Size, in(\"s\", s) of a Scalar, in(\"y\", y, N) of a View, in(\"X\", X, N, K) of a "
         "Matrix, with a bound last";
}

/// The hint for a member that an object does not have.
std::string no_member(const CompilerSays& error, const LanguageNames& names) {
  static const Pattern gcc("'(.*)' has no member named '(\\w+)'"), clang("no member named '(\\w+)' in '(.*)'"),
      nvcc("class \"(.*)\" has no member \"(\\w+)\"");
  Match match;
  std::string of, member;
  if (std::regex_search(error.message, match, gcc) || std::regex_search(error.message, match, nvcc)) {
    of = match[1];
    member = match[2];
  } else if (std::regex_search(error.message, match, clang)) {
    of = match[2];
    member = match[1];
  } else {
    return "";
  }
  if (!has(of, "manychain::")) return "";
  if (std::regex_search(of, Pattern("::Row$")))
    return "the body of a row only adds to term: a sum within a row is dot(X[i], beta), or "
           "sum(vector_of(K, [&](int k) { return ...; }))";
  const std::string type = of.substr(0, of.find('<'));
  if (has(type, "Target")) {
    const std::string call = call_in(error.source, member);
    if (names.is_distribution(member) && !call.empty()) return fmt::format("write target += {}", call);
    if (const std::string statement = statement_for(member, error.source); !statement.empty())
      return fmt::format("the target has no {}: write {}", member, statement);
    const std::string near = names.nearest_target_member(member);
    if (near.empty()) return fmt::format("the target has no {}: docs/models.md says what it has", member);
    return fmt::format("the target has no {}: did you mean {}?", member, joined(names.target_calls(near), "target."));
  }
  if (has(type, "::Size")) return "the number of a Size is N.value()";
  if (const std::vector<std::string> known = names.calls(member); !known.empty())
    return fmt::format("functions take what they are of: write {}", joined(known));
  if (has(type, "::View") || has(type, "::Matrix"))
    return fmt::format("it has no {}: how many elements there are says the Size that it was read with, N.value()",
                       member);
  return "";
}

constexpr const char* one_index =
    "an index is one whole number: in the body of a row write b[group[i]], with [&](auto i, auto& term)";

/// The hint for an operator that is not there.
std::string operands(const CompilerSays& error) {
  static const Pattern lacking(
      "no match for 'operator|invalid operands (of types|to binary)|no viable overloaded '|use of overloaded "
      "operator|no operator \"|"
      "invalid type argument of unary");
  if (!std::regex_search(error.message, lacking)) return "";
  const std::string& m = error.message;
  if (has(m, "'operator[]'") && std::regex_search(m, Pattern("types are '(const )?manychain::"))) {
    if (std::regex_search(m, Pattern("and '(const )?manychain::View<const int"))) return one_index;
    return "what stands before [ ] is a single number, which has no elements";
  }
  if (has(error.source, "**")) return "** is no power here: write square(x), or pow(x, y)";
  if (has(m, "'operator+='") && std::regex_search(m, Pattern("types are '(double|float|int)'")))
    return "a sum over elements is sum(v), dot(a, b) or target.sum_over(n, body)";
  if (has(m, "'operator='") || has(m, "overloaded '='") || has(m, "operator \"=\"")) {
    if (std::regex_search(error.source, Pattern("\\b(target|term)\\s*=[^=]")))
      return "a term is added: write target += ..., or term += ... in the body of a row";
    return "what a name stands for does not change: give the result a name of its own, auto b = ...";
  }
  static const Pattern size("(types are:? |and |\\(| [<>=+*/-]+ )'?(const |struct |class )*manychain::Size<");
  if (std::regex_search(m, size)) return "a Size is N.value() in arithmetic and loops";
  if (has(m, "std::vector") || has(m, "std::array"))
    return "std::vector is not of the language: hold data in manychain::View, read in data()";
  return "";
}

/// The hint for missing marks.
std::string marks(const CompilerSays& error) {
  const std::string& m = error.message;
  static const Pattern semicolon("expected (',' or )?';'|expected a \";\"");
  if (std::regex_search(m, semicolon)) {
    if (has(m, "definition") || has(m, "after class") || has(m, "after struct")) return "a class ends with };";
    if (error.begins_line) return "a semicolon is missing at the end of the statement above this line";
    const std::string before = first_group(m, {Pattern("before '(.*?)'"), Pattern("before (numeric constant)")});
    return before.empty() ? "a semicolon is missing in this statement"
                          : fmt::format(
                                "something is missing before {}: an operator such as *, or the semicolon that "
                                "ends the statement",
                                before);
  }
  if (has(m, "missing terminating") || has(m, "missing closing quote")) return "a closing quote is missing";
  if (has(m, "expected '}' at end of input") || has(m, "expected a \"}\"") || has(m, "expected '}'"))
    return "a closing brace } is missing above";
  if (has(m, "expected ')' before '{'")) return "functions are called with round brackets: write manychain::lower(0)";
  if (has(m, "expected ')' before numeric") || std::regex_search(m, Pattern("expected '\\)' before '\\w+'")))
    return "a comma, an operator or a closing bracket ) is missing in this statement";
  if (has(m, "expected ')'") || has(m, "expected a \")\"")) return "a closing bracket ) is missing in this statement";
  if (has(m, "expected ']'") || has(m, "expected a \"]\"")) return "a closing bracket ] is missing in this statement";
  if (has(m, "non-static data member declared with") || has(m, "'auto' not allowed in non-static class member"))
    return "a member of the class has a type, manychain::Scalar<Number> x; and if this is a statement of log_density, "
           "a "
           "brace } above closes it too early";
  if (has(m, "invalid preprocessing directive") && has(error.source, "# "))
    return "a comment begins with //, not with #";
  return "";
}

std::string others(const CompilerSays& error, const LanguageNames& names) {
  const std::string& m = error.message;
  if (error.users &&
      std::regex_search(m, Pattern("no match for call to '\\((const )?manychain::\\w*(View|Matrix|Vector)\\w*<")))
    return "elements stand in square brackets, counted from 0: write y[i], and X[i][j] of a matrix";
  static const std::vector<Pattern> bare = {
      Pattern("invalid use of template-name 'manychain::(\\w+)' without an argument list"),
      Pattern("use of class template '(?:manychain::)?(\\w+)' requires template arguments"),
      Pattern("class template argument deduction failed for '(?:manychain::)?(\\w+)"),
      Pattern("argument list for class template \"manychain::(\\w+)\" is missing")};
  if (const std::string name = first_group(m, bare); !name.empty())
    return fmt::format("write manychain::{}{}", name,
                       name == "Size"     ? "<>"
                       : name == "Scalar" ? "<Number>"
                                          : "<const Number>");
  static const Pattern missing_file("(manychain\\S*?)(?:: No such file|' file not found|\")"),
      copied("use of deleted function '.*Target<.*>::\\w*Target\\(const |call to deleted constructor of '.*Target<"),
      quoted(
          "use of '(\\w+)' before deduction of 'auto'|variable '(\\w+)' declared with deduced type 'auto' cannot "
          "appear in its own"),
      captured(
          "was not captured for this lambda|is not captured|cannot be implicitly captured|"
          "variable in enclosing scope.* not captured|enclosing-function .*cannot be referenced");
  Match match;
  if ((has(m, "No such file") || has(m, "file not found") || has(m, "cannot open source file")) &&
      std::regex_search(m, missing_file))
    return "a model includes one header of the library: write #include \"manychain/model.hpp\"";
  if (std::regex_search(m, copied))
    return "the body of a row adds to what it is given: write auto& term, not auto term";
  if (std::regex_search(m, quoted)) return "the name of a parameter stands in double quotes: write target.real(\"mu\")";
  if (std::regex_search(m, captured)) return "the body uses what stands around it: write [&] in the place of []";
  if (has(m, "return-statement with a value, in function returning 'void'") || has(m, "should not return a value"))
    return "log_density returns nothing: write target += ... and go on";
  if (error.users && (has(m, "in function returning non-void") || has(m, "non-void function does not return a value")))
    return "this function returns nothing: write void before its name, as before log_density, or return a value";
  if (has(m, "Lower<") || has(m, "Upper<")) {
    if (has(m, "request for member 'value'") || has(m, "member reference base type"))
      return "constraints are written small: manychain::lower(0), manychain::upper(1)";
  }
  if (has(m, "has no member named 'draw'") || has(m, "no member named 'draw' in"))
    return "predict() takes what is drawn from: write target.predict(\"name\", normal_distribution(mu, sigma))";
  static const Pattern number_wanted("(convert|conversion).*manychain::.*to '?(double|float)'?"),
      of_c("\\b(f(?:max|min|abs))\\(");
  if (error.users && std::regex_search(m, number_wanted) && std::regex_search(error.source, match, of_c))
    return in_place_of(match[1], false, error.source, names);
  static const Pattern whole_number_wanted(
      "(convert|conversion|cast).*manychain::.*to (type )?['\"]((long |unsigned "
      ")*(int|long|unsigned)|std::size_t)['\"]");
  if (error.users && std::regex_search(m, whole_number_wanted))
    return "whole numbers are data of their own: manychain::View<const int> group, read by in(\"group\", group, N, "
           "manychain::integer(1, J))";
  static const Pattern of_two_types(
      "operands to '\\?:' have different types|incompatible operand types|operand types are incompatible");
  if (error.users && has(m, "manychain::") && std::regex_search(m, of_two_types) && has(error.source, "?"))
    return "write select(condition, a, b), not condition ? a : b";
  if (has(m, "fd_set"))  // the system's select()
    return "select() chooses expressions: of two numbers write condition ? a : b";
  if (has(m, "comma expression in array subscript") || has(m, "comma-subscript"))
    return "elements of a matrix are X[i][j], counted from 0";
  if (error.users && has(m, "to 'bool'") && std::regex_search(error.source, Pattern("\\bif\\s*\\(.*[^=!<>]=[^=]")))
    return "a comparison is written ==";
  if (error.users && has(m, "invalid use of non-static data member"))
    return "data are not known when the class is compiled: leave `dimension` out where it follows from the data";
  if (std::regex_search(m, Pattern("operator\\[\\]\\((const )?manychain::View<const int.*&\\)"))) return one_index;
  if (std::regex_search(m, Pattern("no match for call to '\\(.*::<lambda\\(auto:\\d+\\)>\\) \\(.*Target<")))
    return "the body of a row takes its index and its term: write [&](auto i, auto& term) { term += ...; }";
  if (error.users &&
      std::regex_search(m,
                        Pattern("no match for call to '\\(.*manychain::(Constant|Variable|Constrained|Sum|Product)")))
    return "a product is written with *: a + b * (x - y)";
  static const std::vector<Pattern> twice = {
      Pattern("redeclaration of '.*?(\\w+)'"), Pattern("redefinition of '(\\w+)'"),
      Pattern("conflicting declaration '.*?(\\w+)'"), Pattern("\"(\\w+)\" has already been declared")};
  if (const std::string name = first_group(m, twice); !name.empty())
    return fmt::format("{} is declared above: give this one another name", name);
  return "";
}

}  // namespace

std::string plain(std::string text) {
  for (const char* name : {"checked", "cuda", "avx512", "avx2", "baseline"})
    replace_all(text, std::string("manychain::") + name + "::", "manychain::");
  replace_all(text, "‘", "'");
  replace_all(text, "’", "'");
  return text;
}

/// std::regex recurses once a character, and messages name whole types. What is wrong stands at their ends.
static void shorten(std::string& text) {
  constexpr std::size_t most = 4000;
  if (text.size() > most) text = text.substr(0, most / 2) + " ... " + text.substr(text.size() - most / 2);
}

std::string hint(const CompilerSays& said, const LanguageNames& names) {
  CompilerSays error = said;
  shorten(error.message);
  shorten(error.source);
  error.message = plain(error.message);
  const auto own = [&](const std::string& text) { return error.users ? text : std::string(); };
  for (const std::string& text :
       {own(in_place_of_line(error.source, names)), own(design(error)), own(unknown_name(error, names)),
        own(reading(error)), no_match(error, names), own(no_member(error, names)), own(operands(error)),
        own(marks(error)), others(error, names)})
    if (!text.empty()) return text;
  return "";
}

}  // namespace manychain::own_model
