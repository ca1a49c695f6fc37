#include "sampling/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/digest.hpp"
#include "core/version.hpp"
#include "run/setting_table.hpp"
#include "sampling/bytes.hpp"
#include "sampling/engine_parts.hpp"

namespace manychain {

void visit_parts(PartsOf<Settings> auto& s, const auto& visit) {
  for_each_setting([&](const auto& row) { visit(row.in(s)); });
  visit(s.warmup.initial_points);
}

void visit_parts(PartsOf<RunIdentity> auto& s, const auto& visit) {
  visit(s.model), visit(s.layout), visit(s.data), visit(s.backend), visit(s.place);
}

void visit_parts(PartsOf<Observed> auto& s, const auto& visit) { visit(s.name), visit(s.rows), visit(s.scalar); }
void visit_parts(PartsOf<DependentScale::Term> auto& s, const auto& visit) { visit(s.component), visit(s.coefficient); }
void visit_parts(PartsOf<DependentScale> auto& s, const auto& visit) {
  visit(s.component), visit(s.hypers), visit(s.slopes), visit(s.location), visit(s.location_terms);
  visit(s.by_data), visit(s.knows_small_scales);
}
void visit_parts(PartsOf<Layout> auto& s, const auto& visit) {
  visit(s.dimension), visit(s.outputs), visit(s.scratch), visit(s.terms), visit(s.quantities), visit(s.observed);
  visit(s.integers), visit(s.integer), visit(s.lowest), visit(s.highest), visit(s.conditional), visit(s.proposed);
  visit(s.constant), visit(s.dependent_scales), visit(s.scales_unknown), visit(s.unconstrained_names);
}
void visit_parts(PartsOf<Data::Variable> auto& s, const auto& visit) {
  visit(s.shape), visit(s.values), visit(s.integer);
}

void visit_parts(PartsOf<Rejections> auto& s, const auto& visit) {
  visit(s.evaluations), visit(s.outputs), visit(s.message);
}
void visit_parts(PartsOf<StartsFound> auto& s, const auto& visit) {
  visit(s.taken), visit(s.paths), visit(s.found), visit(s.left), visit(s.largest_gap), visit(s.evaluations);
}
void visit_parts(PartsOf<WeighedMode> auto& s, const auto& visit) {
  visit(s.share), visit(s.error), visit(s.centre), visit(s.value);
}
void visit_parts(PartsOf<AnnealedStarts> auto& s, const auto& visit) {
  visit(s.particles), visit(s.temperatures), visit(s.barrier), visit(s.log_z), visit(s.error), visit(s.ess);
  visit(s.evaluations), visit(s.modes), visit(s.differs);
}
void visit_parts(PartsOf<RestartedChains> auto& s, const auto& visit) { visit(s.chains), visit(s.largest_gap); }
void visit_parts(PartsOf<PrecisionCheck> auto& s, const auto& visit) {
  visit(s.looked), visit(s.found), visit(s.enough), visit(s.decisions_changed), visit(s.positions_changed);
  visit(s.gradient_error), visit(s.smallest_eigenvalue), visit(s.parameters), visit(s.correlation), visit(s.lost);
  visit(s.raised), visit(s.beyond), visit(s.unscaled), visit(s.failure);
}
void visit_parts(PartsOf<MissedMode> auto& s, const auto& visit) {
  visit(s.share), visit(s.chains), visit(s.means), visit(s.towards), visit(s.beyond), visit(s.leaves);
}
void visit_parts(PartsOf<UnreachedTail> auto& s, const auto& visit) {
  visit(s.share), visit(s.widens), visit(s.shorter), visit(s.refused), visit(s.acceptance), visit(s.leaves);
  visit(s.none_left), visit(s.means);
}
void visit_parts(PartsOf<ModesLook> auto& s, const auto& visit) {
  visit(s.points), visit(s.elsewhere), visit(s.tried), visit(s.joined), visit(s.evaluations), visit(s.missed);
  visit(s.tail);
}
/// The findings of a run before its end.
void visit_parts(PartsOf<Result> auto& s, const auto& visit) {
  visit(s.no_gpu), visit(s.gpu_present), visit(s.warmup.transitions), visit(s.warmup.starts), visit(s.warmup.restarted),
      visit(s.posterior.modes);
  visit(s.warmup.annealing);
  visit(s.gradients);
  visit(s.sampling.rejected), visit(s.warmup.rejected), visit(s.precision.chosen), visit(s.precision.check);
  visit(s.precision.error), visit(s.precision.beyond), visit(s.posterior.without_leaves), visit(s.seconds.warmup);
  visit(s.seconds.diagnostics);
}

void visit_parts(PartsOf<LeafMasses> auto& s, const auto& visit) {
  visit(s.component), visit(s.constant), visit(s.intercept), visit(s.second_intercept), visit(s.first);
  visit(s.second), visit(s.hyper), visit(s.exponent);
}
void visit_parts(PartsOf<Metric> auto& s, const auto& visit) {
  visit(s.scale), visit(s.eigenvalues), visit(s.directions), visit(s.leaves);
}
void visit_parts(PartsOf<FrozenTuning> auto& s, const auto& visit) {
  visit(s.tuning), visit(s.metric), visit(s.learnt_trajectory);
}
void visit_parts(PartsOf<Necks::Sums> auto& s, const auto& visit) {
  visit(s.draws), visit(s.high), visit(s.low), visit(s.terms);
}
void visit_parts(PartsOf<NecksOfRun::Looks> auto& s, const auto& visit) { visit(s.last), visit(s.sums); }
void visit_parts(PartsOf<NecksOfRun::State> auto& s, const auto& visit) { visit(s.looks), visit(s.before); }
void visit_parts(PartsOf<RunPart> auto& s, const auto& visit) { visit(s.number), visit(s.of); }
void visit_parts(PartsOf<PartOfRun> auto& s, const auto& visit) { visit(s.part), visit(s.warm), visit(s.gradients); }

void visit_parts(PartsOf<WarmupState> auto& s, const auto& visit) { visit(s.answers), visit(s.image); }

/// All but the values of the chains.
void visit_parts(PartsOf<StateOfRun> auto& s, const auto& visit) {
  visit(s.identity), visit(s.settings), visit(s.part), visit(s.given_trajectory), visit(s.facts);
  visit(s.seconds), visit(s.warmup), visit(s.warmup_rejected), visit(s.sampling);
  visit(s.draws), visit(s.sampling_begin), visit(s.transition), visit(s.groups), visit(s.chains.fields);
  visit(s.necks), visit(s.streamed);
}

namespace {

bool in_single(const StateOfRun& state) { return state.settings.precision == Precision::single_precision; }

constexpr std::string_view first_line = "manychain, state of a run, format 8\n";
constexpr const char* damaged = "the state of the run is damaged: it cannot go on; its draws can be read";

std::string digest_of_layout(const Layout& layout) {
  ByteWriter write;
  write(layout);
  return digest_of(write.bytes);
}

std::string digest_of_data(const Data* data) {
  if (!data) return "";
  ByteWriter write;
  for (const std::string& name : data->names()) {
    write(name);
    if (const Data::Variable* const variable = data->find(name)) write(*variable);
  }
  return digest_of(write.bytes);
}

/// "8 threads, 16 lanes" without the threads; a GPU's name without its number.
std::string place_of(const std::string& backend, const std::string& device) {
  if (backend == "cpu") {
    const std::size_t comma = device.find(", ");
    return comma == std::string::npos ? device : device.substr(comma + 2);
  }
  return device.substr(0, device.rfind(", device "));
}

}  // namespace

RunIdentity identity_of(const Model& model) {
  return {model.name(), digest_of_layout(model.layout()), digest_of_data(model.data().get()), "", ""};
}
RunIdentity identity_of(const Model& model, const Engine& engine) {
  RunIdentity identity = identity_of(model);
  identity.backend = engine.backend();
  identity.place = place_of(identity.backend, engine.device());
  return identity;
}

std::string digest_of(Settings settings) {
  settings.threads = 0;
  settings.device.reset();
  settings.devices.clear();
  ByteWriter write;
  write(settings);
  return digest_of(write.bytes);
}

// A line with the format, one with the version, one with the digest of that and of all that follows.
RunState to_bytes(const StateOfRun& state) {
  ByteWriter write;
  write(state);
  if (in_single(state))
    write(std::vector<float>(state.chains.values.begin(), state.chains.values.end()));
  else
    write(state.chains.values);
  const std::string head = std::string(first_line) + version + "\n";
  return head + digest_of(head + write.bytes) + "\n" + write.bytes;
}

StateOfRun state_from(const RunState& bytes) {
  if (bytes.empty()) throw BadInput("the run has no state: it had hardly begun; sample again");
  std::string_view rest = bytes;
  if (rest.substr(0, first_line.size()) != first_line)
    throw BadInput("the run's state is damaged, or of another version of manychain: it cannot go on");
  rest.remove_prefix(first_line.size());
  const std::size_t version_end = rest.find('\n');
  if (version_end == std::string_view::npos || version_end > 40) throw BadInput(damaged);
  const std::string_view written_by = rest.substr(0, version_end);
  if (written_by != version)
    throw BadInput(
        fmt::format("the run's state is of manychain {}, this is {}: draws may differ, so that it cannot go "
                    "on",
                    written_by, version));
  rest.remove_prefix(version_end + 1);
  const std::size_t digest_end = rest.find('\n');
  if (digest_end == std::string_view::npos) throw BadInput(damaged);
  const std::string_view digest = rest.substr(0, digest_end);
  rest.remove_prefix(digest_end + 1);
  if (digest != digest_of(std::string(first_line) + version + "\n" + std::string(rest))) throw BadInput(damaged);

  StateOfRun state;
  ByteReader read(rest, damaged);
  read(state);
  if (in_single(state)) {
    std::vector<float> values;
    read(values);
    state.chains.values.assign(values.begin(), values.end());
  } else {
    read(state.chains.values);
  }
  read.require_end();
  return state;
}

void require_same_model(const RunIdentity& stored, const RunIdentity& now) {
  const std::string end = ": the run cannot go on";
  if (stored.model != now.model) throw BadInput("the run is of model " + stored.model + ", this is " + now.model + end);
  if (stored.layout != now.layout)
    throw BadInput("model " + now.model + " has other parameters, sizes or outputs than it had in the run" + end);
  if (stored.data != now.data) throw BadInput("the data of model " + now.model + " are not those of the run" + end);
}

void require_same_place(const RunIdentity& stored, const RunIdentity& now) {
  if (stored.backend != now.backend || stored.place != now.place)
    throw BadInput(
        fmt::format("the run was on {}, {}, this is {}, {}, where numbers are rounded otherwise: the run "
                    "cannot go on",
                    stored.backend, stored.place, now.backend, now.place));
}

}  // namespace manychain
