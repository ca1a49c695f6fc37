#include "check/gradients_of_program.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;

constexpr double times_of_rounding = 30;
constexpr int rounds_of_changes = 2;
constexpr double of_largest = 8;  // units, of the largest component: sums over components

/// Changes numbers by up to one unit, by a low-discrepancy sequence.
class Changed {
 public:
  explicit Changed(double unit) : unit_(unit) {}
  double operator()(double x) {
    at_ += 0.6180339887498949;
    at_ -= std::floor(at_);
    return x * (1 + unit_ * (2 * at_ - 1));
  }

 private:
  double unit_, at_ = 0;
};

/// The model with changed data. Null: there are none, or they must be what they are, as a simplex must.
std::shared_ptr<const ModelBinding> with_changed_data(const Model& model, Changed& changed) {
  const Data* const data = model.bound().bound_data();
  if (!data) return nullptr;
  Data other = *data;
  for (const std::string& name : data->names()) {
    const Data::Variable& variable = *data->find(name);
    if (variable.integer) continue;
    Numbers values = variable.values;
    for (double& x : values) x = changed(x);
    other.set(name, std::move(values), variable.shape);
  }
  try {
    auto bound = model.bound().bound_to(other);
    return bound && bound->layout.dimension == model.layout().dimension ? bound : nullptr;
  } catch (const BadInput&) {
    return nullptr;
  }
}

/// Root mean square of each component of a - b at the points where b, and `exact`, are finite. Infinite where a is not.
Numbers rms_of_differences(const Numbers& a, const Numbers& b, const Numbers& exact, std::size_t d) {
  Numbers sums(d), counts(d);
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if (!std::isfinite(exact[k]) || !std::isfinite(b[k])) continue;
    const double difference = a[k] - b[k];
    sums[k % d] += std::isfinite(difference) ? difference * difference : HUGE_VAL;
    ++counts[k % d];
  }
  for (std::size_t i = 0; i < d; ++i) sums[i] = counts[i] > 0 ? std::sqrt(sums[i] / counts[i]) : 0;
  return sums;
}

}  // namespace

std::vector<WrongComponent> wrong_components(const Model& model, const Numbers& positions, const Numbers& gradients,
                                             const Numbers& exact, const ProgramRounding& rounding) {
  const std::size_t d = model.layout().dimension, n = positions.size() / d;
  const Numbers errors = rms_of_differences(gradients, exact, exact, d);
  const Numbers sizes = rms_of_differences(exact, Numbers(exact.size(), 0.0), exact, d);
  const double largest = *std::max_element(sizes.begin(), sizes.end());
  const auto beyond = [&](std::size_t i, double made) {
    return errors[i] > rounding.allowed * sizes[i] + of_largest * rounding.unit * largest + times_of_rounding * made;
  };
  const Layout& layout = model.layout();
  const auto is_whole = [&](std::size_t i) { return layout.integers > 0 && layout.integer[i]; };
  std::vector<WrongComponent> wrong;
  for (std::size_t i = 0; i < d; ++i)
    if (!is_whole(i) && beyond(i, 0)) wrong.push_back({i, sizes[i] > 0 ? errors[i] / sizes[i] : HUGE_VAL});
  Changed changed(rounding.unit);
  for (int round = 0; round < rounds_of_changes && !wrong.empty(); ++round) {
    const auto other = with_changed_data(model, changed);
    Numbers moved = positions, there(n), gradient(n * d);
    for (std::size_t k = 0; k < moved.size(); ++k)
      if (!is_whole(k % d)) moved[k] = changed(moved[k]);
    (other ? *other : model.bound()).evaluator()(moved.data(), n, there.data(), gradient.data());
    const Numbers made = rms_of_differences(gradient, exact, exact, d);
    wrong.erase(std::remove_if(wrong.begin(), wrong.end(),
                               [&](const WrongComponent& w) { return !beyond(w.index, made[w.index]); }),
                wrong.end());
  }
  std::stable_sort(wrong.begin(), wrong.end(), [](const auto& a, const auto& b) { return a.error > b.error; });
  return wrong;
}

}  // namespace manychain
