#include "run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>

#include "io/read_reference.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/result.hpp"
#include "run/setting_names.hpp"

extern char** environ;

namespace manychain::posteriors {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// NaN, which JSON does not have, becomes null and comes back.
double number(const Json& j) { return j.is_number() ? j.get<double>() : NAN; }

/// The larger; NaN if either is: it must never look like an agreement.
double worse(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }

void compare(const Result& result, const std::vector<Reference>& references, Outcome& outcome) {
  std::map<std::string, const VariableSummary*> rows;
  for (const SummaryRow& row : result.summary) rows[row.name] = &row.statistics;
  for (const Reference& reference : references) {
    const auto row = rows.find(reference.name);
    if (row == rows.end()) throw BadInput("the model has no " + reference.name + ", of which there is a reference");
    const VariableSummary& of = *row->second;
    const double error = of.mean - reference.mean;
    outcome.quantities.push_back(
        {reference.name, error / std::hypot(of.mcse_mean, reference.mcse_mean), error / reference.sd,
         (of.sd - reference.sd) / std::hypot(of.mcse_sd, reference.mcse_sd), of.sd / reference.sd - 1});
    const double mean = std::fabs(outcome.quantities.back().mean_z);
    const double sd = std::fabs(outcome.quantities.back().sd_error);
    if (!(mean <= outcome.worst_mean)) outcome.worst_mean_of = reference.name;
    if (!(sd <= outcome.worst_sd)) outcome.worst_sd_of = reference.name;
    outcome.worst_mean = worse(outcome.worst_mean, mean);
    outcome.worst_sd = worse(outcome.worst_sd, sd);
  }
  outcome.means_agree = outcome.worst_mean < allowed_mean;
  outcome.sds_agree = outcome.worst_sd < allowed_sd;
}

}  // namespace

Outcome run_here(const Posterior& posterior, const Source& source, const Settings& settings) {
  Outcome outcome;
  outcome.seed = settings.seed;
  try {
    const Model model = posterior.bind(Data::from_file(source.data(posterior)));
    const Result result = sample(model, settings);
    outcome.min_ess_bulk = outcome.min_ess_tail = INFINITY;
    for (const SummaryRow& row : result.summary) {
      outcome.worst_nested_rhat = worse(outcome.worst_nested_rhat, row.statistics.rhat_nested);
      outcome.min_ess_bulk = smaller(outcome.min_ess_bulk, row.statistics.ess_bulk);
      outcome.min_ess_tail = smaller(outcome.min_ess_tail, row.statistics.ess_tail);
    }
    outcome.converged = result.converged && outcome.min_ess_tail > asked_ess;
    outcome.gradients = static_cast<double>(result.gradients) / static_cast<double>(result.settings.chains);
    outcome.gradients_per_second =
        static_cast<double>(result.gradients) / (result.seconds.warmup + result.seconds.sampling);
    outcome.divergences = result.sampling.divergences;
    const diagnostics::Verdict verdict = result.verdict();
    outcome.problems = verdict.texts(diagnostics::Severity::failure);
    outcome.warnings = verdict.texts(diagnostics::Severity::warning);
    compare(result, io::read_reference({source.reference(posterior)}), outcome);
  } catch (const std::exception& error) {
    outcome.converged = false;
    outcome.error = with_options(error.what());
  }
  return outcome;
}

void write_outcome(const Outcome& outcome) {
  Json quantities = Json::array();
  for (const Compared& q : outcome.quantities) quantities.push_back({q.of, q.mean_z, q.mean_error, q.sd_z, q.sd_error});
  const Json j = {{"seed", outcome.seed},
                  {"error", outcome.error},
                  {"converged", outcome.converged},
                  {"means_agree", outcome.means_agree},
                  {"sds_agree", outcome.sds_agree},
                  {"worst_nested_rhat", outcome.worst_nested_rhat},
                  {"min_ess_bulk", outcome.min_ess_bulk},
                  {"min_ess_tail", outcome.min_ess_tail},
                  {"gradients", outcome.gradients},
                  {"gradients_per_second", outcome.gradients_per_second},
                  {"divergences", outcome.divergences},
                  {"worst_mean", outcome.worst_mean},
                  {"worst_mean_of", outcome.worst_mean_of},
                  {"worst_sd", outcome.worst_sd},
                  {"worst_sd_of", outcome.worst_sd_of},
                  {"problems", outcome.problems},
                  {"warnings", outcome.warnings},
                  {"quantities", quantities}};
  const std::string text = j.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

Outcome run_in_new_process(std::vector<std::string> words, std::uint64_t seed, double limit) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw SamplingFailed(std::string("no pipe to a new process: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  const Clock::time_point start = Clock::now();
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  bool timed_out = false;
  if (!failed) {
    char bytes[4096];
    pollfd readable{ends[0], POLLIN, 0};
    for (;;) {
      const double left = limit - std::chrono::duration<double>(Clock::now() - start).count();
      const int ready = poll(&readable, 1, limit > 0 ? static_cast<int>(std::clamp(1000 * left, 0.0, 1e9)) : -1);
      if (ready < 0 && errno == EINTR) continue;
      timed_out = ready == 0 && left <= 0;
      if (timed_out) kill(child, SIGKILL);
      if (ready < 0 || timed_out) break;
      if (ready == 0) continue;
      const ssize_t n = read(ends[0], bytes, sizeof(bytes));
      if (n == 0 || (n < 0 && errno != EINTR)) break;
      if (n > 0) text.append(bytes, static_cast<std::size_t>(n));
    }
  }
  close(ends[0]);
  int status = 0;
  if (failed) throw SamplingFailed(std::string("no new process: ") + std::strerror(failed));
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();

  Outcome outcome;
  outcome.seed = seed;
  outcome.seconds = seconds;
  if (timed_out) {
    outcome.error = fmt::format("the run took longer than {:.0f} s", limit);
    return outcome;
  }
  const Json j = Json::parse(text, nullptr, false);
  if (!j.is_object()) {
    outcome.error = WIFSIGNALED(status) ? std::string("the process crashed: ") + strsignal(WTERMSIG(status))
                                        : "the process ended with status " + std::to_string(WEXITSTATUS(status));
    return outcome;
  }
  outcome.error = j["error"];
  outcome.converged = j["converged"];
  outcome.means_agree = j["means_agree"];
  outcome.sds_agree = j["sds_agree"];
  outcome.worst_nested_rhat = number(j["worst_nested_rhat"]);
  outcome.min_ess_bulk = number(j["min_ess_bulk"]);
  outcome.min_ess_tail = number(j["min_ess_tail"]);
  outcome.gradients = number(j["gradients"]);
  outcome.gradients_per_second = number(j["gradients_per_second"]);
  outcome.divergences = j["divergences"];
  outcome.worst_mean = number(j["worst_mean"]);
  outcome.worst_mean_of = j["worst_mean_of"];
  outcome.worst_sd = number(j["worst_sd"]);
  outcome.worst_sd_of = j["worst_sd_of"];
  outcome.problems = j["problems"];
  outcome.warnings = j["warnings"];
  for (const Json& q : j["quantities"])
    outcome.quantities.push_back({q[0], number(q[1]), number(q[2]), number(q[3]), number(q[4])});
  return outcome;
}

}  // namespace manychain::posteriors
