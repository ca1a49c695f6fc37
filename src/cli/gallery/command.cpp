// manychain gallery: the list of entries, one of them, or all.
#include "gallery/gallery.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/setting_options.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"
#include "run/setting_names.hpp"
#include "text/suggest.hpp"

namespace manychain::cli {
namespace {

using gallery::Entry;
using gallery::GalleryOptions;
using gallery::Report;

struct Options {
  std::string name;
  bool all = false;
  Settings settings;  // of which the options of this command are taken
  GalleryOptions gallery;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int list() {
  std::size_t width = 0;
  for (const Entry& entry : gallery::entries()) width = std::max(width, std::string(entry.name).size());
  for (const char* chapter : gallery::chapters) {
    say(stdout, "{}\n", chapter);
    for (const Entry& entry : gallery::entries()) {
      if (std::string_view(entry.chapter) == chapter) say(stdout, "  {:<{}}  {}\n", entry.name, width, entry.title);
    }
  }
  return success;
}

int run_one(const Entry& entry, const Options& options) {
  say(stdout, "manychain {}: {}\n  {}\n {}\n\n", version, entry.title, entry.chapter,
      options_of(options.settings, {"seed", "backend", "precision"}));
  std::fflush(stdout);
  const Report report = entry.run(options.gallery);
  say(stdout, "{}", gallery::to_text(report));
  return report.passed() ? success : disagrees;
}

/// A line each. An entry that cannot run does not keep the others from running.
int run_all(const GalleryOptions& options) {
  std::size_t width = 0, wrong = 0, broken = 0, checks = 0;
  for (const Entry& entry : gallery::entries()) width = std::max(width, std::string(entry.name).size());
  for (const Entry& entry : gallery::entries()) {
    const auto begin = std::chrono::steady_clock::now();
    std::string verdict;
    try {
      const Report report = entry.run(options);
      const auto agree =
          std::count_if(report.checks.begin(), report.checks.end(), [](const auto& c) { return c.passed; });
      checks += report.checks.size();
      wrong += !report.passed();
      verdict =
          fmt::format("{}  {:>2} of {:>2} agree", report.passed() ? "right" : "WRONG", agree, report.checks.size());
    } catch (const Error& error) {
      ++broken;
      verdict = fmt::format("FAILED  {}", sentence(error.what()));
    }
    say(stdout, "{:<{}}  {:>6.2f} s  {}\n", entry.name, width, seconds_since(begin), verdict);
    std::fflush(stdout);
  }
  const std::size_t count = gallery::entries().size();
  if (wrong + broken == 0) {
    say(stdout, "\nRight: {} entries, {} answers.\n", count, checks);
  } else {
    say(stdout, "\nWrong: of {} entries {} disagree and {} failed.\n", count, wrong, broken);
  }
  return broken > 0 ? failed : wrong > 0 ? disagrees : success;
}

int run(Options& options) {
  end_with_reader();
  options.gallery.seed = options.settings.seed;
  options.gallery.backend = options.settings.backend;
  options.gallery.precision = options.settings.precision;
  options.gallery.threads = options.settings.threads;
  if (options.all && !options.name.empty()) throw BadInput("give --all or one entry, not both");
  if (options.all) return run_all(options.gallery);
  if (options.name.empty()) return list();
  std::vector<std::string> names;
  for (const Entry& entry : gallery::entries()) {
    if (entry.name == options.name) return run_one(entry, options);
    names.push_back(entry.name);
  }
  throw BadInput(fmt::format("unknown entry {}{}; manychain gallery lists what there is", options.name,
                             did_you_mean(options.name, names)));
}

}  // namespace

Command gallery_command(CLI::App& parent) {
  const auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand("gallery", "Problems with known answers, solved: list them, or run one");
  app->add_option("NAME", options->name, "An entry; default: list them");
  app->add_flag("--all", options->all, "Run all entries, a line each");
  app->add_flag("--quick", options->gallery.quick, "A tenth of the draws");
  options->settings.seed = options->gallery.seed;
  options->settings.precision = Precision::single_precision;
  add_setting(*app, options->settings, "seed")->description("Seed of all random numbers");
  add_setting(*app, options->settings, "backend")->description("Where chains run: auto, cpu or cuda");
  add_setting(*app, options->settings, "precision")->description("Of chains: single or double");
  add_setting(*app, options->settings, "threads");
  app->footer(
      "Exit status: 0 if what came out agrees with what is known, within 6.22 standard errors where it is an\n"
      "estimate; 5 if not; 3 if a run failed; 2 for a bad command line.");
  return {app, [options] { return run(*options); }};
}

}  // namespace manychain::cli
