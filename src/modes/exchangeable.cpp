#include "modes/exchangeable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/core/real.hpp"
#include "manychain/model/autodiff/constraints.hpp"
#include "modes/ascent.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_labels = 64, points_looked_at = 3, most_in_subsets = 5;
constexpr double same_density = 1e-9;  // of its magnitude, or of 1

using Numbers = std::vector<double>;

/// A parameter with an axis of so many labels.
struct Labelled {
  std::string name;
  std::size_t first = 0, count = 0;  ///< of its unconstrained components
  std::size_t inner = 1, outer = 1;  ///< elements before the next label, and rounds of all labels
  bool simplex = false;              ///< one component less than labels
  const char* ordering = nullptr;    ///< the constraint that puts its elements in order; null: none does
};

Numbers simplex_of(const double* u, std::size_t labels) {
  const Size<dynamic> n(static_cast<int>(labels));
  std::vector<Scalar<double>> from(labels), to(labels);
  for (std::size_t k = 0; k + 1 < labels; ++k) from[k] = u[k];
  forward<Scalar<double>>(Simplex{}, n, from, to);
  Numbers w;
  for (const Scalar<double>& x : to) w.push_back(x.v);
  return w;
}

class Exchanges {
 public:
  Exchanges(const Model& model, const Numbers& points)
      : model_(model), d_(model.layout().dimension), density_(model.bound().evaluator()) {
    const std::size_t all = points.size() / d_, count = std::min(all, points_looked_at);
    for (std::size_t k = 0; k < count; ++k) {
      const auto at = points.begin() + static_cast<std::ptrdiff_t>(k * all / count * d_);
      points_.emplace_back(at, at + static_cast<std::ptrdiff_t>(d_));
    }
  }

  ExchangeableLabels operator()() {
    ExchangeableLabels found;
    if (points_.empty()) return found;
    for (auto& [labels, parameters] : by_labels()) {
      std::vector<Labelled> left = parameters;
      while (std::optional<std::vector<Labelled>> set = largest_set(left, labels)) {
        std::string names, vectors;
        for (const Labelled& p : *set) {
          names += (names.empty() ? "" : ", ") + p.name;
          if (p.ordering) vectors += fmt::format("{}{} as {}()", vectors.empty() ? "" : " or ", p.name, p.ordering);
          std::erase_if(left, [&](const Labelled& other) { return other.name == p.name; });
        }
        if (!parted(*set, labels)) continue;
        found.sets.push_back(names);
        found.orderable.push_back(vectors);
      }
    }
    found.evaluations = evaluations_;
    return found;
  }

 private:
  std::map<std::size_t, std::vector<Labelled>> by_labels() const {
    std::map<std::size_t, std::vector<Labelled>> by;
    const auto add = [&](std::size_t labels, const Labelled& parameter) {
      if (labels > 1 && labels <= most_labels) by[labels].push_back(parameter);
    };
    const std::vector<std::string>& names = model_.layout().unconstrained_names;
    for (const Quantity& q : model_.layout().quantities) {
      if (q.derived || q.shape.empty() || q.shape.size() > 2) continue;
      Labelled p;
      p.name = q.name;
      const auto belongs = [&](const std::string& name) { return name.starts_with(q.name + "["); };
      p.first = static_cast<std::size_t>(std::find_if(names.begin(), names.end(), belongs) - names.begin());
      p.count = static_cast<std::size_t>(std::count_if(names.begin(), names.end(), belongs));
      if (q.shape.size() == 1) {
        const bool vector = p.count == q.size();
        if (vector) p.ordering = ordering_of(p);
        p.simplex = p.count + 1 == q.size();
        if (vector || (p.simplex && is_simplex(p, q.size()))) add(q.size(), p);
      } else if (p.count == q.size()) {
        p.inner = q.shape[1];
        add(q.shape[0], p);
        p.inner = 1;
        p.outer = q.shape[0];
        add(q.shape[1], p);
      } else if (q.shape[0] != q.shape[1] && p.count + q.shape[0] == q.size()) {
        // Each row has a component less than elements. A square matrix may have a constraint of its own.
        p.inner = q.shape[1] - 1;
        add(q.shape[0], p);
      }
    }
    return by;
  }

  /// That of vectors without bounds, or that are positive; others need their bounds.
  const char* ordering_of(const Labelled& p) const {
    const double* const u = points_[0].data() + p.first;
    Numbers plain(u, u + p.count), positive;
    for (const double x : plain) positive.push_back(std::exp(x));
    return gives_the_point(p, plain) ? "ordered" : gives_the_point(p, positive) ? "positive_ordered" : nullptr;
  }
  /// Held against what the model makes of it: other constraints have one component less, too.
  bool is_simplex(const Labelled& p, std::size_t labels) const {
    return gives_the_point(p, simplex_of(points_[0].data() + p.first, labels));
  }

  /// True if the parameter has this value at the first point.
  bool gives_the_point(const Labelled& p, Numbers value) const {
    Data given;
    given.set(p.name, std::move(value));
    Numbers back = points_[0];
    try {
      model_.bound().unconstrain(given, back);
    } catch (const Error&) {
      return false;
    }
    for (std::size_t i = 0; i < d_; ++i)
      if (!(std::fabs(back[i] - points_[0][i]) < 1e-6 * (1 + std::fabs(back[i])))) return false;
    return true;
  }

  /// `x` with the labels a and b exchanged in all of the set. Empty: it lies outside of a constraint.
  Numbers exchanged(Numbers x, const std::vector<Labelled>& set, std::size_t labels, std::size_t a,
                    std::size_t b) const {
    for (const Labelled& p : set) {
      if (p.simplex) {
        Numbers w = simplex_of(x.data() + p.first, labels);
        std::swap(w[a], w[b]);
        Data given;
        given.set(p.name, w);
        try {
          model_.bound().unconstrain(given, x);
        } catch (const Error&) {
          return {};
        }
        continue;
      }
      for (std::size_t o = 0; o < p.outer; ++o)
        for (std::size_t i = 0; i < p.inner; ++i)
          std::swap(x[p.first + (o * labels + a) * p.inner + i], x[p.first + (o * labels + b) * p.inner + i]);
    }
    return x;
  }

  double density_at(const Numbers& x) {
    ++evaluations_;
    return model_.bound().density(x.data(), nullptr);
  }

  bool may_exchange(const std::vector<Labelled>& set, std::size_t labels) {
    for (const Numbers& point : points_) {
      const double here = density_at(point);
      for (std::size_t a = 0; a + 1 < labels; ++a) {
        const Numbers x = exchanged(point, set, labels, a, a + 1);
        if (x.empty() || x == point) return false;
        const double there = density_at(x);
        if (!(std::fabs(there - here) <= same_density * (1 + std::fabs(here)))) return false;
      }
    }
    return true;
  }

  std::optional<std::vector<Labelled>> largest_set(const std::vector<Labelled>& of, std::size_t labels) {
    std::vector<std::vector<Labelled>> sets;
    if (of.size() > most_in_subsets) {
      sets.push_back(of);
      for (const Labelled& p : of) sets.push_back({p});
    } else {
      for (unsigned chosen = 1; chosen < 1u << of.size(); ++chosen) {
        sets.emplace_back();
        for (std::size_t k = 0; k < of.size(); ++k)
          if (chosen >> k & 1) sets.back().push_back(of[k]);
      }
      std::stable_sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    }
    for (std::vector<Labelled>& set : sets)
      if (may_exchange(set, labels)) return std::move(set);
    return std::nullopt;
  }

  /// True if the density falls on the way from most points to one that has two labels exchanged.
  bool parted(const std::vector<Labelled>& set, std::size_t labels) {
    std::size_t falls = 0;
    for (const Numbers& point : points_) {
      double highest = 0;
      for (std::size_t a = 0; a + 1 < labels; ++a) {
        highest = std::max(highest, barrier(density_, point, exchanged(point, set, labels, a, a + 1)));
        evaluations_ += barrier_points;
      }
      falls += highest > valley;
    }
    return 2 * falls > points_.size();
  }

  const Model& model_;
  std::size_t d_;
  DensityEvaluator density_;
  std::vector<Numbers> points_;
  std::size_t evaluations_ = 0;
};

}  // namespace

ExchangeableLabels exchangeable_labels(const Model& model, const std::vector<double>& points) {
  const Layout& layout = model.layout();
  if (layout.dimension == 0 || layout.integers > 0 || layout.unconstrained_names.size() != layout.dimension) return {};
  return Exchanges(model, points)();
}

}  // namespace manychain
