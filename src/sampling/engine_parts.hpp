// The parts of what an engine says and is told, and of quantities, for ByteWriter and ByteReader.
#pragma once

#include <concepts>
#include <type_traits>

#include "manychain/run/engine.hpp"

namespace manychain {

// The parts of what is written, found by ByteWriter and ByteReader through their arguments. A structure is const when
// it is written.
template <class T, class Of>
concept PartsOf = std::same_as<std::remove_const_t<T>, Of>;

void visit_parts(PartsOf<StepSchedule> auto& s, const auto& visit) { visit(s.a), visit(s.b), visit(s.gamma); }

void visit_parts(PartsOf<GroupTuning> auto& s, const auto& visit) {
  visit(s.step_size), visit(s.trajectory), visit(s.leapfrog_limit), visit(s.leaves), visit(s.integrator);
  visit(s.schedule), visit(s.minibatch);
}
void visit_parts(PartsOf<FieldInfo> auto& s, const auto& visit) { visit(s.name), visit(s.rows); }
void visit_parts(PartsOf<Snapshot> auto& s, const auto& visit) { visit(s.fields), visit(s.values); }
void visit_parts(PartsOf<ChainImage> auto& s, const auto& visit) { visit(s.memory), visit(s.tuning); }
void visit_parts(PartsOf<StreamedDraws> auto& s, const auto& visit) {
  visit(s.maps), visit(s.histogram), visit(s.rows);
}
void visit_parts(PartsOf<Quantity> auto& s, const auto& visit) {
  visit(s.name), visit(s.shape), visit(s.offset), visit(s.derived), visit(s.predicted);
}
void visit_parts(PartsOf<ChainPoints> auto& s, const auto& visit) { visit(s.positions), visit(s.log_densities); }
void visit_parts(PartsOf<MomentSum> auto& s, const auto& visit) { visit(s.count), visit(s.mean), visit(s.m2); }
void visit_parts(PartsOf<ChainStatistics> auto& s, const auto& visit) {
  visit(s.since_move), visit(s.acceptance_sum), visit(s.divergences), visit(s.nonfinite);
  visit(s.largest_log_density);
}

}  // namespace manychain
