// manychain check: is the gradient of a model right?
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/files.hpp"

namespace manychain::cli {

Command check_command(CLI::App& parent) {
  struct Options {
    std::string model;
    std::vector<std::string> data;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* app = add_command(parent, "check", "Compare a model's gradient with finite differences, in double");
  add_option(*app, "MODEL", options->model, "Name of a built-in model (manychain models lists them)");
  add_list(*app, "--data", options->data, data_help, "FILE");
  add_footer(
      *app,
      "Exit status: 0 if the gradient is right, 3 if it is wrong or rounding hides whether it is, 2 for a bad command "
      "line or bad data.");
  return {app, [options] {
            const Model model = load_model(options->model, options->data);
            const GradientCheck check = check_gradient(model);
            say(stdout, "{}: the gradient of {} (dimension {}) at {} random points, uniform(-2, 2), in double\n",
                check.passed       ? "Right"
                : check.conclusive ? "WRONG"
                                   : "Cannot tell",
                model.name(), model.layout().dimension, check.points);
            say(stdout, "  worst parameter    {}\n", check.worst_parameter);
            say(stdout, "  gradient           {:.10g}\n", check.gradient);
            say(stdout, "  finite difference  {:.10g}\n", check.finite_difference);
            say(stdout, "  error              {:.2e} (allowed: {:.2e})\n", check.worst_error, check.tolerance);
            if (!check.conclusive)
              say(stdout,
                  "Nothing wrong was seen, but rounding of the log density would have hidden an error of 1e-4.\n");
            return check.passed ? success : failed;
          }};
}

}  // namespace manychain::cli
