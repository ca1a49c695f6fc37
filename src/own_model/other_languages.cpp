#include "own_model/other_languages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

#include "own_model/words.hpp"

namespace manychain::own_model {
namespace {

bool ends(const std::string& text, const std::string& with) {
  return text.size() > with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

/// Functions and constants.
const std::map<std::string, std::string>& functions() {
  const std::string block =
      "a model is a C++ class, `manychain new NAME` writes one to begin with (a Stan program is sampled by --stan)";
  static const std::map<std::string, std::string> table = {
      {"std_normal", "write normal(z, 0, 1)"},
      {"inv_gamma", "write inverse_gamma(x, alpha, beta)"},
      {"invgamma", "write inverse_gamma(x, alpha, beta)"},
      {"laplace", "write double_exponential(x, mu, sigma)"},
      {"bernoulli_lpmf", "write bernoulli(y, theta)"},
      {"halfnormal", "write half_normal(x, sigma)"},
      {"halfcauchy", "write half_cauchy(x, sigma)"},
      {"lkj_corr_lpdf", "write lkj_corr(R, eta)"},
      {"dot_product", "write dot(a, b)"},
      {"columns_dot_product", "write dot(a, b), a column at a time"},
      {"rows_dot_product", "write dot(a, b), a row at a time"},
      {"dot_self", "write dot(a, a)"},
      {"cholesky_decompose", "write target.cholesky(A)"},
      {"mdivide_left_tri_low", "write target.solve_lower(L, v)"},
      {"log_determinant_spd", "write 2 * log_determinant(target.cholesky(A))"},
      {"quad_form", "write quad_form_sym(A, x)"},
      {"tcrossprod", "write multiply_lower_tri_self_transpose(L)"},
      {"cov_exp_quad", "write gp_exp_quad_cov(x, alpha, rho)"},
      {"diag_matrix", "write diag_pre_multiply(s, M), or add_diagonal(A, s)"},
      {"to_vector", "leave it out: a distribution takes a matrix as it is"},
      {"to_array_1d", "leave it out: a distribution takes vectors and matrices as they are"},
      {"rep_vector", "write the number itself: what is added to a vector is added to each element"},
      {"col", "write column(M, j), with columns counted from 0"},
      {"row", "write M[i], with rows counted from 0"},
      {"num_elements", "write N.value(), of the Size with which the vector was read"},
      {"length", "write N.value(), of the Size with which the vector was read"},
      {"len", "write N.value(), of the Size with which the vector was read"},
      {"nrow", "write N.value(), of the Size with which the matrix was read"},
      {"ncol", "write K.value(), of the Size with which the matrix was read"},
      {"begin", "write for (int j = 0; j < N.value(); ++j), or target.sum_over(N, body)"},
      {"range", "write for (int j = 0; j < N.value(); ++j), or target.sum_over(N, body)"},
      {"log_inv_logit", "write -log1p_exp(-x)"},
      {"log1m_inv_logit", "write -log1p_exp(x)"},
      {"inv_logit_log", "write -log1p_exp(-x)"},
      {"inv_cloglog", "write -expm1(-exp(x))"},
      {"cloglog", "write log(-log1p(-p))"},
      {"expit", "write inv_logit(x)"},
      {"sigmoid", "write inv_logit(x)"},
      {"plogis", "write inv_logit(x)"},
      {"qlogis", "write logit(p)"},
      {"pnorm", "write Phi(x), or normal_lcdf(x, mu, sigma) for its logarithm"},
      {"logsumexp", "write log_sum_exp(a, b)"},
      {"accumulate", "write sum(v)"},
      {"increment_log_prob", "write target += and the term"},
      {"bounds", "write manychain::interval(low, high), or manychain::integer(low, high) of whole numbers"},
      {"positive", "write manychain::lower(0)"},
      {"nonnegative", "write manychain::lower(0)"},
      {"fabs", "write abs(x)"},
      {"fmax", "write select(value(a) > value(b), a, b)"},
      {"fmin", "write select(value(a) < value(b), a, b)"},
      {"int_step", "write select(value(x) > 0, 1, 0)"},
      {"ifelse", "write select(mask, a, b)"},
      {"if_else", "write select(mask, a, b)"},
      {"cumulative_sum", "write target.scan(n, first, step)"},
      {"cumsum", "write target.scan(n, first, step)"},
      {"diagonal", "write M[i][i]"},
      {"pi", "write 3.14159265358979"},
      {"e", "write 2.71828182845905"},
      {"inv", "write 1 / x"},
      {"inv_sqrt", "write 1 / sqrt(x)"},
      {"sd", "prepare data in data(), with Column::standardised(name)"},
      {"np", "leave np. out: exp, log, sqrt and the like are functions of the language"},
      {"math", "leave math. out: exp, log, sqrt and the like are functions of the language"},
      {"torch", "leave torch. out: exp, log, sqrt and the like are functions of the language"},
      {"pm", "write auto mu = target.real(\"mu\"), and its prior as target += normal(mu, 0, 1)"},
      {"numpyro", "write auto mu = target.real(\"mu\"), and its prior as target += normal(mu, 0, 1)"},
      {"pyro", "write auto mu = target.real(\"mu\"), and its prior as target += normal(mu, 0, 1)"},
      {"tfd", "write auto mu = target.real(\"mu\"), and its prior as target += normal(mu, 0, 1)"},
      {"print", "to see a value record it, target.derived(\"name\", x)"},
      {"cat", "to see a value record it, target.derived(\"name\", x)"},
      {"cout", "to see a value record it, target.derived(\"name\", x)"},
      {"reject", "write target += select(mask, 0, -INFINITY)"},
      {"data", block},
      {"parameters", block},
      {"transformed", block},
      {"model", block},
      {"generated", block},
      {"functions", block},
      {"import", block},
      {"from", block},
      {"library", block},
      {"require", block},
      {"def", block},
      {"TRUE", "write true"},
      {"FALSE", "write false"},
      {"True", "write true"},
      {"False", "write false"},
      {"lambda", "write the body of a row as [&](auto j, auto& term) { term += normal(y[j], mu, sigma); }"},
      {"function", "write a function of a row as [&](auto j, auto& term) { term += normal(y[j], mu, sigma); }"},
      {"dnorm", "write normal(x, mean, sd)"},
      {"dlnorm", "write lognormal(x, mu, sigma)"},
      {"dgamma", "write gamma(x, shape, rate)"},
      {"dinvgamma", "write inverse_gamma(x, shape, scale)"},
      {"dbeta", "write beta(x, a, b)"},
      {"dunif", "write uniform(x, low, high)"},
      {"dexp", "write exponential(x, rate)"},
      {"dt", "write student_t(x, nu, mu, sigma)"},
      {"dcauchy", "write cauchy(x, location, scale)"},
      {"dlogis", "write logistic(x, mu, sigma)"},
      {"dweib", "write weibull(x, shape, scale)"},
      {"dweibull", "write weibull(x, shape, scale)"},
      {"dchisq", "write chi_square(x, nu)"},
      {"dpois", "write poisson(y, lambda)"},
      {"dbinom", "write binomial(y, n, theta)"},
      {"dbern", "write bernoulli(y, theta)"},
      {"dnbinom", "write neg_binomial_2(y, mu, phi)"},
      {"dgeom", "write geometric(y, theta)"},
      {"dcat", "write categorical(y, theta), with categories counted from 0"},
      {"dmnorm", "write multi_normal(y, mu, Sigma)"},
      {"ddirch", "write dirichlet(theta, alpha)"},
  };
  return table;
}

/// Stan's types: in the class for data, in log_density for a parameter; $ is what is declared.
struct Declared {
  std::string data, parameter;
};
const std::map<std::string, Declared>& types() {
  const std::string scalar = "manychain::Scalar<Number> $;", vector = "manychain::View<const Number> $;",
                    matrix = "manychain::Matrix<const Number> $;";
  static const std::map<std::string, Declared> table = {
      {"real", {scalar, "real(\"$\")"}},
      {"vector", {vector, "vector(\"$\", n)"}},
      {"row_vector", {vector, "vector(\"$\", n)"}},
      {"array", {vector, "vector(\"$\", n)"}},
      {"matrix", {matrix, "matrix(\"$\", rows, columns)"}},
      {"simplex", {vector, "simplex(\"$\", n)"}},
      {"ordered", {vector, "ordered(\"$\", n)"}},
      {"positive_ordered", {vector, "vector(\"$\", n, manychain::positive_ordered())"}},
      {"unit_vector", {vector, "vector(\"$\", n, manychain::unit_vector())"}},
      {"sum_to_zero", {vector, "vector(\"$\", n, manychain::sum_to_zero())"}},
      {"sum_to_zero_vector", {vector, "vector(\"$\", n, manychain::sum_to_zero())"}},
      {"cov_matrix", {matrix, "cov_matrix(\"$\", n)"}},
      {"corr_matrix", {matrix, "corr_matrix(\"$\", n)"}},
      {"cholesky_factor_corr", {matrix, "cholesky_corr(\"$\", n)"}},
      {"cholesky_factor_cov", {matrix, "cholesky_cov(\"$\", n)"}},
  };
  return table;
}

/// "beta" of "vector<lower=0>[K] beta;".
std::string declared_name(const std::string& source) {
  const std::size_t end = source.find_first_of(";=");
  std::size_t last = std::min(end, source.size());
  while (last > 0 && !of_a_word(source[last - 1])) --last;
  std::size_t first = last;
  while (first > 0 && of_a_word(source[first - 1])) --first;
  return source.substr(first, last - first);
}

/// A text of types() with the name of what is declared.
std::string with_name(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find('$', at)) != std::string::npos; at += name.size()) text.replace(at, 1, name);
  return text;
}

}  // namespace

std::string statement_for(const std::string& member, const std::string& source) {
  static const char *const derived = "derived(\"$\", x)", *const real = "real(\"$\")",
                           *const observe = "observe(\"$\", normal(y, mu, sigma))";
  static const std::map<std::string, const char*> others = {
      {"record", derived},
      {"save", derived},
      {"output", derived},
      {"generated", derived},
      {"deterministic", derived},
      {"Deterministic", derived},
      {"transformed", derived},
      {"quantity", derived},
      {"scalar", real},
      {"number", real},
      {"parameter", real},
      {"param", real},
      {"array", "vector(\"$\", n)"},
      {"likelihood", observe},
      {"observed", observe},
      {"data", observe},
      {"generate", "predict(\"$\", normal_distribution(mu, sigma))"},
  };
  std::string statement;
  if (const auto type = types().find(member); type != types().end())
    statement = type->second.parameter;
  else if (const auto other = others.find(member); other != others.end())
    statement = other->second;
  else
    return "";
  static const std::regex named("\"([^\"]*)\"");
  std::smatch match;
  const std::string name = std::regex_search(source, match, named) ? match[1].str() : "x";
  return "target." + with_name(statement, name);
}

std::string call_in(const std::string& source, const std::string& name) {
  for (std::size_t at = source.find(name); at != std::string::npos; at = source.find(name, at + 1)) {
    const std::size_t open = source.find_first_not_of(' ', at + name.size());
    if ((at > 0 && of_a_word(source[at - 1])) || open == std::string::npos || source[open] != '(') continue;
    int depth = 0;
    for (std::size_t i = open; i < source.size(); ++i) {
      depth += (source[i] == '(') - (source[i] == ')');
      if (depth == 0) return name + source.substr(open, i + 1 - open);
    }
    return name + source.substr(open);
  }
  return "";
}

std::string renamed(const std::string& call, const std::string& name) {
  std::string text = name + call.substr(call.find('('));
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
    if (text[i] != '|' || depth != 1) continue;
    while (i > 0 && text[i - 1] == ' ') text.erase(--i, 1);
    text[i] = ',';
  }
  return text;
}

std::string in_place_of(const std::string& name, bool member, const std::string& source, const LanguageNames& names) {
  const auto as = [&](const std::string& other, const std::string& otherwise) {
    const std::string call = call_in(source, name);
    return call.empty() ? otherwise : renamed(call, other);
  };
  for (const char* suffix : {"_lpdf", "_lpmf", "_lupdf", "_lupmf", "_log", "_logpdf"})
    if (ends(name, suffix)) {
      const std::string distribution = name.substr(0, name.size() - std::string(suffix).size());
      if (names.is_distribution(distribution))
        return "write " + as(distribution, names.calls(distribution).front()) + ": distributions have no " + suffix +
               " and take commas alone";
    }
  if (ends(name, "_rng")) {
    const std::string distribution = name.substr(0, name.size() - 4), draws = names.draws(distribution);
    if (!draws.empty())
      return "write target.predict(\"name\", " + as(distribution + "_distribution", draws) +
             "), which draws from a distribution";
  }
  const bool called = !call_in(source, name).empty();
  if (const auto type = types().find(name); type != types().end() && !called) {
    return "write " + with_name(member ? type->second.data + ", and read it in data()"
                                       : "auto $ = target." + type->second.parameter,
                                declared_name(source));
  }
  if (const auto other = functions().find(name); other != functions().end()) return other->second;
  return "";
}

std::string in_place_of_line(const std::string& source, const LanguageNames& names) {
  static const std::regex tilde(R"(([\w.\[\]]+(?:\([^()]*\))?)\s*~\s*(\w+)\s*\((.*)\)\s*;?)"),
      arrow(R"(^\s*(\w+)\s*<-\s)"), loop_in(R"(\bfor\s*\(\s*\w+\s+in\b)"),
      bar(R"((\w+)\s*\([^()|]*(\([^()]*\)[^()|]*)*\|[^|])"),
      bounded(R"(\b(real|int|vector|array|matrix|row_vector)\s*<\s*(lower|upper|offset|multiplier)\s*=)"),
      condition(R"(^\s*(if|while)\s+(?!constexpr\b|consteval\b)[^(\s])"), slice(R"(\[\s*[\w.]*\s*:\s*[\w.]*\s*\])");
  std::smatch match;
  if (std::regex_search(source, match, tilde)) {
    const std::string name = match[2], rest = match[3];
    const std::string call = names.is_distribution(name) || in_place_of(name, false, "", names).empty() ? name : "NAME";
    return fmt::format("write target += {}({}{}{}); in the place of ~", call, match[1].str(), rest.empty() ? "" : ", ",
                       rest);
  }
  if (std::regex_search(source, match, loop_in))
    return "write for (int j = 0; j < N.value(); ++j), or target.observe(\"y\", N, body) for rows of data";
  if (std::regex_search(source, match, arrow))
    return fmt::format("write auto {} = ... in the place of <-", match[1].str());
  if (std::regex_search(source, match, bounded))
    return match[1] == "int"
               ? "write manychain::Size<> N; in the class, and in(\"N\", N, manychain::lower(1)) in data()"
               : "write auto x = target.real(\"x\", manychain::lower(0)) of a parameter, and "
                 "manychain::lower(0) in data() of data";
  if (std::regex_search(source, match, bar)) {
    const std::string name = match[1], call = call_in(source, name);
    const std::string known = in_place_of(name, false, source, names);
    if (!known.empty()) return known;
    if (!names.calls(name).empty() && !call.empty())
      return fmt::format("write {}: arguments are separated by commas alone", renamed(call, name));
  }
  if (source.find("%*%") != std::string::npos) return "write X * beta in the place of X %*% beta";
  if (std::regex_search(source, condition)) return "a condition stands in brackets: write if (n > 0), while (n > 0)";
  if (std::regex_search(source, slice))
    return "write segment(v, first, n), with elements counted from 0, in the place of v[a:b]; a whole vector needs no "
           "index";
  return "";
}

}  // namespace manychain::own_model
