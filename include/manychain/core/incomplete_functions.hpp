// Logarithms of the regularised incomplete gamma and beta functions on any Real, with their derivatives in all
// arguments, the shapes included. With the same number of steps whatever the arguments, but that small shapes of the
// beta function take twice as many, in all lanes where one has such.
//
// In the logarithm of its variable, or of its odds, each integrand is log-concave. The tail that lies on the far side
// of its mode is integrated by a Gauss-Legendre rule between the end of the tail and where the integrand is exp(-38) of
// what it is there (exp(-18) in single precision); the other tail is one less this one. A derivative towards a shape is
// a mean of the logarithm under the same rule, of which all terms have one sign. Shapes are raised first, by
// recurrences of which all terms are positive (DLMF 8.8.11, 8.17.20), so that no integrand is flat over a long way.
//
// tests/unit/core/incomplete_functions_test.cpp holds them to the bounds on errors that stand here; eps is that of the
// number type, 2^-23 or 2^-52.
#pragma once

#include "manychain/core/special_functions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// body(node, weight) of the Gauss-Legendre rule on [0, 1]: 32 nodes, 16 in single precision.
template <Real R, class Body>
MANYCHAIN_HD void integrate_unit_interval(const Body& body) {
  if constexpr (is_single<R>) {
    constexpr float node[] = {5.299532504e-3f, 2.771248846e-2f, 6.718439881e-2f, 1.222977958e-1f,
                              1.910618778e-1f, 2.709916112e-1f, 3.591982246e-1f, 4.524937451e-1f};
    constexpr float weight[] = {1.357622971e-2f, 3.112676197e-2f, 4.757925584e-2f, 6.231448563e-2f,
                                7.479799441e-2f, 8.45782597e-2f,  9.130170752e-2f, 9.472530523e-2f};
    for (int k = 0; k < 8; ++k) {
      body(R(node[k]), R(weight[k]));
      body(R(1.0f - node[k]), R(weight[k]));
    }
  } else {
    constexpr double node[] = {
        1.368069075259218228e-3, 7.1942442273658323e-3,   1.761887220624678461e-2, 3.254696203113015541e-2,
        5.183942211697393802e-2, 7.531619313371501493e-2, 1.027581020160287965e-1, 1.339089406298551598e-1,
        1.684778665348923995e-1, 2.061421213796188355e-1, 2.46550045533885305e-1,  2.893243619346823273e-1,
        3.340656988589361751e-1, 3.803563188739314627e-1, 4.277640192086017533e-1, 4.758461671561308419e-1};
    constexpr double weight[] = {
        3.5093050047350483e-3,   8.137197365452835303e-3, 1.269603265463102973e-2, 1.713693145651071655e-2,
        2.141794901111334033e-2, 2.54990296311880881e-2,  2.934204673926777357e-2, 3.291111138818092342e-2,
        3.617289705442425311e-2, 3.909694789353515324e-2, 4.165596211347337761e-2, 4.382604650220190557e-2,
        4.558693934788194236e-2, 4.692219954040228282e-2, 4.781936003963742971e-2, 4.827004425736390028e-2};
    for (int k = 0; k < 16; ++k) {
      body(R(node[k]), R(weight[k]));
      body(R(1.0 - node[k]), R(weight[k]));
    }
  }
}
/// The integrand is negligible where its logarithm is below minus this.
template <Real R>
inline constexpr double integrand_depth = is_single<R> ? 18 : 38;

/// log Gamma(z) less (z - 1/2) log z - z + log(2 pi) / 2, for z > 0.
template <Real R>
MANYCHAIN_HD R stirling_rest(R z) {
  constexpr int enough = asymptotic<R>;
  const R small = min(z, R(enough));
  return select(z < R(enough), lgamma_positive(small) - fma(small - R(0.5), log(small), R(half_log_two_pi) - small),
                stirling_series(max(z, R(enough))));
}
/// digamma(z + 1) - log z for z >= asymptotic<R> (Abramowitz and Stegun 6.3.18).
template <Real R>
MANYCHAIN_HD R digamma_rest(R z) {
  const R r = R(1) / z, r2 = r * r;
  if constexpr (is_single<R>)
    return fma(r2, polynomial(r2, -1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240), R(0.5) * r);
  else
    return fma(r2,
               polynomial(r2, -1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240, -1.0 / 132, 691.0 / 32760, -1.0 / 12,
                          3617.0 / 8160),
               R(0.5) * r);
}

/// exp(v) - 1 - v, of which e = expm1(v) is known: no cancellation near zero.
template <Real R>
MANYCHAIN_HD R expm1_rest(R v, R e) {
  R p;
  if constexpr (is_single<R>)
    p = polynomial(v, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040);
  else
    p = polynomial(v, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
                   1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200);
  return select(abs(v) < R(0.5), v * v * p, e - v);
}
/// z - log(1 + z), of which l = log1p(z) is known: near zero with the series of the inverse hyperbolic tangent.
template <Real R>
MANYCHAIN_HD R log1p_rest(R z, R l) {
  const R s = z / (z + R(2)), t = s * s;
  R p;
  if constexpr (is_single<R>)
    p = polynomial(t, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11);
  else
    p = polynomial(t, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21,
                   2.0 / 23, 2.0 / 25);
  return select(abs(s) < R(0.25), s * fma(-t, p, z), z - l);
}

/// The logarithm of a probability, and its derivatives.
template <class R, int N>
struct LogProbability {
  R value;
  R slope[N];
};
/// The logarithm of that probability where `same`, else of one less it.
template <Real R, int N>
MANYCHAIN_HD LogProbability<R, N> of_either(const LogProbability<R, N>& direct, mask_of<R> same) {
  // Below one by what its rounding hides, so that the rest is above zero.
  const R log_p = min(direct.value, R(-0.25 * std::numeric_limits<number_of<R>>::epsilon()));
  const R odds = R(1) / expm1(-log_p);
  LogProbability<R, N> result;
  result.value = select(same, direct.value, log1m_exp(log_p));
  MANYCHAIN_UNROLL
  for (int k = 0; k < N; ++k) result.slope[k] = select(same, direct.slope[k], -(odds * direct.slope[k]));
  return result;
}

/// log P(a, x), or log Q(a, x) = log(1 - P(a, x)) if Upper, of the regularised incomplete gamma function (DLMF 8.2.4)
/// for a > 0 and x > 0, with the derivatives towards a and x. Errors: below 16 eps (1 + |log| + |x - a|); of
/// derivatives 16 eps times one, their size, and |x - a| times their size. Where a < 1 and x < 1, Q is one less P:
/// there they grow by 1 / Q.
template <bool Upper, Real R>
MANYCHAIN_HD LogProbability<R, 2> log_incomplete_gamma(R a, R x) {
  constexpr int raised = 4, enough = asymptotic<R>;
  constexpr double depth = integrand_depth<R>;
  const auto upper = x >= max(a, R(1));
  // x^a exp(-x) / Gamma(a + 1), of whose logarithm the large terms are a log(x / a) and a - x; and log x - digamma(a +
  // 1).
  const R from = x - a, relative = from / a, few = min(a, R(enough)), many = max(a, R(enough));
  const R log_ratio = select(abs(relative) < R(0.5), log1p(relative), log(x / a));
  const R constant = select(a < R(enough), few * log(few) - few - lgamma_positive(few + R(1)),
                            R(-0.5) * log(many) - R(half_log_two_pi) - stirling_series(many));
  const R log_factor = fma(a, log_ratio, -from) + constant;
  const R slope = select(a < R(enough), log(x) - digamma_positive(few + R(1)), log_ratio - digamma_rest(many));

  // The integral of exp(h(u)), h(u) = A v - x (exp(v) - 1), along v = u above x, v = -u below it. The
  // terms of first order are taken together, as they cancel where shapes are large.
  const R sign = select(upper, R(1), R(-1)), A = select(upper, a, a + R(raised)), begin = sign * (x - A);
  const R parabola = R(2 * depth) / (begin + sqrt(fma(begin, begin, R(2 * depth) * x)));
  R end = select(upper, min(parabola, log1p(R(2 * depth) / x)), parabola);
  MANYCHAIN_UNROLL
  for (int k = 0; k < 3; ++k) {
    const R v = sign * end, e = expm1(v);
    end = end + (fma(A, v, -x * e) + R(depth)) / (sign * (x * (e + R(1)) - A));
  }
  R sum = R(0), mean = R(0);
  integrate_unit_interval<R>([&](R node, R weight) {
    const R u = end * node, v = sign * u, term = weight * exp(-fma(begin, u, x * expm1_rest(v, expm1(v))));
    sum += term;
    mean = fma(v, term, mean);
  });
  sum = end * sum;
  mean = end * mean;

  // Below: sum_k x^k / ((a + 1) ... (a + k)), k < 4, and what P(a + 4, x) adds.
  R series = R(0), series_slope = R(0), term = R(1), harmonic = R(0);
  MANYCHAIN_UNROLL
  for (int k = 0; k < raised; ++k) {
    series += term;
    series_slope = fma(-term, harmonic, series_slope);
    const R inverse = R(1) / (a + R(k + 1));
    if (k + 1 < raised) harmonic += inverse;
    term = term * x * inverse;
  }
  const R last = term * A;
  series = fma(last, sum, series);
  series_slope = fma(last, fma(-harmonic, sum, mean), series_slope);

  LogProbability<R, 2> direct;
  const R factor = select(upper, sum, series);
  direct.value = log_factor + log(select(upper, a * sum, series));
  direct.slope[0] = slope + select(upper, R(1) / a + mean / factor, series_slope / factor);
  direct.slope[1] = select(upper, R(-1), a) / (x * factor);
  return of_either(direct, Upper ? upper : !upper);
}

/// log I_x(a, b), or log(1 - I_x(a, b)) if Upper, of the regularised incomplete beta function (DLMF 8.17.2) for
/// a, b > 0 and 0 < x < 1, with derivatives towards a, b and log(x / y). y = 1 - x and the logarithms are given, so
/// that neither end costs digits. Errors: below 16 eps (1 + |log| + |a y - b x|), of derivatives 16 eps times one,
/// their size, and |a y - b x| times their size; for shapes of 1e-6 or more. Where a shape is below one, and the tail
/// on its side holds almost all, what is left is one less that and they grow by its inverse.
template <bool Upper, Real R>
MANYCHAIN_HD LogProbability<R, 3> log_incomplete_beta(R shape_x, R shape_y, R at_x, R at_y, R log_at_x, R log_at_y) {
  constexpr int raised = is_single<R> ? 4 : 8;
  constexpr double depth = integrand_depth<R>, longest = 8;
  const auto upper = at_x * shape_y > at_y * shape_x;  // above the mean: the roles change
  const R a = select(upper, shape_y, shape_x), b = select(upper, shape_x, shape_y);
  const R x = select(upper, at_y, at_x), y = select(upper, at_x, at_y);
  const R log_x = select(upper, log_at_y, log_at_x), log_y = select(upper, log_at_x, log_at_y);
  // x^a y^b / (a B(a, b)), of whose logarithm the large terms are a log(x / p) and b log(y / q) with p = a / (a + b).
  const R n = a + b, p = a / n, q = b / n, from = select(p <= R(0.5), x - p, q - y);
  const R by_p = from / p, by_q = from / q;
  const R excess_p = select(abs(by_p) < R(0.5), log1p(by_p), log(x / p)) - by_p;
  const R excess_q = log1p(-by_q) + by_q;  // from <= 0
  const R log_factor = fma(a, excess_p, b * excess_q) + (R(0.5) * (log(q) - log(a)) - R(half_log_two_pi) +
                                                         (stirling_rest(n) - stirling_rest(b)) - stirling_rest(a));

  // The integral of exp(h(w)), h(w) = -A w - (A + b) log(y + x exp(-w)) = b w - (A + b) log(x + y exp(w)): the first
  // where x is at most a half, else the second, and the terms of first order together.
  const R A = a + R(raised), N = A + b, begin = fma(A, y, -b * x);
  const auto lower_half = x <= R(0.5);
  const R sign = select(lower_half, R(-1), R(1)), c = select(lower_half, x, y);
  // h at w; the second form where the first would be a difference of large numbers, v > 0 then.
  const auto exponent = [&](R w, R v, R e, R l) {
    return select(c * e > R(1), fma(b, w, -(N * l)),
                  -fma(begin, w, N * fma(c, expm1_rest(v, e), -log1p_rest(c * e, l))));
  };
  // Both are no less than the end: a parabola of the curvature that h begins with, and the line that h comes from.
  R end =
      min(min(R(2 * depth) / (begin + sqrt(fma(begin, begin, R(2 * depth) * (N * x * y)))), (R(depth) - N * log_y) / A),
          R(is_single<R> ? 80 : 700));
  for (int k = 0; k < 4; ++k) {
    const R v = sign * end, e = expm1(v), l = log1p(c * e);
    end = end + (exponent(end, v, e, l) + R(depth)) / fma(N * x * y, sign * e / fma(c, e, R(1)), begin);
  }
  R sum = R(0), mean_a = R(0), mean_b = R(0);
  const auto integrate = [&](R first, R length) {
    R part = R(0), part_a = R(0), part_b = R(0);
    integrate_unit_interval<R>([&](R node, R weight) {
      const R w = fma(length, node, first), v = sign * w, e = expm1(v), l = log1p(c * e);
      const R term = weight * exp(exponent(w, v, e, l));
      part += term;
      part_a = fma(select(lower_half, v - l, -l), term, part_a);
      part_b = fma(select(lower_half, -l, v - l), term, part_b);
    });
    sum = fma(length, part, sum);
    mean_a = fma(length, part_a, mean_a);
    mean_b = fma(length, part_b, mean_b);
  };
  // Small shapes: flat over a long way, which has a rule of its own, before it falls.
  const R flat = max(end - R(longest), R(0));
  integrate(flat, end - flat);
  if (any(flat > R(0))) integrate(R(0), flat);

  R series = R(0), series_a = R(0), series_b = R(0), term = R(1), change_a = R(0), change_b = R(0);
  for (int k = 0; k < raised; ++k) {
    series += term;
    series_a = fma(term, change_a, series_a);
    series_b = fma(term, change_b, series_b);
    const R of_n = n + R(k), inverse_n = R(1) / of_n, inverse_a = R(1) / (a + R(k + 1));
    term = term * x * of_n * inverse_a;
    change_b += inverse_n;
    change_a = fma((R(1) - b) * inverse_n, inverse_a, change_a);
  }
  const R last = term * A;
  series = fma(last, sum, series);
  series_a = fma(last, fma(change_a + R(1) / A, sum, mean_a), series_a);
  series_b = fma(last, fma(change_b, sum, mean_b), series_b);

  LogProbability<R, 3> direct;
  const R slope_a = log_x + digamma_difference(a + R(1), b - R(1)) + series_a / series;
  const R slope_b = log_y + digamma_difference(b, a) + series_b / series;
  direct.value = log_factor + log(series);
  direct.slope[0] = select(upper, slope_b, slope_a);
  direct.slope[1] = select(upper, slope_a, slope_b);
  direct.slope[2] = select(upper, -a, a) / series;
  return of_either(direct, Upper ? upper : !upper);
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
