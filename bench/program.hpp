// The handling of the command line, and of errors, in the programs of the benchmark.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "manychain/core/error.hpp"
#include "run/setting_names.hpp"

namespace manychain::bench {

/// 0 or what `work()` returns, 2 for what the user got wrong, 3 for any other error: both said, with `name` first.
template <class Work>
int run_program(CLI::App& app, const char* name, int argc, char** argv, const Work& work) {
  const auto fail = [&](const std::string& message, int status) {
    fmt::print(stderr, "{}: {}\n", name, message);
    return status;
  };
  try {
    app.parse(argc, argv);
    return work();
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), 2);
  } catch (const BadInput& error) {
    return fail(with_options(error.what()), 2);
  } catch (const std::exception& error) {
    return fail(with_options(error.what()), 3);
  }
}

}  // namespace manychain::bench
