// check_model(): what is right passes; a wrong Jacobian, a wrong derivative of one statement or of one row, a row that
// is no number and a precision that differs are found and named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "manychain/manychain.hpp"
#include "unit/run/mistaken.hpp"

namespace manychain {
namespace {

constexpr std::size_t n = 40;

struct Mistakes {
  int jacobian = 0, reverse = 0, statement = 0, unused = 0, outside = 0;
  std::size_t wrong_row = n, bad_row = n;  // n: none
};
Model mistaken(const Mistakes& mistakes) {
  Data data;
  std::vector<double> y, slope(n, 0.0), positive(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) y.push_back(std::sin(static_cast<double>(i * i)));
  if (mistakes.wrong_row < n) slope[mistakes.wrong_row] = 1;
  if (mistakes.bad_row < n) positive[mistakes.bad_row] = -1;
  data.set("N", n);
  data.set("jacobian", mistakes.jacobian);
  data.set("reverse", mistakes.reverse);
  data.set("statement", mistakes.statement);
  data.set("unused", mistakes.unused);
  data.set("outside", mistakes.outside);
  data.set("y", y);
  data.set("slope", slope);
  data.set("positive", positive);
  return model<Mistaken>(data);
}

TEST(ModelCheck, a_right_model_passes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ModelCheck check = check_model(mistaken({}), 20, seed);
    EXPECT_TRUE(check.passed) << check.table();
    EXPECT_TRUE(check.has_gradient);
    EXPECT_TRUE(check.gradient.worst_term.empty());
    EXPECT_TRUE(check.unused.empty());
    EXPECT_TRUE(check.nonfinite.outside_statement.empty());
    EXPECT_EQ(check.jacobians.compared, 2u);
    EXPECT_EQ(check.jacobians.left_out, 0u);
    EXPECT_LT(check.jacobians.error, 1e-9);
    EXPECT_TRUE(check.single.made);
    EXPECT_LT(check.single.log_density_error, 1e-5);
    EXPECT_GT(check.single.log_density_error, 0);  // it is another precision
    EXPECT_NE(check.table().find("Right: model mistaken (dimension 4)"), std::string::npos) << check.table();
  }
}

TEST(ModelCheck, built_in_models_pass) {
  for (const ModelInfo& info : builtin_models()) {
    const ModelCheck check = check_model(builtin_model(info.name));
    EXPECT_TRUE(check.passed) << check.table();
    EXPECT_TRUE(check.precision.enough) << check.table();
    EXPECT_TRUE(check.unused.empty()) << check.table();
    EXPECT_EQ(check.table().find("declare the parameter"), std::string::npos) << check.table();
  }
}

TEST(ModelCheck, a_wrong_jacobian_is_named) {
  const ModelCheck check = check_model(mistaken({.jacobian = 1}));
  EXPECT_FALSE(check.passed);
  EXPECT_TRUE(check.gradient.passed) << check.table();  // which is the derivative of what the model adds
  EXPECT_FALSE(check.jacobians.passed);
  EXPECT_EQ(check.jacobians.worst_parameter, "tau");
  EXPECT_NEAR(check.jacobians.added, std::log(3.0), 1e-12);
  EXPECT_GT(check.jacobians.error, 0.5);
  EXPECT_NE(check.table().find("WRONG, worst of tau"), std::string::npos) << check.table();
}

TEST(ModelCheck, a_wrong_derivative_of_a_jacobian_is_named) {
  const ModelCheck check = check_model(mistaken({.reverse = 1}));
  EXPECT_FALSE(check.passed);
  EXPECT_TRUE(check.jacobians.passed) << check.table();
  EXPECT_EQ(check.gradient.worst_parameter, "tau");
  EXPECT_EQ(check.gradient.worst_term, "the Jacobian of tau");
  EXPECT_NEAR(check.gradient.term_gradient - check.gradient.term_difference, 0.1, 1e-8);
}

TEST(ModelCheck, the_statement_of_a_wrong_derivative_is_named) {
  const ModelCheck check = check_model(mistaken({.statement = 1}));
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.gradient.worst_parameter, "tau");
  EXPECT_EQ(check.gradient.worst_term, "statement 2 (target +=)");
  EXPECT_NEAR(check.gradient.term_gradient - check.gradient.term_difference, -0.5 * 0.01, 1e-8);
  EXPECT_TRUE(check.jacobians.passed);
}

TEST(ModelCheck, the_row_of_a_wrong_derivative_is_named) {
  for (const std::size_t row : {std::size_t{0}, std::size_t{17}, n - 1}) {
    const ModelCheck check = check_model(mistaken({.wrong_row = row}));
    EXPECT_FALSE(check.passed);
    EXPECT_EQ(check.gradient.worst_parameter, "mu");
    // Two terms a row.
    EXPECT_EQ(check.gradient.worst_term, "statement 4, observe(\"y\"), row " + std::to_string(row + 1)) << row;
    EXPECT_NEAR(check.gradient.term_gradient - check.gradient.term_difference, -0.1, 1e-8);
    EXPECT_NE(check.table().find("it comes from statement 4"), std::string::npos) << check.table();
  }
}

TEST(ModelCheck, the_row_that_is_no_number_is_named) {
  const Model model = mistaken({.bad_row = 22});
  const ModelCheck check = check_model(model);
  EXPECT_FALSE(check.passed);
  EXPECT_FALSE(check.has_gradient);
  EXPECT_EQ(check.nonfinite.not_a_number, 20u);
  EXPECT_EQ(check.nonfinite.term, "statement 4, observe(\"y\"), row 23");
  EXPECT_TRUE(std::isnan(check.nonfinite.value));
  EXPECT_NE(check.table().find("row 23 is nan"), std::string::npos) << check.table();
  try {
    check_gradient(model);
    FAIL();
  } catch (const SamplingFailed& error) {
    EXPECT_NE(std::string(error.what()).find("observe(\"y\"), row 23 is nan"), std::string::npos) << error.what();
  }
}

using Names = std::vector<std::string>;

TEST(ModelCheck, a_parameter_that_no_term_depends_on_is_named) {
  const ModelCheck whole = check_model(mistaken({.unused = 1}));
  EXPECT_EQ(whole.unused, (Names{"extra", "spread"}));  // along the other there is a Jacobian
  EXPECT_TRUE(whole.gradient.passed);
  EXPECT_NE(whole.table().find("no term depends on extra: its density is flat, and improper if extra is not bounded on "
                               "both sides"),
            std::string::npos)
      << whole.table();
  const ModelCheck elements = check_model(mistaken({.unused = 3}));
  EXPECT_EQ(elements.unused, (Names{"extra[1]", "extra[3]", "spread"}));
  EXPECT_EQ(nlohmann::json::parse(to_json(elements))["unused"], elements.unused);
}

// A gradient of zero at every point that was looked at does not say that no term depends on a parameter.
TEST(ModelCheck, a_flat_place_is_no_unused_parameter) {
  CompiledDensity density;
  density.dimension = 2;
  density.parameters = {"a", "b"};
  density.value_and_gradient = [](const double* q, double* gradient) {
    const double beyond = std::max(0.0, std::fabs(q[0]) - 2);
    gradient[0] = q[0] > 0 ? -beyond : beyond;
    gradient[1] = 0;
    return -beyond * beyond / 2;
  };
  EXPECT_EQ(check_model(Model(density)).unused, Names{"b"});
}

TEST(ModelCheck, the_statement_that_ends_the_support_is_named) {
  const ModelCheck check = check_model(mistaken({.outside = 1}));
  EXPECT_TRUE(check.passed) << check.table();
  EXPECT_GT(check.nonfinite.outside, 2u);
  EXPECT_EQ(check.nonfinite.outside_times, check.nonfinite.outside);
  EXPECT_EQ(check.nonfinite.outside_statement, "statement 5 (target +=)");
  EXPECT_NE(check.table().find("statement 5 (target +=) is -inf at " + std::to_string(check.nonfinite.outside) +
                               " of 20 points: declare the parameter that it is a density of with lower(), upper() or "
                               "interval(), if it lacks that"),
            std::string::npos)
      << check.table();
}

// Whatever the sign bit of the NaN.
TEST(NoStart, names_the_first_term_that_is_not_finite) {
  Settings settings;
  settings.sampler = "mala";
  settings.backend = Backend::cpu;
  const auto message_of = [&](const Model& model) -> std::string {
    try {
      sample(model, settings);
    } catch (const SamplingFailed& error) {
      return error.what();
    }
    return "";
  };
  const std::string message = message_of(mistaken({.bad_row = 22}));
  EXPECT_NE(message.find("log density is nan at the starting point of chain 0"), std::string::npos) << message;
  EXPECT_NE(message.find("chains found no starting point; the first term that is not finite there is statement 4, "
                         "observe(\"y\"), row 23, nan; manychain check looks closer"),
            std::string::npos)
      << message;
  CompiledDensity density;
  density.dimension = 1;
  density.value_and_gradient = [](const double*, double* gradient) {
    return gradient[0] = std::copysign(std::numeric_limits<double>::quiet_NaN(), -1.0);
  };
  const std::string foreign = message_of(Model(density));
  EXPECT_NE(foreign.find("log density is nan"), std::string::npos) << foreign;
  EXPECT_NE(foreign.find("found no starting point; manychain check looks closer"), std::string::npos) << foreign;
}

TEST(ModelCheck, what_was_found_as_json) {
  const auto json = nlohmann::json::parse(to_json(check_model(mistaken({.wrong_row = 3}))));
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["gradient"]["passed"], false);
  EXPECT_EQ(json["gradient"]["worst_term"], "statement 4, observe(\"y\"), row 4");
  EXPECT_EQ(json["jacobians"]["passed"], true);
  EXPECT_EQ(json["single"]["made"], true);
  EXPECT_EQ(json["points"]["number"], 20);
  EXPECT_TRUE(json["notes"].is_array() && json["notes"].empty());
}

}  // namespace
}  // namespace manychain
