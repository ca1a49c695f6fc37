// The names of the language of models with their arguments, as docs/functions.md has them.
#pragma once

#include <string>
#include <vector>

namespace manychain::own_model {

/// The names in the table of functions, and the types and members that a model names.
class LanguageNames {
 public:
  /// `table`: the text of docs/functions.md.
  explicit LanguageNames(const std::string& table);

  /// "normal(x, mu, sigma)" of `normal`; one for each way in which it is called, none if it is not of the language.
  std::vector<std::string> calls(const std::string& name) const;
  /// A log density: its first argument is the variate.
  bool is_distribution(const std::string& name) const;
  /// "normal_distribution(mean, sd)" of `normal`; empty: there are none.
  std::string draws(const std::string& distribution) const;

  /// The function that `word` was probably meant to be; empty: none is near.
  std::string nearest_function(const std::string& word) const;
  /// "real(name)", "real(name, constraint)" of `real`, a member of the target.
  std::vector<std::string> target_calls(const std::string& member) const;
  std::string nearest_target_member(const std::string& word) const;

  /// Names that always need `manychain::`: types, and what bounds data.
  static const std::vector<std::string>& qualified();

 private:
  struct Call {
    std::string name, text;
    bool distribution;
  };
  std::vector<Call> functions_, members_;
};

/// Number of arguments of "f(a, b(c, d))"; `text` begins with the name.
std::size_t arguments_of(const std::string& text);

}  // namespace manychain::own_model
