// What the engines of all backends share: the arrays of the chains, and everything but the loops over them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/run/program.hpp"

namespace manychain {

/// The program, or BadInput if the model was not compiled for that sampler.
template <class Number>
std::unique_ptr<Program<Number>> built(std::unique_ptr<Program<Number>> program, const Model& model,
                                       const Settings& settings) {
  if (program) return program;
  throw BadInput("model " + model.name() + " was not compiled for " +
                 (settings.scalar ? "one chain a lane with sampler " : "sampler ") + settings.sampler);
}

/// Number: the precision of the run. A backend gives memory, copies and loops; it never sees a model.
template <class Number>
class EngineCore : public Engine {
 public:
  void initialise(const std::vector<double>& positions, int tries) final {
    if (!positions.empty()) {
      std::vector<Number> row(static_cast<std::size_t>(a_.stride));
      for (int i = 0; i < a_.dimension; ++i) {
        for (std::int64_t c = 0; c < a_.stride; ++c)  // left-over lanes start where the last chain does
          row[static_cast<std::size_t>(c)] =
              static_cast<Number>(positions[static_cast<std::size_t>(i * a_.chains + std::min(c, a_.chains - 1))]);
        to_backend(row.data(), a_.position + i * a_.stride, row.size());
      }
    }
    run_initialise(positions.empty() ? tries : 0);
    if (superchains_ > 0) start_together();
  }

  std::vector<double> position(std::size_t chain) const final {
    std::vector<double> q(static_cast<std::size_t>(a_.dimension));
    for (int i = 0; i < a_.dimension; ++i) {
      Number x;
      to_host(a_.position + i * a_.stride + static_cast<std::int64_t>(chain), &x, 1);
      q[static_cast<std::size_t>(i)] = static_cast<double>(x);
    }
    return q;
  }

  ChainPoints points(std::size_t chains) const final {
    const std::size_t d = static_cast<std::size_t>(a_.dimension);
    ChainPoints p{std::vector<double>(chains * d), std::vector<double>(chains)};
    std::vector<Number> row(chains), error(chains);
    for (std::size_t i = 0; i < d; ++i) {
      to_host(a_.position + static_cast<std::int64_t>(i) * a_.stride, row.data(), chains);
      for (std::size_t c = 0; c < chains; ++c) p.positions[c * d + i] = static_cast<double>(row[c]);
    }
    to_host(a_.log_density, row.data(), chains);
    to_host(a_.log_density + a_.stride, error.data(), chains);
    for (std::size_t c = 0; c < chains; ++c)  // the compensation of what is not finite is no number
      p.log_densities[c] = static_cast<double>(row[c]) + (std::isfinite(row[c]) ? static_cast<double>(error[c]) : 0.0);
    return p;
  }

  void reset_window() final {
    const std::size_t n = static_cast<std::size_t>(a_.dimension * a_.stride);
    zero(a_.window_mean, n);
    zero(a_.window_m2, n);
  }

  void reset_counters() final {
    const std::size_t n = static_cast<std::size_t>(a_.stride);
    zero(a_.acceptance_sum, n);
    zero(a_.divergences, n);
    const std::vector<Number> lowest(n, std::numeric_limits<Number>::lowest());
    to_backend(lowest.data(), a_.best, n);
  }

  ChainStatistics statistics() const final {
    return {per_chain(a_.still), per_chain(a_.acceptance_sum), per_chain(a_.divergences), per_chain(a_.nonfinite),
            per_chain(a_.best)};
  }

  Draws draws(std::size_t kept) const final { return copy(a_.draws, kept, static_cast<std::size_t>(a_.outputs)); }
  Draws sample_stats(std::size_t kept) const final { return copy(a_.stats, kept, sample_stat_count); }

  std::vector<VariableSummary> summarise_moments(std::size_t kept) const final {
    std::vector<VariableSummary> summary;
    const std::size_t first_half = std::min(kept, draws_ / 2);
    const double count[2] = {static_cast<double>(first_half), static_cast<double>(kept - first_half)};
    for (int o = 0; o < a_.outputs; ++o) {
      std::vector<double> mean[2], m2[2];
      for (int half = 0; half < 2; ++half) {
        const std::int64_t at = (half * a_.outputs + o) * a_.stride;
        mean[half] = per_chain(a_.output_mean + at);
        m2[half] = per_chain(a_.output_m2 + at);
      }
      summary.push_back(from_moments(count, mean, m2));
      if (superchains_ > 1) summary.back().rhat_nested = nested_rhat(count, mean, m2, superchains_);
    }
    return summary;
  }

 protected:
  EngineCore(const Model& model, const Settings& settings, std::unique_ptr<Program<Number>> program)
      : program_(std::move(program)), draws_(settings.draws), superchains_(settings.superchains.value_or(0)) {
    const Layout& layout = model.layout();
    a_.seed = settings.seed;
    a_.chains = static_cast<std::int64_t>(settings.chains);
    a_.stride = (a_.chains + 63) / 64 * 64;  // whole packs of any width, whole cache lines
    a_.chains_per_group = a_.stride;         // one group
    a_.dimension = static_cast<int>(layout.dimension);
    a_.outputs = static_cast<int>(layout.outputs);
    a_.first_derived = static_cast<int>(layout.outputs);
    for (auto q = layout.quantities.rbegin(); q != layout.quantities.rend() && q->derived; ++q)
      a_.first_derived = static_cast<int>(q->offset);
  }

  /// Allocates everything; called by the constructor of a backend. `workspaces`: how many chains work at once.
  void allocate_arrays(const Settings& settings, std::size_t workspaces) {
    const std::size_t n = static_cast<std::size_t>(a_.stride), d = static_cast<std::size_t>(a_.dimension);
    const std::size_t o = static_cast<std::size_t>(a_.outputs);
    struct Piece {
      Number** pointer;
      std::size_t size;
    };
    Number* workspace = nullptr;
    const std::vector<Piece> pieces = {
        {&a_.position, d * n},
        {&a_.gradient, program_->needs_gradient() ? d * n : 0},
        {&a_.log_density, 2 * n},
        {&a_.still, n},
        {&a_.acceptance, n},
        {&a_.acceptance_sum, n},
        {&a_.divergences, n},
        {&a_.nonfinite, n},
        {&a_.best, n},
        {&a_.window_mean, d * n},
        {&a_.window_m2, d * n},
        {&a_.output_mean, settings.keep_draws ? 0 : 2 * o * n},
        {&a_.output_m2, settings.keep_draws ? 0 : 2 * o * n},
        {&a_.draws, settings.keep_draws ? settings.draws * o * n : 0},
        {&a_.stats, settings.keep_draws && settings.keep_sample_stats ? settings.draws * sample_stat_count * n : 0},
        {&step_, d},
        {&workspace, std::max<std::size_t>(program_->workspace_reals(), 1) * workspaces}};
    double bytes = 0;
    for (const Piece& piece : pieces) bytes += static_cast<double>(piece.size) * sizeof(Number);
    if (bytes > available_bytes())
      throw BadInput("this run needs " + gigabytes(bytes) + ", there are " + gigabytes(available_bytes()) + " on " +
                     device() + ": take fewer --chains or --draws, or keep no draws");
    for (const Piece& piece : pieces)
      if (piece.size) *piece.pointer = allocate(piece.size);
    workspace_ = workspace;
  }

  // What a backend does.
  virtual double available_bytes() const = 0;
  virtual Number* allocate(std::size_t count) = 0;  ///< zeroed; freed with the engine
  virtual void to_host(const Number* from, Number* to, std::size_t count) const = 0;
  virtual void to_backend(const Number* from, Number* to, std::size_t count) = 0;
  virtual void zero(Number* begin, std::size_t count) = 0;
  virtual void run_initialise(int tries) = 0;
  /// Of `rows` rows of a_.stride: x[c] = x[c mod period].
  virtual void repeat_first(Number* begin, std::int64_t rows, std::int64_t period) = 0;

  /// Evaluations of one chain in a block, when the step size does not change in it.
  std::uint64_t evaluations(const Block& block, double trajectory, double step_size) const {
    std::uint64_t sum = 0;
    for (std::uint32_t k = 0; k < block.count; ++k)
      sum += program_->evaluations(trajectory, step_size, block.first_transition + k, block.leapfrog_limit);
    return sum;
  }

  ChainArrays<Number> a_;
  std::unique_ptr<Program<Number>> program_;
  std::size_t draws_;
  std::size_t superchains_;  ///< chain c is of superchain c mod this; 0: there are none
  Number* step_ = nullptr;
  Number* workspace_ = nullptr;

 private:
  /// The chains of a superchain start at one point, that of the first of them.
  void start_together() {
    const std::int64_t period = static_cast<std::int64_t>(superchains_);
    repeat_first(a_.position, a_.dimension, period);
    if (a_.gradient) repeat_first(a_.gradient, a_.dimension, period);
    repeat_first(a_.log_density, 2, period);
    repeat_first(a_.nonfinite, 1, period);
  }

  static std::string gigabytes(double bytes) {
    const double tenths = std::ceil(bytes / 1e8);
    return std::to_string(static_cast<long long>(tenths) / 10) + "." +
           std::to_string(static_cast<long long>(tenths) % 10) + " GB";
  }

  std::vector<double> per_chain(const Number* begin) const {
    std::vector<Number> v(static_cast<std::size_t>(a_.chains));
    to_host(begin, v.data(), v.size());
    return std::vector<double>(v.begin(), v.end());
  }

  /// Drops the left-over lanes.
  Draws copy(const Number* begin, std::size_t kept, std::size_t variables) const {
    Draws d;
    d.draws = kept;
    d.variables = variables;
    d.chains = static_cast<std::size_t>(a_.chains);
    if (!begin) return d;
    std::vector<Number>& to = [&]() -> std::vector<Number>& {
      if constexpr (sizeof(Number) == 4)
        return d.single;
      else
        return d.twice;
    }();
    to.resize(kept * variables * d.chains);
    if (a_.chains == a_.stride) {
      to_host(begin, to.data(), to.size());
    } else {
      for (std::size_t row = 0; row < kept * variables; ++row)
        to_host(begin + static_cast<std::int64_t>(row) * a_.stride, to.data() + row * d.chains, d.chains);
    }
    return d;
  }

  static VariableSummary from_moments(const double (&count)[2], const std::vector<double> (&mean)[2],
                                      const std::vector<double> (&m2)[2]) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    MomentSum all, chain_means, half_means;
    double within = 0;
    const std::size_t chains = mean[0].size();
    for (std::size_t c = 0; c < chains; ++c) {
      MomentSum chain;
      for (int half = 0; half < 2; ++half) {
        chain.merge(count[half], mean[half][c], m2[half][c]);
        half_means.merge(1, mean[half][c], 0);
        within += m2[half][c] / (count[half] - 1);
      }
      all.merge(chain.count, chain.mean, chain.m2);
      chain_means.merge(1, chain.mean, 0);
    }
    VariableSummary s;
    s.mean = all.mean;
    const double variance = all.m2 / (all.count - 1);
    s.sd = std::sqrt(variance);
    s.q5 = s.q50 = s.q95 = nan;
    const double n = count[0], w = within / (2 * static_cast<double>(chains));
    const double between = half_means.m2 / (half_means.count - 1);  // variance of the half chains' means
    const bool defined = n >= 3 && count[0] == count[1] && w > 0;
    s.rhat = defined ? std::sqrt(between / w + (n - 1) / n) : nan;
    const double mean_variance = chain_means.m2 / (chain_means.count - 1) / static_cast<double>(chains);
    s.ess_bulk = chains > 1 && mean_variance > 0 ? variance / mean_variance : nan;
    s.mcse_mean = chains > 1 ? std::sqrt(mean_variance) : nan;
    return s;
  }

  /// Nested R-hat of the draws as they are (Margossian et al. 2024): sqrt(1 + B / W). NaN if no chain moved.
  static double nested_rhat(const double (&count)[2], const std::vector<double> (&mean)[2],
                            const std::vector<double> (&m2)[2], std::size_t superchains) {
    MomentSum superchain_means;
    double within = 0;
    for (std::size_t k = 0; k < superchains; ++k) {
      MomentSum means;
      double variance = 0;
      for (std::size_t c = k; c < mean[0].size(); c += superchains) {
        MomentSum chain;
        for (int half = 0; half < 2; ++half) chain.merge(count[half], mean[half][c], m2[half][c]);
        means.merge(1, chain.mean, 0);
        if (chain.count > 1) variance += chain.m2 / (chain.count - 1);
      }
      superchain_means.merge(1, means.mean, 0);
      within += variance / means.count + means.m2 / (means.count - 1);
    }
    within /= static_cast<double>(superchains);
    const double between = superchain_means.m2 / (superchain_means.count - 1);
    return within > 0 ? std::sqrt(1 + between / within) : std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace manychain
