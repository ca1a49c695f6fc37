// The frame of a program of commands: parsing, suggestions, and what an error becomes.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"
#include "sampling/stored.hpp"
#include "text/suggest.hpp"

namespace manychain::cli {
namespace {

int refuse(const std::string& what, ExitStatus status) {
  say(stderr, "manychain: {}\n", sentence(what));
  return status;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// Throws for the first of the words, left over by `app`, that nobody asked for. Behind "--" there are no options, and
/// without `options` all of the words stand there.
void refuse_extras(const CLI::App& app, const std::vector<std::string>& words, const std::string& help,
                   bool options = true) {
  for (std::string word : words) {
    if (options && word == "--") {
      options = false;
      continue;
    }
    const bool option = options && word.size() > 1 && word[0] == '-';
    if (option) word = word.substr(0, word.find('='));
    const std::vector<std::string> names = option_names(app);
    const bool known = std::find(names.begin(), names.end(), word) != names.end();
    if (option && known) throw BadInput(fmt::format("{}: write it behind the command: {} {}", word, help, word));
    throw BadInput(fmt::format("{} {}{}; {} --help lists what there is",
                               option ? "unknown option" : "one word too many:", word,
                               option ? did_you_mean(word, names) : "", help));
  }
}

template <class Number>
void add_number(CLI::App& app, const char* name, Number& value, const char* help) {
  app.add_option(name, value, help)->capture_default_str()->type_name("N")->check(whole_number);
}

std::vector<std::string> given_line;

}  // namespace

const std::vector<std::string>& command_line() { return given_line; }

CLI::App* add_command(CLI::App& parent, const char* name, const char* description) {
  return parent.add_subcommand(name, description);
}

void add_option(CLI::App& app, const char* name, std::string& value, const char* help, const char* type) {
  CLI::Option* const option = app.add_option(name, value, help);
  if (type != nullptr) option->type_name(type);
}

void add_option(CLI::App& app, const char* name, std::vector<std::string>& values, const char* help) {
  app.add_option(name, values, help);
}

void add_list(CLI::App& app, const char* name, std::vector<std::string>& values, const char* help, const char* type) {
  app.add_option(name, values, help)
      ->type_name(type)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_option(CLI::App& app, const char* name, std::size_t& value, const char* help) {
  add_number(app, name, value, help);
}

void add_option(CLI::App& app, const char* name, int& value, const char* help) { add_number(app, name, value, help); }

void add_flag(CLI::App& app, const char* name, bool& value, const char* help) { app.add_flag(name, value, help); }

void add_footer(CLI::App& app, const std::string& text) { app.footer(text); }

void replace_option(CLI::App& app, const char* name, std::string& value, const char* help, const char* type) {
  app.remove_option(app.get_option(name));
  add_option(app, name, value, help, type);
}

void require_option(CLI::App& app, const char* name) { app.get_option(name)->required(); }

bool is_given(const CLI::App& app, const char* name) { return app.count(name) > 0; }
void hide_default(CLI::App& app, const char* name) { app.get_option(name)->default_str(""); }

namespace {

/// A standard stream that is closed must not be the next file that is opened. What is written to it fails, as before.
void keep_streams_apart() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int run_commands(int argc, const char* const* argv, const std::vector<CommandMaker>& makers, const ProgramName& name) {
  given_line.assign(argv, argv + argc);
  keep_streams_apart();
  outlive_readers();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, which has a sentence
  CLI::App app("Samples probability distributions with thousands of Markov chains at once.", name.name);
  app.set_version_flag("--version", std::string("manychain ") + version);
  app.footer("Try: " + name.example +
             "\nExit status: 0; 1 when a model does not pass its test; 2 for a bad command line or bad data; 3 when\n"
             "sampling failed or a file could not be written; 4 when draws have not converged (diagnose, sample\n"
             "--require-converged); 5 when the gallery disagrees; 130 when interrupted.");
  // Given twice, an option counts the last time, so that a script's own can be overruled.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::vector<Command> commands;
  for (const auto make : makers) commands.push_back(make(app));
  app.require_subcommand(0, 1);
  // Words that are left over are judged below, where a suggestion can be made.
  app.allow_extras();
  for (const Command& command : commands) command.app->allow_extras();

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);  // --help and --version
  } catch (const CLI::ParseError& error) {
    return refuse(error.what(), bad_input);
  }

  try {
    for (const Command& command : commands) {
      if (!command.app->parsed()) continue;
      const std::string help = name.name + " " + command.app->get_name();
      refuse_extras(*command.app, command.app->remaining(), help);
      // The parser leaves to `app` what stands before the command, and what stands behind "--" and has no place in it.
      const bool before = argc > 1 && argv[1] != command.app->get_name();
      refuse_extras(*command.app, app.remaining(), help, before);
      const int status = command.run();
      flush_stdout();
      return status;
    }
    const std::vector<std::string> words = app.remaining();
    if (!words.empty() && words[0][0] != '-') {
      std::vector<std::string> names;
      for (const Command& command : commands) names.push_back(command.app->get_name());
      throw BadInput(fmt::format("unknown command {}{}; there are {}", words[0], did_you_mean(words[0], names),
                                 fmt::join(names, ", ")));
    }
    refuse_extras(app, words, name.name);
    say(stderr, "{}", app.help());
    return refuse("give a command", bad_input);
  } catch (const BadInput& error) {
    return refuse(error.what(), bad_input);
  } catch (const std::bad_alloc&) {
    return refuse("there is not enough memory; take fewer chains or draws", bad_input);
  } catch (const std::length_error&) {
    return refuse("there is not enough memory; take fewer chains or draws", bad_input);
  } catch (const EndedEarly& error) {
    return refuse(error.what(), interrupted);
  } catch (const std::exception& error) {
    // Ctrl-C before the first draw leaves nothing to keep.
    return refuse(error.what(), InterruptGuard::requested ? interrupted : failed);
  }
}

int run_one_command(const char* name, int argc, const char* const* argv, Command (*command)(CLI::App&)) {
  std::vector<const char*> words = {"manychain", name};
  words.insert(words.end(), argv + 1, argv + argc);
  return run_commands(static_cast<int>(words.size()), words.data(), {command});
}

}  // namespace manychain::cli
