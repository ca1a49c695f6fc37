// The Ising model on a square lattice, by its full conditionals alone.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// P(s) proportional to exp(sum over neighbours of s_i s_j / T), spins 1 and -1 (in the state 1 and 0) on an L x L
/// torus, L even. The state holds one colour of the checkerboard, then the other, row by row: given one, the spins of
/// the other are independent.
template <class Number, int Length = dynamic>
struct Ising {
  using samplers = SamplerList<Gibbs<>>;
  static constexpr int dimension = Length == dynamic ? dynamic : Length * Length;
  Size<Length> L;
  Scalar<Number> temperature;

  void data(DataReader& in) {
    in("L", L, lower(4));
    in("T", temperature, lower(0));
  }

  /// The sum of the four neighbours of a site, all of the other colour.
  template <class Q>
  MANYCHAIN_HD auto field(int colour, int site, const Q& q) const {
    const int half = L.value() / 2, row = site / half, k = site % half;  // column 2 k, or 2 k + 1
    const int up = row == 0 ? L.value() - 1 : row - 1, down = row + 1 == L.value() ? 0 : row + 1;
    const int side = (row + colour) % 2 == 0 ? (k == 0 ? half - 1 : k - 1) : (k + 1 == half ? 0 : k + 1);
    const int other = colour == 0 ? half * L.value() : 0;
    return 2.0 * ((q[other + row * half + k] + q[other + row * half + side]) +
                  (q[other + up * half + k] + q[other + down * half + k])) -
           4.0;
  }

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    const int sites = L.value() * L.value();
    const auto q = target.latent_integers("s", sites, 0, 1);
    target.derived("energy", Energy<decltype(q)>{*this, q}.per_site());
    target.derived("magnetisation", Energy<decltype(q)>{*this, q}.magnetisation());
  }

  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    const int half = L.value() * L.value() / 2;
    for (int colour = 0; colour < 2; ++colour)
      visitor.components(colour * half, half, [&](int site, const auto& q) {
        return bernoulli_logit_distribution(field(colour, site, q) * (2.0 / temperature));
      });
  }

 private:
  template <class Q>
  struct Energy {
    const Ising& model;
    const Q& q;
    MANYCHAIN_HD auto operator[](int i) const { return value(q[i]); }
    /// Each edge once: it has one end of the first colour.
    MANYCHAIN_HD auto per_site() const {
      const int sites = model.L.value() * model.L.value();
      auto sum = (*this)[0] * 0.0;
      for (int i = 0; i < sites / 2; ++i) sum += (1.0 - 2.0 * (*this)[i]) * model.field(0, i, *this);
      return sum * (1.0 / sites);
    }
    MANYCHAIN_HD auto magnetisation() const {
      const int sites = model.L.value() * model.L.value();
      auto sum = (*this)[0] * 0.0;
      for (int i = 0; i < sites; ++i) sum += (*this)[i];
      return abs(sum * (2.0 / sites) - 1.0);
    }
  };
};

}  // namespace manychain::gallery::models
