#include "io/zarr_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "io/transpose.hpp"
#include "manychain/core/error.hpp"
#include "manychain/core/sample_stats.hpp"

namespace manychain::io {
namespace {

/// The elements of a variable from number `element` on, so many, at the places from `variable` on.
struct Elements {
  std::size_t element, count, variable;
};

template <class Number>
void put_chunk(const std::string& chunk, const ZarrArray& array, std::size_t block, Stretch chains, Stretch wanted,
               const Elements& elements, Draws& draws, DrawValues<Number>& values) {
  const std::size_t length = array.chunk[1], all = array.elements(), begin = block * length;
  const std::size_t first = std::max(begin, wanted.first), end = std::min(begin + length, wanted.first + wanted.count);
  for (std::size_t draw = first; draw < end; ++draw) {
    const std::size_t d = draw - begin;
    Number* const to =
        &values[((draw - wanted.first) * draws.variables + elements.variable) * draws.chains + chains.first];
    if (array.type == ZarrType::boolean) {
      for (std::size_t c = 0; c < chains.count; ++c) to[c] = static_cast<Number>(chunk[c * length + d] != 0);
      continue;
    }
    const auto* const from = reinterpret_cast<const Number*>(chunk.data()) + elements.element;
    transpose<Number>(
        chains.count, elements.count, [&](std::size_t c) { return from + (c * length + d) * all; }, to, draws.chains);
  }
}

}  // namespace

ZarrDraws::ZarrDraws(const std::string& path, Of of) : store_(path), warmup_(of == Of::warmup) {
  std::size_t outputs = 0;
  try {
    shape_.draws = zarr_count(store_.about(), warmup_ ? "warmup_draws" : "draws");
    shape_.chains = zarr_count(store_.about(), "chains");
    outputs = zarr_count(store_.about(), "outputs");
  } catch (const BadInput& error) {
    refuse(error.what());
  }
  find_quantities(outputs);
  if (store_.group(stats_group())) find_stats();
}

void ZarrDraws::refuse(const std::string& what) const {
  throw BadInput(fmt::format("{}/zarr.json: is damaged: {}", store_.path(), what));
}

void ZarrDraws::require_drawn(const ZarrArray* array) const {
  if (!array || !array->is_drawn() || array->shape[0] != shape_.chains || array->shape[1] < shape_.draws)
    refuse("its variables do not fit each other");
}

void ZarrDraws::find_quantities(std::size_t outputs) {
  const auto found = store_.about().find("variables");
  if (found == store_.about().end() || !found->is_array()) refuse("there is no list of variables");
  std::size_t covered = 0;
  for (const ZarrJson& one : *found) {
    const bool sound = one.is_object() && one.contains("group") && one["group"].is_string() && one.contains("name") &&
                       one["name"].is_string() && one.contains("output") && one["output"].is_number_unsigned();
    if (!sound) refuse("its list of variables makes no sense");
    auto group = one["group"].get<std::string>();
    if (warmup_ && group != "posterior") continue;
    if (warmup_) group = "warmup_" + group;
    const ZarrArray* const array = store_.find(group, one["name"].get<std::string>());
    require_drawn(array);
    quantities_.push_back({group, array, one["output"].get<std::size_t>()});
    covered += array->elements();
    if (quantities_.back().first > outputs || array->elements() > outputs - quantities_.back().first)
      refuse("its variables do not fit each other");
    if (array->type != quantities_[0].array->type) refuse("its variables differ in precision");
    store_.require_chunks(group, *array);
  }
  if ((covered != outputs && !warmup_) || quantities_.empty()) refuse("its variables are not all there");
  shape_.single = quantities_[0].array->type == ZarrType::float32;
  if (!shape_.single && quantities_[0].array->type != ZarrType::float64) refuse("its draws are no real numbers");
  shape_.variables = outputs;
}

void ZarrDraws::find_stats() {
  shape_.stats = true;
  for (std::size_t i = 0; i < sample_stat_count; ++i) {
    const ZarrArray* const array = store_.find(stats_group(), sample_stat_names[i]);
    require_drawn(array);
    if (array->elements() != 1 || (array->type != ZarrType::boolean && array->type != quantities_[0].array->type))
      refuse("its statistics make no sense");
    store_.require_chunks(stats_group(), *array);
    stats_.push_back({stats_group(), array, i});
  }
}

Draws ZarrDraws::read(const std::vector<Stored>& from, Stretch draws, Stretch variables) const {
  Draws to;
  to.draws = draws.count;
  to.variables = variables.count;
  to.chains = shape_.chains;
  const std::size_t numbers = draws.count * variables.count * shape_.chains;
  if (shape_.single)
    to.float32.resize(numbers);
  else
    to.float64.resize(numbers);
  if (warmup_) std::fill(to.float32.begin(), to.float32.end(), 0.f), std::fill(to.float64.begin(), to.float64.end(), 0);
  if (draws.count == 0) return to;
  const std::size_t end = variables.first + variables.count;
  for (const Stored& one : from) {
    const std::size_t begin = std::max(one.first, variables.first);
    const std::size_t last = std::min(one.first + one.array->elements(), end);
    if (begin >= last) continue;
    const Elements elements{begin - one.first, last - begin, begin - variables.first};
    const std::size_t length = one.array->chunk[1];
    for (std::size_t block = draws.first / length; block * length < draws.first + draws.count; ++block)
      for (std::size_t column = 0; column < one.array->columns(); ++column) {
        const std::string chunk = store_.chunk(one.group, *one.array, block, column);
        const Stretch chains = one.array->chains_of(column);
        if (shape_.single)
          put_chunk(chunk, *one.array, block, chains, draws, elements, to, to.float32);
        else
          put_chunk(chunk, *one.array, block, chains, draws, elements, to, to.float64);
      }
  }
  return to;
}

StoredRun open_stored_run(const std::string& path) {
  StoredRun run;
  const ZarrFolder store(path);
  if (!store.state_counts()) return run;
  run.state = store.state();
  run.source = std::make_shared<ZarrDraws>(path);
  if (store.about().contains("warmup_draws")) run.warmup = std::make_shared<ZarrDraws>(path, ZarrDraws::Of::warmup);
  return run;
}

StoredRun read_stored_run(const std::string& path) {
  const ZarrFolder store(path);
  const auto counts = store.state_counts();
  StoredRun run = open_stored_run(path);
  if (!run.source) return run;
  const DrawsSource::Shape shape = run.source->shape();
  run.draws = run.source->draws({0, counts->draws}, {0, shape.variables});
  if (shape.stats) run.sample_stats = run.source->sample_stats({0, counts->draws}, {0, sample_stat_count});
  run.source.reset();
  return run;
}

}  // namespace manychain::io
