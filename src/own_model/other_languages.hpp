// Names of Stan, R, Python and C++ that stand in no model, and what is written in their place.
#pragma once

#include <string>

#include "own_model/language_names.hpp"

namespace manychain::own_model {

/// Advice on the replacement of `name`, as the end of a sentence: "write dot(a, b)". Empty: nothing is known of it.
/// `member`: it stands where a member of the class is declared, the data of the model. `source`: the line.
std::string in_place_of(const std::string& name, bool member, const std::string& source, const LanguageNames& names);

/// Likewise for a line in the syntax of another language, whatever the compiler says of it: `x ~ normal(0, 1)`,
/// `for (i in 1:N)`, `y[1:N]`, `real<lower=0> x`.
std::string in_place_of_line(const std::string& source, const LanguageNames& names);

/// The statement that is meant by a member that the target does not have, with the name that stands in the line:
/// `target.vector("x", n, manychain::positive_ordered())` of `target.positive_ordered("x", n)`, `target.derived("x",
/// x)` of `target.record("x", ...)`. Empty: nothing is known of it.
std::string statement_for(const std::string& member, const std::string& source);

/// The call of `name` in a line, "f(a | b)" up to the bracket that closes it, or to the end of the line; empty if there
/// is none.
std::string call_in(const std::string& source, const std::string& name);

/// `call` with another name and without Stan's bar: "normal(y, mu, 1)" of "normal_lpdf(y | mu, 1)".
std::string renamed(const std::string& call, const std::string& name);

}  // namespace manychain::own_model
