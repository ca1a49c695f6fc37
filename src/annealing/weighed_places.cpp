#include "annealing/weighed_places.hpp"

#include "annealing/path_covariance.hpp"

namespace manychain {
namespace {

constexpr double widened = 1.25, widened_further = 2;  // of standard deviations
constexpr double share_of_place = 0.35, share_beyond = 0.15;

ReferencePart part_at(const Place& place, double share, double factor_of_sds) {
  const std::size_t d = place.dimension();
  if (d > Reference::most_dense) {
    std::vector<double> sds = place.sds();
    for (double& sd : sds) sd *= factor_of_sds;
    return diagonal_part(share, place.centre(), std::move(sds));
  }
  Eigen::MatrixXd factor(eigen_index(d), eigen_index(d));
  for (std::size_t i = 0; i < d; ++i) {
    std::vector<double> unit(d);
    unit[i] = factor_of_sds;
    unit = place.transform(std::move(unit));
    factor.col(eigen_index(i)) = Eigen::Map<const Eigen::VectorXd>(unit.data(), eigen_index(d));
  }
  return normal_part(share, place.centre(), numbers(factor * factor.transpose()));
}

Reference reference_of(const Place& place, const std::vector<const FoundMode*>& modes) {
  std::vector<ReferencePart> parts;
  const double of_each = (1 - share_of_place - share_beyond) / static_cast<double>(modes.size());
  for (const FoundMode* mode : modes)
    parts.push_back(mode->extent ? part_at(*mode->extent, of_each, widened)
                                 : normal_part(of_each, mode->path.normal.mean,
                                               numbers(widened * widened * covariance_of(mode->path))));
  parts.push_back(part_at(place, share_of_place, widened));
  parts.push_back(part_at(place, share_beyond, widened_further));
  parts.back().wide = true;
  return Reference(std::move(parts));
}

}  // namespace

WeighedPlaces weigh_places(const Model& model, const Place& place, const std::vector<const FoundMode*>& modes,
                           const AnnealingWanted& wanted) {
  const Reference reference = reference_of(place, modes);
  const AnnealingSchedule schedule = find_schedule(model, reference, wanted);
  const Annealed annealed = anneal(model, reference, schedule, wanted);
  WeighedPlaces weighed;
  weighed.evaluations = schedule.evaluations + annealed.evaluations;
  const std::size_t d = place.dimension(), particles = annealed.log_weights.size();
  std::vector<std::vector<double>> member(modes.size(), std::vector<double>(particles));
  for (std::size_t k = 0; k < particles; ++k) {
    const std::size_t part = reference.part_of(annealed.points.data() + k * d);
    if (part < modes.size()) member[part][k] = 1;
  }
  for (const std::vector<double>& of_mode : member) weighed.shares.push_back(weighted_mean(annealed, of_mode));
  return weighed;
}

}  // namespace manychain
