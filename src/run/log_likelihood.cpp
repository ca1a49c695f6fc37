#include "run/log_likelihood.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/available_memory.hpp"
#include "core/threads.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "run/named_dimensions.hpp"

namespace manychain {
namespace {

/// A parameter that outputs leave out: latent_integers().
std::string parameter_without_draws(const Layout& layout) {
  std::set<std::string> recorded;
  for (const Quantity& quantity : layout.quantities) recorded.insert(quantity.name);
  for (const std::string& name : layout.unconstrained_names)
    if (const std::string whole = name.substr(0, name.find('[')); !recorded.count(name) && !recorded.count(whole))
      return whole;
  return "";
}

void require_memory(std::size_t draws, std::size_t chains, std::size_t rows, std::size_t number) {
  const double bytes = double(draws) * double(chains) * double(rows) * double(number);
  const double there = available_memory();
  if (bytes <= there) return;
  throw OutOfMemory(fmt::format(
      "Settings::output.log_likelihood: {} draws of {} chains, of {} rows each, take {:.1f} GB, and {:.1f} GB are "
      "free; take fewer of these draws, or fewer Settings::chains",
      draws, chains, rows, bytes / 1e9, there / 1e9));
}

/// Some of the draws, evenly spread, the last one among them.
std::vector<std::size_t> spread(std::size_t kept, std::size_t wanted) {
  const std::size_t count = std::min(kept, wanted);
  std::vector<std::size_t> draws(count);
  for (std::size_t k = 0; k < count; ++k) draws[k] = (k + 1) * kept / count - 1;
  return draws;
}

/// Chains that an evaluator takes at once: their rows stay in the cache, and whole packs of any width.
std::size_t chains_at_once(std::size_t rows, std::size_t chains) {
  constexpr std::size_t numbers = std::size_t{1} << 17, pack = 8;
  return std::min(chains, std::clamp<std::size_t>(numbers / std::max<std::size_t>(rows, 1) / pack, 1, 32) * pack);
}

/// Some draws, ascending, of the first so many variables, of the chains of `share` or, if it is null, of all. Those
/// that lie near each other are read together.
Draws read_draws(const DrawsSource& source, const std::vector<std::size_t>& wanted, std::size_t variables,
                 const Share* share) {
  constexpr std::size_t numbers_at_once = std::size_t{1} << 24;
  Draws all;
  all.draws = wanted.size();
  all.variables = variables;
  all.chains = share ? static_cast<std::size_t>(share->count()) : source.shape().chains;
  const std::size_t row = variables * all.chains, of_all = variables * source.shape().chains;
  const std::size_t most = std::max<std::size_t>(numbers_at_once / of_all, 1);  // the same at all ranks
  const auto put = [&](const auto& from, auto& to, std::size_t at, std::size_t place) {
    if (from.empty()) return;
    to.resize(wanted.size() * row);
    std::copy_n(from.data() + at * row, row, to.data() + place * row);
  };
  for (std::size_t k = 0; k < wanted.size();) {
    const std::size_t first = wanted[k];
    std::size_t end = k;
    while (end < wanted.size() && wanted[end] < first + most) ++end;
    const Stretch draws{first, wanted[end - 1] + 1 - first}, outputs{0, variables};
    const Draws some = share ? source.draws_of_rank(*share, draws, outputs) : source.draws(draws, outputs);
    for (; k < end; ++k) {
      put(some.float32, all.float32, wanted[k] - first, k);
      put(some.float64, all.float64, wanted[k] - first, k);
    }
  }
  return all;
}

/// `places`: of the draws, in `draws`.
template <class Number>
bool fill(const Model& model, const Draws& draws, const std::vector<std::size_t>& places,
          const DrawValues<Number>& from, DrawValues<Number>& to, Result& result, const std::atomic<bool>* cancel) {
  const std::size_t chains = draws.chains, rows = result.output.log_likelihood.variables;
  const std::size_t parameters = model.layout().parameter_outputs();
  const std::size_t width = chains_at_once(rows, chains), parts = (chains + width - 1) / width;
  to.resize(result.output.log_likelihood_draws.size() * rows * chains);
  std::exception_ptr failure;
  std::atomic<bool> ended{false};
  const auto tasks = static_cast<std::ptrdiff_t>(result.output.log_likelihood_draws.size() * parts);
  const int threads = result.settings.threads > 0 ? result.settings.threads : omp_get_max_threads();
#pragma omp parallel num_threads(threads_for_loop(threads))
  {
    std::unique_ptr<PointOperations> operations;
    std::vector<double> points, values;
#pragma omp for schedule(dynamic)
    for (std::ptrdiff_t task = 0; task < tasks; ++task) {
      if (ended || (cancel && cancel->load())) {
        ended = true;
        continue;
      }
      try {
        if (!operations) {
          operations = model.bound().operations();
          points.resize(parameters * width);
          values.resize(rows * width);
        }
        const std::size_t kept = static_cast<std::size_t>(task) / parts,
                          first = static_cast<std::size_t>(task) % parts * width;
        const std::size_t count = std::min(width, chains - first);
        const std::size_t draw = places[kept];
        for (std::size_t i = 0; i < parameters; ++i)
          std::copy_n(&from[(draw * draws.variables + i) * chains + first], count, &points[i * width]);
        operations->rows(points.data(), width, count, values.data(), width);
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t c = 0; c < count; ++c)
            to[(kept * rows + r) * chains + first + c] = static_cast<Number>(values[r * width + c]);
      } catch (...) {  // nothing may leave a parallel region
#pragma omp critical(manychain_log_likelihood)
        failure = std::current_exception();
        ended = true;
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  return !ended;
}

/// All have them or none; the first failure is that of all.
void agree(Ranks& ranks, bool& complete, std::optional<std::string>& failure) {
  const std::vector<std::uint8_t> failed = ranks.each(std::uint8_t{failure.has_value()});
  const std::vector<std::string> said = ranks.texts(failure.value_or(""));
  complete = !ranks.any(!complete);
  const auto first = std::find(failed.begin(), failed.end(), 1);
  if (first != failed.end()) failure = said[static_cast<std::size_t>(first - failed.begin())];
}

}  // namespace

void require_log_likelihood(const Model& model, const Settings& settings) {
  if (settings.output.log_likelihood == 0) return;
  const auto refuse = [](const std::string& why) { throw BadInput("Settings::output.log_likelihood: " + why); };
  const Layout& layout = model.layout();
  if (!settings.output.keep_draws)
    refuse("it is computed from the draws, which Settings::output.keep_draws leaves out");
  if (layout.observed.empty())
    refuse("model " + model.name() + " has no observe(), which says what the data terms are");
  std::set<std::string> names;
  for (const Observed& observed : layout.observed) {
    const std::string name = stored_name(observed.name);
    if (!can_be_stored(name))
      refuse("an observe() of model " + model.name() + " has the name \"" + name + "\", which no file can hold");
    if (!names.insert(name).second)
      refuse("model " + model.name() + " has two observe() with the name " + observed.name + ": give each its own");
  }
  if (const std::string latent = parameter_without_draws(layout); !latent.empty())
    refuse("the draws of model " + model.name() + " leave out " + latent +
           ", of which its data terms may be functions");
  require_memory(std::min(settings.output.log_likelihood, *settings.sampling.draws), settings.chains,
                 layout.observed_rows(),
                 settings.precision == Precision::double_precision ? sizeof(double) : sizeof(float));
}

bool add_log_likelihood(const Model& model, Result& result, const std::atomic<bool>* cancel, const DrawsSource* source,
                        const LikelihoodInRanks& ranks) {
  if (result.settings.output.log_likelihood == 0) return true;
  result.output.log_likelihood_draws =
      spread(source || ranks.own ? result.kept : result.draws.draws, result.settings.output.log_likelihood);
  Draws& all = result.output.log_likelihood;
  all.draws = result.output.log_likelihood_draws.size();
  all.variables = model.layout().observed_rows();
  bool complete = false;
  std::optional<std::string> failure;
  try {
    Draws read;
    std::vector<std::size_t> places = result.output.log_likelihood_draws;
    if (source) {
      read = read_draws(*source, result.output.log_likelihood_draws, model.layout().parameter_outputs(), ranks.share);
      std::iota(places.begin(), places.end(), std::size_t{0});
    }
    const Draws& draws = source ? read : ranks.own ? *ranks.own : result.draws;
    all.chains = draws.chains;
    complete = draws.float64.empty() ? fill(model, draws, places, draws.float32, all.float32, result, cancel)
                                     : fill(model, draws, places, draws.float64, all.float64, result, cancel);
  } catch (const OtherRankFailed&) {
    throw;
  } catch (const std::exception& error) {  // the draws are worth more than what was to be computed from them
    failure = error.what();
  }
  if (ranks.share) agree(ranks.share->ranks(), complete, failure);
  if (complete && !failure) {
    if (ranks.share) all = given_to(*ranks.share, std::move(all), ranks.at);
    return true;
  }
  if (failure) result.output.no_log_likelihood = *failure;
  all = {};
  result.output.log_likelihood_draws.clear();
  return failure.has_value();
}

}  // namespace manychain
