#include "manychain/montecarlo/uniforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "manychain/core/error.hpp"

namespace manychain::montecarlo {
namespace {

constexpr int most = 200;

void check(int n) {
  if (n < 1 || n > most) throw BadInput(fmt::format("number of uniforms: {} is not allowed; take 1 .. {}", n, most));
}

double normal_cdf(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

}  // namespace

double irwin_hall_cdf(int n, double x) {
  check(n);
  if (std::isnan(x)) throw BadInput("irwin_hall_cdf: x is nan");
  if (x <= 0) return 0;
  if (x >= n) return 1;
  // The smaller tail is summed, so that it keeps its relative accuracy.
  if (x > 0.5 * n) return 1 - irwin_hall_cdf(n, n - x);
  // F_n(x) = sum over j >= 0 of f_(n+1)(x - j), and (m - 1) f_m(t) = t f_(m-1)(t) + (m - t) f_(m-1)(t - 1); entry i
  // holds f_m at fraction + i.
  const auto whole = static_cast<std::size_t>(x);
  const double fraction = x - static_cast<double>(whole);
  std::vector<double> density(whole + 1, 0);
  density[0] = 1;
  for (int m = 2; m <= n + 1; ++m) {
    for (std::size_t i = whole + 1; i-- > 0;) {
      const double t = fraction + static_cast<double>(i);
      // Beyond its support f_(m-1) is zero, so that m - t < 0 multiplies nothing.
      density[i] = (t * density[i] + (i > 0 ? (m - t) * density[i - 1] : 0)) / (m - 1);
    }
  }
  double sum = 0;
  for (double d : density) sum += d;
  return std::min(sum, 1.0);
}

NormalDistance gaussian_by_uniforms_distance(int n) {
  check(n);
  const double sd = std::sqrt(n / 12.0);
  const auto off = [&](double z) { return std::fabs(irwin_hall_cdf(n, 0.5 * n - z * sd) - normal_cdf(-z)); };
  // By symmetry the lower half is enough; below its support the distance is Phi alone, which rises toward it. Far out
  // both tails are below any distance that an n up to 200 has.
  const double last = std::min(0.5 * n / sd, 5.0);
  constexpr int cells = 512;
  int best = 0;
  double largest = 0;
  for (int i = 0; i <= cells; ++i) {
    if (const double d = off(last * i / cells); d > largest) largest = d, best = i;
  }
  // Golden section between the neighbours of the best point.
  double a = last * std::max(best - 1, 0) / cells, b = last * std::min(best + 1, cells) / cells;
  const double golden = 1 / std::numbers::phi;
  double left = b - golden * (b - a), right = a + golden * (b - a);
  double at_left = off(left), at_right = off(right);
  for (int i = 0; i < 40; ++i) {
    if (at_left < at_right) {
      a = left;
      left = right;
      at_left = at_right;
      at_right = off(right = a + golden * (b - a));
    } else {
      b = right;
      right = left;
      at_right = at_left;
      at_left = off(left = b - golden * (b - a));
    }
  }
  NormalDistance d;
  d.at = (a + b) / 2;
  d.distance = std::max(off(d.at), largest);
  // E|U - 1/2|^3 = 1/32 and the standard deviation of U is 1 / sqrt(12).
  d.bound = 0.4748 * std::pow(12.0, 1.5) / 32 / std::sqrt(n);
  return d;
}

}  // namespace manychain::montecarlo
