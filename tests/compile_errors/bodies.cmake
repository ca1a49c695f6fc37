# Bodies of log_density() that the language of models does not have, each with the sentence that refuses it:
# refused_body(NAME KIND SENTENCE BODY). KIND.hpp.in is the model around it: vector has a vector of data, rows has rows of
# data.

refused_body(arithmetic_of_index rows "with `auto j` the index is opaque" [==[
    auto mu = target.real("mu");
    auto alpha = target.vector("alpha", N);
    target += normal(mu, 0, 1) + normal(alpha[0], 0, 1);
    target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], alpha[2 * j], 1); });
]==])

refused_body(assigned_let vector "is not copied, moved or assigned" [==[
    auto mu = target.real("mu");
    auto scale = let(exp(mu));
    scale = let(exp(mu));
    target += normal(y, mu, scale);
]==])

refused_body(branch_on_index rows "with `auto j` the index is opaque" [==[
    auto mu = target.real("mu");
    auto alpha = target.vector("alpha", N);
    target += normal(mu, 0, 1) + normal(alpha[0], 0, 1);
    target.observe("y", N, [&](auto j, auto& term) {
      if (j > 0) term += normal(y[j], y[j - 1] * mu, 1);
    });
]==])

refused_body(branch_on_parameter vector "no branch on a parameter" [==[
    auto mu = target.real("mu");
    while (!mu) target += normal(y, mu, 1);
]==])

refused_body(branch_on_rows rows "takes several rows at once and cannot branch on data" [==[
    auto mu = target.real("mu");
    auto alpha = target.vector("alpha", J);
    target += normal(mu, 0, 1) + normal(alpha[0], 0, 1);
    target.observe("y", N, [&](auto j, auto& term) {
      if (y[j] > 0) term += normal(y[j], mu, 1);
    });
]==])

refused_body(branch_on_value vector "no branch on what differs from chain to chain" [==[
    auto mu = target.real("mu");
    if (value(mu) > 0) target += normal(y, mu, 1);
]==])

refused_body(captured_by_value vector "is not copied, moved or assigned" [==[
    auto tau = target.real("tau", manychain::lower(0));
    target.observe("y", J, [=, this](auto j, auto& term) { term += normal(y[j], 0, tau); });
]==])

refused_body(comparison vector "no comparison of parameters" [==[
    auto mu = target.real("mu");
    if (mu > 0) target += normal(mu, 0, 1);
    target += normal(y, mu, 1);
]==])

refused_body(conditional_expression vector "write select(" [==[
    auto mu = target.real("mu");
    target += normal(y, mu < 0 ? -mu : mu, 1);
]==])

refused_body(copied_let vector "is not copied, moved or assigned" [==[
    auto mu = target.real("mu");
    auto scale = let(exp(mu));
    auto copy = scale;
    target += normal(y, mu, copy);
]==])

refused_body(copied_vector vector "is not copied, moved or assigned" [==[
    auto p = target.simplex("p", J);
    auto q = p;
    target += normal(y, q, 1);
]==])

refused_body(expression_as_double vector "name it with auto" [==[
    auto mu = target.real("mu");
    const double eta = 2 * mu + 1;
    target += normal(y, eta, 1);
]==])

refused_body(function_of_doubles vector "what is lacking is made with elementary()" [==[
    auto mu = target.real("mu");
    target += normal(y, sinh(mu), 1);
]==])

refused_body(index_as_number rows "with `auto j` the index is opaque" [==[
    auto mu = target.real("mu");
    auto alpha = target.vector("alpha", N);
    target += normal(mu, 0, 1) + normal(alpha[0], 0, 1);
    target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], mu * j, 1); });
]==])

refused_body(index_of_parameter rows "neither other data nor parameters can be one" [==[
    auto mu = target.real("mu");
    auto alpha = target.vector("alpha", J);
    target += normal(mu, 0, 1) + normal(alpha[0], 0, 1);
    target += normal(alpha[mu], 0, 1);
]==])

refused_body(index_of_real_data rows "an index must be a whole number" [==[
    auto mu = target.real("mu");
    auto alpha = target.vector("alpha", J);
    target += normal(mu, 0, 1) + normal(alpha[0], 0, 1);
    target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], alpha[x[j]], 1); });
]==])

refused_body(let_of_vector vector "a vector needs working memory: write auto eta = target.let(alpha + beta * x)" [==[
    auto beta = target.vector("beta", J);
    auto eta = let(beta * 2.0);
    target += normal(y, eta, 1);
]==])

refused_body(loop_over_rows rows "write [&](int j, auto& term), which takes one row at a time" [==[
    auto mu = target.real("mu");
    auto alpha = target.vector("alpha", J);
    target += normal(mu, 0, 1) + normal(alpha[0], 0, 1);
    target.observe("y", N, [&](auto j, auto& term) {
      for (int k = 0; k < county[j]; ++k) term += normal(y[j], mu, 1);
    });
]==])

refused_body(maximum vector "there is no max() or min() of parameters" [==[
    auto mu = target.real("mu");
    target += normal(y, max(mu, 0.0), 1);
]==])

refused_body(mixture_of_sums vector "a mixture of the densities of vectors is one of each element" [==[
    auto theta = target.real("theta", manychain::interval(0, 1));
    auto mu = target.real("mu");
    target += normal(mu, 0, 1);
    target += log_mix(theta, normal(y, mu, 1), normal(y, 0, 1));
]==])

refused_body(moved_let vector "is not copied, moved or assigned" [==[
    auto mu = target.real("mu");
    const auto scale_of = [](const auto& x) {
      auto scale = let(exp(x));
      return scale;
    };
    target += normal(y, mu, scale_of(mu));
]==])

refused_body(number_beside_rows vector "in observe() each row has a term, and beside the log density of a vector stands one number" [==[
    auto mu = target.real("mu");
    target.observe("y", normal(y, mu, 1) - normal(mu, 0, 1));
]==])

refused_body(number_variable vector "name it with auto" [==[
    Number mu = target.real("mu");
    target += normal(y, mu, 1);
]==])

refused_body(observed_vector vector "a term is a number" [==[
    auto mu = target.real("mu");
    target.observe("y", mu + y);
]==])

refused_body(outer_target vector "inside observe() and sum_over() add to what the body is given" [==[
    auto mu = target.real("mu");
    target.observe("y", J, [&](auto j, auto&) { target += normal(y[j], mu, 1); });
]==])

refused_body(power_of_vector vector "^ is no power here" [==[
    auto theta = target.vector("theta", J);
    target += normal(y, theta ^ 2, 1);
]==])

refused_body(power_operator vector "^ is no power here" [==[
    auto mu = target.real("mu");
    target += -(mu ^ 2) + normal(y, mu, 1);
]==])

refused_body(product_of_densities vector "the log density of a vector is added to another or to a number" [==[
    auto mu = target.real("mu");
    target += normal(y, mu, 1) * normal(y, 0, 2);
]==])

refused_body(remainder vector "there is no remainder" [==[
    auto z = target.integers("z", J, 0, 9);
    target += normal(y, z[0] % 2, 1);
]==])

refused_body(returned_term vector "what the body of observe() and sum_over() returns is lost" [==[
    auto mu = target.real("mu");
    target.observe("y", J, [&](auto j, auto&) { return normal(y[j], mu, 1); });
]==])

refused_body(running_sum vector "an expression does not change" [==[
    auto mu = target.real("mu");
    auto eta = mu + 1;
    for (int i = 0; i < 3; ++i) eta += mu;
    target += normal(y, eta, 1);
]==])

refused_body(std_exp vector "write exp(x), not std::exp(x)" [==[
    auto mu = target.real("mu");
    target += normal(y, std::exp(mu), 1);
]==])

refused_body(std_log_of_expression vector "write exp(x), not std::exp(x)" [==[
    auto tau = target.real("tau", manychain::lower(0));
    target += normal(y, std::log(1 + square(tau)), 1);
]==])

refused_body(std_pow vector "write exp(x), not std::exp(x)" [==[
    auto mu = target.real("mu");
    target += normal(y, std::pow(mu, 2), 1);
]==])

refused_body(sum_in_number vector "a plain number has no derivative" [==[
    auto theta = target.vector("theta", J);
    Number s = 0;
    for (int i = 0; i < J.value(); ++i) s += theta[i];
    target += normal(s, 0, 1);
]==])

refused_body(vector_as_term vector "a term is a number" [==[
    auto eta = target.vector("eta", J);
    target += eta;
    target += normal(y, 0, 1);
]==])

refused_body(vector_beside_density vector "the log density of a vector is added to another or to a number" [==[
    auto mu = target.real("mu");
    target += log(y) + normal(y, mu, 1);
]==])

refused_body(weights_of_a_number vector "a vector of weights belongs to rows" [==[
    auto mu = target.real("mu");
    target += y * (normal(y, mu, 1) + normal(mu, 0, 1));
]==])

refused_body(mixture_of_vectors vector "log_sum_exp() takes a vector of numbers" [==[
    auto mu = target.vector("mu", 2);
    target += log_sum_exp(manychain::vector_of(2, [&](int k) { return 0.5 * k + normal(y, mu[k], 1); }));
]==])

refused_body(multi_normal_in_expression vector "this log density is a statement of its own" [==[
    auto mu = target.vector("mu", J);
    auto L = target.cholesky_cov("L", J);
    target += log_sum_exp(manychain::vector_of(2, [&](int k) { return 0.5 * k + multi_normal_cholesky(y, mu, L); }));
]==])

refused_body(wishart_in_a_sum vector "this log density is a statement of its own" [==[
    auto mu = target.vector("mu", J);
    auto S = target.cov_matrix("S", J);
    target += normal(mu, 0, 1) + inv_wishart(S, 9, S);
]==])

refused_body(multi_normal_in_mixture vector "this log density is a statement of its own" [==[
    auto S = target.cov_matrix("S", J);
    target += log_mix(0.5, multi_normal(y, 0, S), -3);
]==])
