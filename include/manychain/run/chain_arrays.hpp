// The memory of the chains of one run on one backend, and what a block of transitions is to do with them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace manychain {

/// Steps a (b + t)^-gamma of stochastic gradient Langevin dynamics, t the transition's number.
struct StepSchedule {
  double a = 0, b = 1, gamma = 0;
};

/// What the chains of a group share while a block runs. `step[i]` is the step size in component i: step_size *
/// scale[i].
template <class Number>
struct Tuning {
  Number step_size;
  Number trajectory;  ///< longest integration time, in units of the whitened scale
  int max_leapfrogs;
  const Number* step;  ///< one a dimension
  StepSchedule schedule;
  int minibatch;  ///< data terms of a stochastic gradient; 0: all
};

/// Raw pointers into the memory of a backend. Everything is [component][chain], the chain index fastest, `stride`
/// chains apart: the number of chains rounded up to whole packs. Lanes left over are chains like any other that nobody
/// reads.
template <class Number>
struct ChainArrays {
  std::uint64_t seed = 0;
  std::uint64_t first_chain = 0;  ///< global number of local chain 0
  std::int64_t chains = 0;        ///< of a group's tuning, see tuning_of
  std::int64_t stride = 0;
  std::int64_t chains_per_group = 0;
  int dimension = 0;
  int outputs = 0;
  int first_derived = 0;  ///< output index of the first derived quantity

  Number* position = nullptr;        ///< [dimension][stride]
  Number* gradient = nullptr;        ///< [dimension][stride], of samplers that use it
  Number* log_density = nullptr;     ///< [2][stride]: sum and compensation
  Number* still = nullptr;           ///< [stride] transitions since the chain last moved
  Number* acceptance = nullptr;      ///< [stride] mean acceptance probability of the block; 1 of a lost chain
  Number* acceptance_sum = nullptr;  ///< [stride] since the counters were last reset
  Number* divergences = nullptr;     ///< [stride] likewise
  Number* nonfinite = nullptr;       ///< [stride] 1: no finite start, or an output was not finite
  Number* best = nullptr;            ///< [stride] largest log density since the counters were reset

  Number* window_mean = nullptr;  ///< [dimension][stride] running moments of the warm-up window (Welford 1962)
  Number* window_m2 = nullptr;

  // Draws are held for good, or until they are folded into streaming diagnostics: of all chains, or of one pack.
  Number* draws = nullptr;  ///< [draw][outputs][draws_stride] or null
  Number* stats = nullptr;  ///< [draw][sample_stat_count][draws_stride] or null
  std::int64_t draws_stride = 0;
  std::int64_t draws_chain = 0;  ///< local chain that lies first in `draws` and `stats`

  const Tuning<Number>* tuning = nullptr;  ///< one a group
};

/// Some consecutive transitions of all chains. How a run is cut into blocks changes no draw.
struct Block {
  std::uint64_t first_transition = 0;  ///< numbered from the beginning of the run, warm-up included
  std::uint32_t count = 0;
  std::uint32_t leapfrog_limit = 0;  ///< of this phase; at most Tuning::max_leapfrogs
  bool accumulate_window = false;
  std::uint64_t window_begin = 0;    ///< transition that the window began with
  bool keep = false;                 ///< sampling: every thin-th transition is a draw
  std::uint64_t sampling_begin = 0;  ///< first transition of the sampling phase
  std::uint64_t thin = 1;
  std::uint64_t first_draw = 0;  ///< the draw that lies first in ChainArrays::draws
};

}  // namespace manychain
