#include "report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "manychain_commit.hpp"

namespace manychain::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name") && line.find(':') != std::string::npos) return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

std::string cuda_name() {
  Settings settings;
  settings.chains = 1;
  settings.sampling.draws = 1;
  return make_cuda_engine(benchmark_model("banana"), settings)->device();
}

const char* precision_name(Precision precision) {
  return precision == Precision::single_precision ? "single" : "double";
}

/// 12.3 M, for people.
std::string short_number(double x) {
  if (x >= 1e12) return fmt::format("{:.3g} T", x * 1e-12);
  if (x >= 1e9) return fmt::format("{:.3g} G", x * 1e-9);
  if (x >= 1e6) return fmt::format("{:.3g} M", x * 1e-6);
  if (x >= 1e3) return fmt::format("{:.3g} k", x * 1e-3);
  return fmt::format("{:.3g}", x);
}

Json json_of(const Figure& f, const Options& options) {
  const bool summary = f.what.kind == Kind::summary;
  const bool rate = !summary && f.what.kind != Kind::cold_start;
  Json j = {{"name", f.what.name()},
            {"sampler", summary ? Json() : Json(f.what.sampler)},
            {"model", summary ? Json() : Json(f.what.model)},
            {"backend", options.backend == Backend::cuda ? "cuda" : "cpu"},
            {"precision", precision_name(options.precision)},
            {"chains", f.what.chains},
            {"transitions_per_second", rate ? Json(f.transitions_per_second) : Json()},
            {"gradients_per_second", f.gradients_per_second > 0 ? Json(f.gradients_per_second) : Json()},
            {"min_ess_bulk_per_second", f.min_ess_bulk_per_second ? Json(*f.min_ess_bulk_per_second) : Json()},
            {"bound", rate ? Json(f.bound) : Json()},
            {"bound_share", rate ? Json(f.transitions_per_second / f.bound) : Json()}};
  if (rate) j["bound_by"] = f.bound_by;
  if (!f.seconds.empty()) j["seconds"] = f.seconds;
  if (summary) {
    j["draws"] = f.what.draws;
    j["dimensions"] = f.what.dimensions;
    j["bytes_per_second"] = f.bytes_per_second;
    j["memory_share"] = std::isnan(f.memory_share) ? Json() : Json(f.memory_share);
  }
  return j;
}

Json json_of(const BiasFigure& f) {
  const auto gradients = [](const std::optional<double>& count) { return count ? Json(*count) : Json(); };
  return {{"name", f.what.name()},
          {"target", f.what.target},
          {"chains", f.what.chains},
          {"dimension", f.dimension},
          {"limit", bias_limit},
          {"gradients_to_first", gradients(f.gradients.first)},
          {"gradients_to_for_good", gradients(f.gradients.for_good)},
          {"gradients_of_paths", f.of_paths},
          {"gradients_of_warmup", f.of_warmup},
          {"gradients_watched", f.watched},
          {"mean_squared_bias_times_chains", f.mean_times_chains},
          {"largest_squared_bias_of_sampling", f.largest_sampling},
          {"moments", f.source}};
}

}  // namespace

Context context_of(const Options& options, const Peak& peak) {
  Context context;
  context.peak = peak;
  context.compiler = MANYCHAIN_COMPILER;
  context.commit = MANYCHAIN_COMMIT;
  context.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  context.threads = options.threads;
  if (options.backend == Backend::cuda) {
    context.device = cuda_name();
    context.driver = cuda_driver();
    context.isa = "cuda";
  } else {
    utsname kernel{};
    uname(&kernel);
    context.device = cpu_name();
    context.driver = std::string(kernel.sysname) + " " + kernel.release;
    context.isa = chain_isa() + (options.scalar ? ", scalar" : "");
  }
  return context;
}

void print_context(const Context& c, const Options& options) {
  fmt::print("{}, {}, {} {}, {}, {} precision, commit {}\n", c.device, c.driver, c.threads,
             c.threads == 1 ? "thread" : "threads", c.isa, precision_name(options.precision), c.commit);
  fmt::print("Peak, measured: {}multiply-adds/s, {}B/s read and written\n", short_number(c.peak.multiply_adds),
             short_number(c.peak.bytes));
}

void print_heading(Kind kind) {
  if (kind == Kind::throughput)
    fmt::print("\nThroughput: tuning given, nothing recorded; {:>46}\n{:<40} {:>14} {:>12} {:>8} {:>12} {:>7}\n", "",
               "sampler/model/chains", "transitions/s", "gradients/s", "accepted", "bound", "share");
  else if (kind == Kind::end_to_end)
    fmt::print("\nEnd to end, with warm-up and diagnostics\n{:<48} {:>8} {:>8} {:>8} {:>8} {:>12} {:>7}\n",
               "sampler/model/chains x (warm-up + draws)", "total s", "warm-up", "sampling", "diagn.", "min ESS/s",
               "share");
  else if (kind == Kind::summary)
    fmt::print("\nThe summary of a run's draws\n{:<48} {:>8} {:>14} {:>12}\n", "chains x draws x dimensions", "seconds",
               "bytes read/s", "memory/draws");
  else
    fmt::print("\nCold start: from the start of a new process to the first draw, no warm-up\n");
}

void print_figure(const Figure& f) {
  const std::string name = f.what.name();
  const double share = f.bound > 0 ? f.transitions_per_second / f.bound : 0;
  if (f.what.kind == Kind::throughput) {
    fmt::print("{:<40} {:>14} {:>12} {:>8.2f} {:>12} {:>7.3f}\n", name, short_number(f.transitions_per_second),
               f.gradients_per_second > 0 ? short_number(f.gradients_per_second) : "-", f.acceptance_rate,
               short_number(f.bound), share);
  } else if (f.what.kind == Kind::end_to_end) {
    fmt::print("{:<48} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>12} {:>7.3f}{}\n", name.substr(name.find('/') + 1),
               f.seconds.at("total"), f.seconds.at("warmup"), f.seconds.at("sampling"), f.seconds.at("diagnostics"),
               short_number(*f.min_ess_bulk_per_second), share, f.converged ? "" : "  not converged");
  } else if (f.what.kind == Kind::summary) {
    fmt::print("{:<48} {:>8.3f} {:>14} {:>12.2f}\n", name.substr(name.find('/') + 1), f.seconds.at("summary"),
               short_number(f.bytes_per_second), f.memory_share);
  } else {
    fmt::print("{:<48} {:>8.3f} s\n", name.substr(name.find('/') + 1), f.seconds.at("first_draw"));
  }
  std::fflush(stdout);
}

void print_comparison(const Comparison& c) {
  fmt::print("{}\n    {} {} {}, {} {} {}: ratio {:.2f} ({:.2f} to {:.2f}){}\n", c.name, c.a, short_number(c.rate_a),
             c.unit, c.b, short_number(c.rate_b), c.unit, c.ratio, c.low, c.high,
             c.target > 0 ? fmt::format("; asked for: {}, {}", c.target, c.ratio >= c.target ? "met" : "MISSED") : "");
  std::fflush(stdout);
}

void write_json(const std::string& path, const Context& c, const Options& options, const std::vector<Figure>& figures,
                const std::vector<Comparison>& comparisons, const std::vector<BiasFigure>& biases) {
  Json document;
  document["context"] = {{"device", c.device},
                         {"driver", c.driver},
                         {"compiler", c.compiler},
                         {"commit", c.commit},
                         {"threads", c.threads},
                         {"isa", c.isa},
                         {"date", c.date},
                         {"peak_multiply_adds_per_second", c.peak.multiply_adds},
                         {"peak_bytes_per_second", c.peak.bytes}};
  document["results"] = Json::array();
  for (const Figure& f : figures) document["results"].push_back(json_of(f, options));
  for (const Comparison& x : comparisons)
    document["comparisons"].push_back({{"name", x.name},
                                       {"ratio", x.ratio},
                                       {"quartiles", {x.low, x.high}},
                                       {"target", x.target > 0 ? Json(x.target) : Json()},
                                       {x.a, x.rate_a},
                                       {x.b, x.rate_b},
                                       {"unit", x.unit}});
  for (const BiasFigure& f : biases) document["biases"].push_back(json_of(f));
  std::ofstream out(path);
  out << document.dump(2) << '\n';
  if (!out.flush()) throw BadInput(path + ": cannot be written");
}

}  // namespace manychain::bench
