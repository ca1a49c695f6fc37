#include "diagnostics/streaming_summary.hpp"

#include <algorithm>
#include <cmath>

#include "core/nan.hpp"
#include "diagnostics/from_draws.hpp"
#include "diagnostics/nested_rhat.hpp"
#include "manychain/core/moment_sum.hpp"

namespace manychain::diagnostics {
namespace {

/// Count, mean and sum of squared deviations from a count and two sums.
MomentSum moments(double count, double sum, double squares) {
  return {count, sum / count, std::max(squares - sum * (sum / count), 0.0)};
}
/// Sample variance of values that were merged one by one.
double variance(const MomentSum& of) { return of.m2 / (of.count - 1); }

/// Which sums are a quantity's first and second powers.
struct Powers {
  Sum first, second;
};
constexpr Powers as_is{sum_u, sum_uu}, scores{sum_z, sum_zz}, folded{sum_abs_z, sum_zz};

template <class Number>
class Streamed {
 public:
  Streamed(const StreamedOutput<Number>& output, const Segments& segments)
      : o_(output), used_(segments.used(output.draws)), length_(segments.length(output.draws)) {}

  /// Moments of segments begin to end (not included) of one chain.
  MomentSum chain(std::size_t c, Powers of, std::size_t begin, std::size_t end) const {
    double first = 0, second = 0;
    for (std::size_t s = begin; s < end; ++s) {
      first += sum(s, of.first, c);
      second += sum(s, of.second, c);
    }
    return moments(static_cast<double>(count(begin, end)), first, second);
  }
  MomentSum chain(std::size_t c, Powers of) const { return chain(c, of, 0, used_); }

  /// R-hat of the chains' halves, cut where a segment ends, nearest to the middle.
  double rhat(Powers of) const {
    const std::size_t middle = this->middle();
    if (middle == 0 || middle >= used_) return nan;
    if (std::min(count(0, middle), count(middle, used_)) < 3) return nan;
    MomentSum means;
    double within = 0;
    for (std::size_t c = 0; c < o_.chains; ++c) {
      for (const MomentSum& half : {chain(c, of, 0, middle), chain(c, of, middle, used_)}) {
        means.merge(1, half.mean, 0);
        within += variance(half) / (2 * static_cast<double>(o_.chains));
      }
    }
    const double n = static_cast<double>(o_.draws) / 2;
    return std::sqrt(variance(means) / within + (n - 1) / n);
  }

  /// The halves of a superchain are two superchains; one draw has no halves.
  double rhat_nested(Powers of) const {
    const std::size_t superchains = o_.superchains;
    if (superchains < 2 || superchains > o_.chains) return nan;
    std::vector<std::size_t> cuts = {0, used_};
    if (middle() > 0 && middle() < used_) cuts.insert(cuts.begin() + 1, middle());
    std::vector<SequenceMoments> parts;
    std::vector<std::size_t> superchain;
    for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
      for (std::size_t c = 0; c < o_.chains; ++c) {
        const MomentSum m = chain(c, of, cuts[part], cuts[part + 1]);
        parts.push_back({m.mean, m.count > 1 ? variance(m) : 0});
        superchain.push_back(part * superchains + c % superchains);
      }
    }
    const double of_superchains = nested_rhat(parts, superchain, (cuts.size() - 1) * superchains);
    if (o_.groups < 2) return of_superchains;
    std::vector<SequenceMoments> whole;
    for (std::size_t c = 0; c < o_.chains; ++c) {
      const MomentSum m = chain(c, of, 0, used_);
      whole.push_back({m.mean, m.count > 1 ? variance(m) : 0});
    }
    const double of_groups = rhat_of_groups(whole, o_.groups);
    return of_groups > of_superchains ? of_groups : of_superchains;
  }

  MomentSum all(Powers of) const {
    MomentSum all;
    for (std::size_t c = 0; c < o_.chains; ++c) {
      const MomentSum m = chain(c, of);
      all.merge(m.count, m.mean, m.m2);
    }
    return all;
  }

  /// Variance of the mean of `value` over all draws: from the chains' means, or with few chains from those of batches,
  /// as many segments each as leave 32 of them. `value` has a segment range of a chain and gives its mean. With
  /// `superchains` what is left of where these started is in it, if there are any.
  template <class Value>
  double variance_of_mean(Value value, bool superchains = false) const {
    if (superchains && has_superchains()) return mean_of_superchains(value).variance;
    const std::size_t wanted = (Segments::few_chains + o_.chains - 1) / o_.chains;
    const std::size_t full = o_.draws / length_;  // a last segment that is not full would be noisier than the others
    if (wanted < 2 || full < 2) {
      MomentSum means;
      for (std::size_t c = 0; c < o_.chains; ++c) means.merge(1, value(c, 0, used_), 0);
      return variance(means) / static_cast<double>(o_.chains);
    }
    const std::size_t each = std::max<std::size_t>(full / wanted, 1), batches = full / each;
    MomentSum means;
    for (std::size_t c = 0; c < o_.chains; ++c)
      for (std::size_t b = 0; b < batches; ++b) means.merge(1, value(c, b * each, (b + 1) * each), 0);
    const double draws = static_cast<double>(each * length_);
    return variance(means) * draws / (static_cast<double>(o_.draws) * static_cast<double>(o_.chains));
  }
  bool has_superchains() const { return o_.superchains > 1 && o_.superchains <= o_.chains; }
  template <class Value>
  MeanOfChains mean_of_superchains(Value value) const {
    std::vector<double> means;
    for (std::size_t c = 0; c < o_.chains; ++c) means.push_back(value(c, 0, used_));
    return mean_of_chains(means, o_.superchains);
  }
  double variance_of_mean(Powers of, bool superchains = false) const {
    return variance_of_mean([&](std::size_t c, std::size_t a, std::size_t b) { return chain(c, of, a, b).mean; },
                            superchains);
  }

  /// The segment that the second half begins with.
  std::size_t middle() const {
    return static_cast<std::size_t>(std::llround(static_cast<double>(o_.draws) / 2 / static_cast<double>(length_)));
  }
  double draws() const { return static_cast<double>(o_.draws) * static_cast<double>(o_.chains); }

 private:
  double sum(std::size_t segment, Sum which, std::size_t c) const {
    return static_cast<double>(o_.sums[(segment * sums_kept + which) * o_.stride + c]);
  }
  std::uint64_t count(std::size_t begin, std::size_t end) const {
    return std::min(end * length_, o_.draws) - std::min(begin * length_, o_.draws);
  }

  const StreamedOutput<Number>& o_;
  std::size_t used_;
  std::uint64_t length_;
};

/// Quantile from the histogram of scores, linear within a bin. NaN in the outermost bins, which are open.
double quantile(const std::uint64_t* histogram, const FrozenMap& map, double p) {
  double all = 0;
  for (int b = 0; b < bin_count; ++b) all += static_cast<double>(histogram[b]);
  double below = 0;
  for (int b = 0; b < bin_count; ++b) {
    const double here = static_cast<double>(histogram[b]);
    if (here > 0 && below + here >= p * all) {
      if (b == 0 || b == bin_count - 1) return nan;
      return map.output(-4 + (b + (p * all - below) / here) / bins_per_score);
    }
    below += here;
  }
  return nan;
}

/// The larger; NaN if either is.
double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? nan : std::max(a, b); }

}  // namespace

template <class Number>
VariableSummary summarise_streamed(const StreamedOutput<Number>& output, const Segments& segments) {
  const Streamed<Number> streamed(output, segments);
  VariableSummary s;
  s.mean = s.sd = s.q5 = s.q50 = s.q95 = s.rhat = s.ess_bulk = s.mcse_mean = nan;
  const MomentSum u = streamed.all(as_is), z = streamed.all(scores);
  if (!std::isfinite(u.mean) || !std::isfinite(u.m2)) return s;
  const double scale = 1 / output.map->scale();
  s.mean = output.map->original(u.mean);
  s.sd = scale * std::sqrt(variance(u));
  if (!(u.m2 > 0)) {
    s.q5 = s.q50 = s.q95 = s.mean;
    return s;
  }
  s.q5 = quantile(output.histogram, *output.map, 0.05);
  s.q50 = quantile(output.histogram, *output.map, 0.5);
  s.q95 = quantile(output.histogram, *output.map, 0.95);
  s.rhat = larger(streamed.rhat(scores), streamed.rhat(folded));
  s.rhat_nested = larger(streamed.rhat_nested(scores), streamed.rhat_nested(folded));

  // Antithetic chains can be better than independent draws: the same upper limit as for stored draws.
  const double most = streamed.draws() * std::log10(streamed.draws());
  const auto ess = [&](double variance_of_draws, double variance_of_mean) {
    return variance_of_mean > 0 ? std::min(variance_of_draws / variance_of_mean, most) : nan;
  };
  s.ess_bulk = ess(variance(z), streamed.variance_of_mean(scores));
  s.mcse_mean = output.superchains > 1 ? scale * std::sqrt(streamed.variance_of_mean(as_is, true))
                                       : s.sd / std::sqrt(ess(variance(u), streamed.variance_of_mean(as_is)));
  const auto square = [&](std::size_t c, std::size_t a, std::size_t b) {
    const MomentSum m = streamed.chain(c, as_is, a, b);
    return m.m2 / m.count + (m.mean - u.mean) * (m.mean - u.mean);
  };
  const double squares = streamed.variance_of_mean(square, true);
  s.mcse_sd = scale * std::sqrt(squares / (4 * variance(u)));
  if (streamed.has_superchains()) s.sd_between_starts = streamed.mean_of_superchains(square).between_starts;
  return s;
}

double streamed_ebfmi(double steps, double sum, double squares, std::uint64_t draws) {
  const double about_mean = moments(static_cast<double>(draws), sum, squares).m2;
  return about_mean > 0 && std::isfinite(about_mean) && std::isfinite(steps) ? steps / about_mean : nan;
}

template VariableSummary summarise_streamed(const StreamedOutput<float>&, const Segments&);
template VariableSummary summarise_streamed(const StreamedOutput<double>&, const Segments&);

}  // namespace manychain::diagnostics
