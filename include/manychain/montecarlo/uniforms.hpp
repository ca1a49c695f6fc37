// The normal distribution as the limit of means of uniforms, without a random number.
// Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2 (1995), chapter 26.
#pragma once

namespace manychain::montecarlo {

/// P(U_1 + .. + U_n <= x) of independent uniforms on (0, 1): the Irwin-Hall distribution. As a sum of B-splines by
/// their recurrence, of which all terms are positive (de Boor 1972): the alternating sum of the textbooks loses all
/// digits from n = 25 on. O(n^2). Throws BadInput unless 1 <= n <= 200 and x is not NaN.
double irwin_hall_cdf(int n, double x);

struct NormalDistance {
  double distance = 0;  ///< sup over z of |P(Z_n <= z) - Phi(z)|, the Kolmogorov distance
  double at = 0;        ///< the z >= 0 where it is attained; so it is at -z
  double bound = 0;     ///< Berry and Esseen's, C E|X|^3 / (sd^3 sqrt(n)) with C = 0.4748 (Shevtsova 2011)
};

/// The distance of Z_n, the mean of n uniforms minus 1/2, over its standard deviation 1 / sqrt(12 n). Tends to
/// 0.0275 / n: uniforms are symmetric, so that the first term of Edgeworth's series vanishes. Throws BadInput unless
/// 1 <= n <= 200.
NormalDistance gaussian_by_uniforms_distance(int n);

}  // namespace manychain::montecarlo
