#include "annealing/find_reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "annealing/path_covariance.hpp"
#include "core/linear_algebra.hpp"
#include "modes/ascent.hpp"
#include "modes/look.hpp"
#include "modes/parts_of_mixtures.hpp"
#include "modes/wide_points.hpp"
#include "starts/each_path.hpp"
#include "starts/pathfinder.hpp"

namespace manychain {
namespace {

constexpr double negligible = 10;       // as starts.cpp has it
constexpr std::size_t most_of_any = 6;  // places, also of one mode; a valley parts those beyond from all others
constexpr std::size_t most_places = 32;
constexpr std::size_t modes_of_look = 16, draws_of_place = 64;
constexpr double inflated = 1.25, wide = 2, very_wide = 5, least_wide = 3;  // of standard deviations
constexpr double share_of_wide = 0.2, share_of_very_wide = 0.05;
constexpr std::uint64_t first_path_to_mode = 1024;  // behind those of the look
constexpr std::uint64_t first_path_of_parts = 512;

class ReferenceSearch {
 public:
  ReferenceSearch(const Model& model, const ReferenceWanted& wanted)
      : model_(model), wanted_(wanted), d_(model.layout().dimension), density_(detail::evaluator_of(model, team(1))) {}

  FoundReference operator()() {
    const std::vector<Path> paths = follow(wanted_.from, wanted_.first_path);
    keep(paths);
    add_parts_of_mixtures();
    bool more = !kept_.empty();
    for (std::size_t look = 0; look < wanted_.most_looks && more && !around_many(); ++look) {
      const std::vector<Path> before = kept_;
      look_further(look);
      more = std::any_of(kept_.begin(), kept_.end(), [&](const Path& path) { return !is_near(path, before); });
    }
    FoundReference found{Reference(parts())};
    for (const Path& path : kept_) found.centres.push_back(path.normal.mean);
    found.around_many = around_many();
    found.modes = 1;
    found.mode.assign(found.reference.parts().size(), 0);
    if (!around_many()) found.mode = modes_of(found.reference, found.modes);
    found.of_mixture.assign(found.mode.size(), false);
    for (std::size_t k = 0; k < kept_.size() && !around_many(); ++k)
      found.of_mixture[k] = is_near(kept_[k], of_mixtures_);
    found.evaluations = evaluations_;
    return found;
  }

 private:
  bool around_many() const { return kept_.size() > most_narrow_parts; }

  StartsWanted team(std::size_t paths) const {
    return {std::vector<std::vector<double>>(paths), 0, wanted_.seed, 0, wanted_.threads, wanted_.cancel};
  }

  std::vector<Path> follow(const std::vector<std::vector<double>>& from, std::uint64_t first_path) {
    std::vector<Path> paths(from.size());
    const StartsWanted wanted = team(from.size());
    PathTeam for_each_path(model_, wanted);
    for_each_path([&](std::size_t p, const DensityEvaluator& density) {
      paths[p] = pathfinder(density, from[p], wanted_.seed, first_path + p);
    });
    for (const Path& path : paths) evaluations_ += path.evaluations;
    return paths;
  }

  /// Keeps paths that hold some of the posterior, each place once, the best first. Few places may be of one mode.
  void keep(const std::vector<Path>& paths) {
    for (const Path& path : paths)
      if (usable(path)) kept_.push_back(path);
    std::stable_sort(kept_.begin(), kept_.end(), [](const Path& a, const Path& b) { return a.elbo > b.elbo; });
    std::vector<Path> distinct;
    for (const Path& path : kept_) {
      if (path.elbo < kept_.front().elbo - std::max(negligible, 5 * path.elbo_spread)) continue;
      if (is_near(path, distinct) || distinct.size() == most_places) continue;
      // The spike of a neck has a bound far below, and a spread far above.
      const bool holds_some = path.elbo > kept_.front().elbo - negligible;
      if (distinct.size() < most_of_any || (holds_some && parted_from_all(path, distinct))) distinct.push_back(path);
    }
    kept_ = std::move(distinct);
  }

  /// A part of a mixture is a place, though another one may hide it that lies within.
  void add_parts_of_mixtures() {
    if (kept_.empty()) return;
    StartsWanted wanted = team(0);
    wanted.first_path = wanted_.first_path + first_path_of_parts;
    PartsOfMixtures parts = follow_parts_of_mixtures(model_, kept_.front().normal.mean, wanted,
                                                     evaluations_of_look(model_) / part_on_mixtures);
    evaluations_ += parts.evaluations;
    std::erase_if(parts.paths, [](const Path& path) { return path.end != PathEnd::converged; });
    keep(parts.paths);
    of_mixtures_ = std::move(parts.paths);
    std::erase_if(of_mixtures_, [](const Path& path) { return !usable(path); });
  }

  bool parted(const std::vector<double>& a, const std::vector<double>& b) {
    evaluations_ += barrier_points;
    return !(barrier(density_, a, b) < valley);
  }
  bool parted_from_all(const Path& path, const std::vector<Path>& others) {
    return std::all_of(others.begin(), others.end(),
                       [&](const Path& other) { return parted(path.normal.mean, other.normal.mean); });
  }

  bool is_near(const Path& path, const std::vector<Path>& others) const {
    return std::any_of(others.begin(), others.end(), [&](const Path& other) { return alike(path, other); });
  }

  /// Beside the best place; each look has points of its own.
  void look_further(std::size_t number) {
    const std::size_t most = evaluations_of_look(model_);
    if (most == 0) return;
    const Path best = kept_.front();
    std::vector<double> positions =
        draw_deviations(best, draws_of_place, wanted_.seed, wanted_.first_path + first_path_to_mode);
    for (std::size_t k = 0; k < positions.size(); ++k) positions[k] += best.normal.mean[k % d_];
    const Place place(positions, metric_of(best));
    if (!place.usable()) return;
    const std::vector<double> none;
    LookWanted look{positions, none};
    for (std::size_t k = 1; k < kept_.size(); ++k) {
      const std::vector<double>& mean = kept_[k].normal.mean;
      look.peaks.insert(look.peaks.end(), mean.begin(), mean.end());
    }
    look.most_modes = modes_of_look;
    look.seed = wanted_.seed;
    look.number = wanted_.first_look + number;
    look.evaluations = most;
    look.threads = wanted_.threads;
    look.cancel = wanted_.cancel;
    const FoundModes found = look_for_modes(model_, place, look);
    evaluations_ += found.evaluations;
    std::vector<std::vector<double>> from;
    for (const FoundMode& mode : found.modes)
      if (!mode.around) from.emplace_back(mode.starts.begin(), mode.starts.begin() + static_cast<std::ptrdiff_t>(d_));
    if (from.empty()) return;
    std::vector<Path> all = kept_;
    const std::uint64_t first_path = first_path_of_look + (wanted_.first_look + number) * first_path_to_mode;
    for (const Path& path : follow(from, first_path)) all.push_back(path);
    kept_.clear();
    keep(all);
  }

  Metric metric_of(const Path& path) const {
    Metric metric;
    metric.scale = path.sds;
    if (d_ > Reference::most_dense) return metric;
    const Eigen::VectorXd inverse = variances_of(path).cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd correlation = inverse.asDiagonal() * covariance_of(path) * inverse.asDiagonal();
    const std::optional<SymmetricEigen> eigen = symmetric_eigen(correlation);
    if (!eigen || !(eigen->values.minCoeff() > 0)) return metric;
    metric.eigenvalues = numbers(eigen->values);
    metric.directions = numbers(eigen->vectors);
    return metric;
  }

  /// The shares of the places: half in equal parts, half by the lower bounds of the evidence.
  std::vector<double> shares() const {
    std::vector<double> shares;
    double all = 0;
    for (const Path& path : kept_) all += std::exp(path.elbo - kept_.front().elbo);
    for (const Path& path : kept_)
      shares.push_back(0.5 / static_cast<double>(kept_.size()) + 0.5 * std::exp(path.elbo - kept_.front().elbo) / all);
    return shares;
  }

  std::vector<ReferencePart> parts() const {
    constexpr double share_of_narrow = 1 - share_of_wide - share_of_very_wide;
    const Eigen::Index d = eigen_index(d_);
    const std::vector<double> share = shares();
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(d), variances = Eigen::VectorXd::Zero(d);
    const auto mean_of = [&](const Path& path) {
      return Eigen::Map<const Eigen::VectorXd>(path.normal.mean.data(), d);
    };
    for (std::size_t k = 0; k < kept_.size(); ++k) mean += share[k] * mean_of(kept_[k]);
    for (std::size_t k = 0; k < kept_.size(); ++k)
      variances += share[k] * (variances_of(kept_[k]) + (mean_of(kept_[k]) - mean).cwiseAbs2());
    const std::vector<double> centre(mean.data(), mean.data() + d_);
    const Eigen::VectorXd sds = variances.cwiseSqrt();
    std::vector<ReferencePart> parts;
    if (around_many())
      parts.push_back(diagonal_part(share_of_narrow, centre, numbers(inflated * sds)));
    else
      for (std::size_t k = 0; k < kept_.size(); ++k)
        parts.push_back(normal_part(share_of_narrow * share[k], kept_[k].normal.mean,
                                    numbers(inflated * inflated * covariance_of(kept_[k]))));
    if (!parts.empty()) {
      if (kept_.size() == 1)
        parts.push_back(normal_part(share_of_wide, centre, numbers(wide * wide * covariance_of(kept_[0]))));
      else
        parts.push_back(diagonal_part(share_of_wide, centre, numbers(wide * sds)));
      parts.back().wide = true;
    }
    parts.push_back(diagonal_part(share_of_very_wide, centre, numbers((very_wide * sds).cwiseMax(least_wide))));
    parts.back().wide = true;
    return parts;
  }

  /// Numbers of modes: parts are of one if a straight line between their centres leads through no valley.
  std::vector<std::size_t> modes_of(const Reference& reference, std::size_t& count) {
    const std::vector<ReferencePart>& parts = reference.parts();
    std::vector<std::size_t> mode(parts.size());
    std::iota(mode.begin(), mode.end(), std::size_t{0});
    for (std::size_t a = 0; a < kept_.size(); ++a)
      for (std::size_t b = a + 1; b < kept_.size(); ++b) {
        if (mode[a] == mode[b]) continue;
        if (parted(parts[a].mean, parts[b].mean)) continue;
        const std::size_t from = std::max(mode[a], mode[b]), to = std::min(mode[a], mode[b]);
        std::replace(mode.begin(), mode.end(), from, to);
      }
    std::vector<std::size_t> left(mode.begin(), mode.begin() + static_cast<std::ptrdiff_t>(kept_.size()));
    std::sort(left.begin(), left.end());
    left.erase(std::unique(left.begin(), left.end()), left.end());
    count = left.size();
    for (std::size_t& m : mode)
      m = static_cast<std::size_t>(std::lower_bound(left.begin(), left.end(), m) - left.begin());
    return mode;
  }

  const Model& model_;
  const ReferenceWanted& wanted_;
  std::size_t d_, evaluations_ = 0;
  DensityEvaluator density_;
  std::vector<Path> kept_, of_mixtures_;
};

}  // namespace

FoundReference find_reference(const Model& model, const ReferenceWanted& wanted) {
  return ReferenceSearch(model, wanted)();
}

}  // namespace manychain
