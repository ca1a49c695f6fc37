#!/usr/bin/env python3
"""Writes reference_densities.inc, or reference_log_cdfs.inc: log densities, or log CDFs and those of complements, and
their partial derivatives at points inside the support.

Computed from the textbook formulae with mpmath at 50 digits; derivatives by mpmath.diff, not by hand. Every argument is
a multiple of a power of two that single precision holds exactly. Beside each number stands its condition: the sum of the
magnitudes of the terms that it is made of, which is what rounding errors are proportional to.

    pip install mpmath && python3 reference_densities.py densities > reference_densities.inc
    python3 reference_densities.py log_cdfs > reference_log_cdfs.inc
"""
import struct
import sys

from mpmath import atan2, betainc, besseli, cos, diff, erf, erfc, exp, expm1, gammainc, log, log1p, loggamma, mp, mpf, pi, quad, sqrt

mp.dps = 50
half = mpf(1) / 2


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def log1pexp(e):
    return log(1 + exp(e))


def log1mexp(t):
    """log(1 - exp(-t))"""
    return log1p(-exp(-t)) if t > 1 else log(-expm1(-t))


def log_p(a, x):
    return log(gammainc(a, 0, x, regularized=True))


def log_q(a, x):
    return log(gammainc(a, x, regularized=True))


def log_i(a, b, x):
    return log(betainc(a, b, 0, x, regularized=True))


def t_tail(t, n):
    """log P(T > t)"""
    half_tail = betainc(n / 2, half, 0, n / (n + t * t), regularized=True) / 2
    return log(half_tail if t > 0 else 1 - half_tail)


def split(f, *costs):
    """f as terms: what the rounding of its arguments costs, and the rest of it."""
    return [lambda *x: f(*x) - sum(cost(*x) for cost in costs), *costs]


def skew_tail(z, a):
    """log P(Z > z) of a skew normal variate: the density integrated, where it is not small, and its sharp side apart."""
    f = lambda t: exp(-half * t * t) / sqrt(2 * pi) * erfc(-a * t / sqrt(2))
    step = 1 / sqrt(1 + a * a) / max(1, abs(z))
    ends = {z + step * k for k in (0, 1, 4, 16)} | {z + k for k in (1, 4, 16)} | ({mpf(0)} if z < 0 else set())
    at = f(z)
    return log(at) + log(quad(lambda t: f(t) / at, sorted(ends), method="gauss-legendre"))  # quad's error is absolute


# name: (terms, points). The first argument is the variate; counts and trials carry no derivative.
DENSITIES = {
    "normal": ([lambda x, m, s: -half * ((x - m) / s) ** 2, lambda x, m, s: -log(s), lambda x, m, s: -half * log(2 * pi)],
               [(0, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (1e4, 1e4 - 2, 0.5), (1e-8, -1e-8, 1e-7), (1e8, 3, 1e7),
                (-1e4, 3, 0.1)], 3),
    "half_normal": ([lambda x, s: -half * (x / s) ** 2, lambda x, s: -log(s), lambda x, s: half * log(2 / pi)],
                    [(0.3, 1), (1.3, 2.1), (37.5, 0.7), (1e-20, 3), (1e8, 1e7), (2, 1e-3)], 2),
    "student_t": ([lambda x, n, m, s: loggamma((n + 1) / 2), lambda x, n, m, s: -loggamma(n / 2),
                   lambda x, n, m, s: -half * log(n * pi), lambda x, n, m, s: -log(s),
                   lambda x, n, m, s: -(n + 1) / 2 * log(1 + ((x - m) / s) ** 2 / n)],
                  [(0, 1, 0, 1), (1.3, 4, 0.4, 2.1), (-3.7, 0.1, 0.2, 0.3), (37.5, 30, 1, 0.7), (1e6, 2.5, 0, 1),
                   (-1e12, 3, 1, 0.5), (0.01, 1e-3, 0, 10), (2, 200, 1, 1), (1e-9, 7, 0, 3)], 4),
    "cauchy": ([lambda x, m, s: -log(pi * s), lambda x, m, s: -log(1 + ((x - m) / s) ** 2)],
               [(0, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (1e12, 0, 5), (1e-9, 0, 5), (3, 3.001, 1e-3)], 3),
    "half_cauchy": ([lambda x, s: log(2 / (pi * s)), lambda x, s: -log(1 + (x / s) ** 2)],
                    [(0.2, 1), (1.3, 2.1), (37.5, 0.7), (1e12, 5), (1e-9, 5), (5, 5)], 2),
    "lognormal": ([lambda x, m, s: -half * ((log(x) - m) / s) ** 2, lambda x, m, s: -log(x), lambda x, m, s: -log(s),
                   lambda x, m, s: -half * log(2 * pi)],
                  [(1, 0, 1), (1.3, 0.4, 2.1), (1e-12, -3, 4), (1e12, 0.5, 7), (37.5, 3.5, 0.25), (1e-30, -60, 3)], 3),
    "exponential": ([lambda x, b: log(b), lambda x, b: -b * x],
                    [(1e-9, 1), (1.3, 0.4), (37.5, 2), (1e6, 1e-6), (1e-6, 1e6), (250, 3)], 2),
    "gamma": ([lambda x, a, b: a * log(b), lambda x, a, b: -loggamma(a), lambda x, a, b: (a - 1) * log(x),
               lambda x, a, b: -b * x],
              [(1.3, 0.4, 2.1), (1, 1, 1), (2, 1, 3), (1e-9, 0.01, 0.5), (37.5, 50, 1.5), (1e-6, 2, 1e3), (900, 1e3, 1.1),
               (0.5, 7.9, 3), (0.5, 8.1, 3), (1e-4, 1e-4, 2)], 3),
    "inverse_gamma": ([lambda x, a, b: a * log(b), lambda x, a, b: -loggamma(a), lambda x, a, b: -(a + 1) * log(x),
                       lambda x, a, b: -b / x],
                      [(1.3, 0.4, 2.1), (1, 1, 1), (0.01, 2, 0.5), (1e6, 0.01, 3), (0.7, 50, 30), (1e-3, 3, 1e-3)], 3),
    "beta": ([lambda x, a, b: loggamma(a + b), lambda x, a, b: -loggamma(a), lambda x, a, b: -loggamma(b),
              lambda x, a, b: (a - 1) * log(x), lambda x, a, b: (b - 1) * log(1 - x)],
             [(0.3, 0.4, 2.1), (0.5, 1, 1), (0.25, 1, 3), (0.75, 4, 1), (1e-9, 0.5, 0.5), (0.99, 30, 2), (0.5, 0.01, 0.01),
              (0.1, 12, 88)], 3),
    "uniform": ([lambda x, a, b: -log(b - a)], [(0.3, 0, 1), (2, -3, 5), (1e-6, 0, 2e-6), (7, -1e6, 1e6)], 3),
    "bernoulli_logit": ([lambda y, e: y * e - log1pexp(e)],
                        [(0, 0), (1, 0), (1, 1.3), (0, 1.3), (1, -2.5), (0, -2.5), (1, 20), (0, 20), (1, -20), (0, -20),
                         (1, 80), (0, -80), (1, -80), (0, 80), (0, 1e-9), (1, 1e4), (0, 1e4)], -1),
    "binomial_logit": ([lambda y, n, e: loggamma(n + 1), lambda y, n, e: -loggamma(y + 1),
                        lambda y, n, e: -loggamma(n - y + 1), lambda y, n, e: y * e, lambda y, n, e: -n * log1pexp(e)],
                       [(0, 1, 0), (1, 1, 1.3), (3, 10, -0.5), (10, 10, 20), (0, 10, -20), (7, 10, 80), (500, 1000, 0.01),
                        (0, 0, 3), (1000, 1000, 12), (2, 5, -80)], -2),
    "poisson_log": ([lambda y, e: y * e, lambda y, e: -exp(e), lambda y, e: -loggamma(y + 1)],
                    [(0, 0), (1, 0.5), (7, 2), (0, -30), (3, -80), (1000, 7), (20, 0.1), (0, 80)], -1),
    "double_exponential": ([lambda x, m, s: -abs(x - m) / s, lambda x, m, s: -log(2 * s)],
                           [(0.5, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (1e8, 3, 1e7), (1e-8, -1e-8, 1e-7)], 3),
    "logistic": ([lambda x, m, s: -abs(x - m) / s, lambda x, m, s: -2 * log(1 + exp(-abs(x - m) / s)), lambda x, m, s: -log(s)],
                 [(0.5, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (1e8, 3, 1e7), (1e-8, -1e-8, 1e-7), (800, 0, 1)], 3),
    "weibull": ([lambda x, a, s: log(a) - log(s), lambda x, a, s: (a - 1) * log(x / s), lambda x, a, s: -(x / s) ** a],
                [(0.5, 1, 1), (1.3, 0.4, 2.1), (3.75, 7, 3), (1e-8, 0.5, 2), (1e6, 1.5, 1e5), (0.1, 30, 1)], 3),
    "gumbel": ([lambda x, m, s: -(x - m) / s, lambda x, m, s: -exp(-(x - m) / s), lambda x, m, s: -log(s)],
               [(0.5, 0, 1), (1.3, 0.4, 2.1), (-3.5, 0.01, 0.7), (1e8, 3, 1e7), (1e-8, -1e-8, 1e-7), (60, 0, 1)], 3),
    "von_mises": ([lambda x, m, k: k * (cos(x - m) - 1), lambda x, m, k: -log(2 * pi), lambda x, m, k: -log(besseli(0, k) * exp(-k))],
                  [(0.5, 0, 1), (1.3, 0.4, 2.1), (-3, 3, 0.01), (2.01, 2, 1e4), (0, -3.1, 5), (0.7, 0.5, 30), (9, 1, 3.99),
                   (9, 1, 10.5), (0.25, 0, 1e-4)], 3),
    "skew_normal": ([lambda x, m, s, a: -half * ((x - m) / s) ** 2, lambda x, m, s, a: -log(s), lambda x, m, s, a: half * log(2 / pi),
                     lambda x, m, s, a: log(erfc(-a * (x - m) / s / sqrt(2)) / 2)],
                    [(0.5, 0, 1, 0), (1.3, 0.4, 2.1, 3), (-3.5, 0.01, 0.7, 4), (1e8, 3, 1e7, -2), (-1, 2, 0.5, -6), (2, 0, 1, 100)], 4),
    "half_student_t": ([lambda x, n, s: loggamma((n + 1) / 2) - loggamma(n / 2), lambda x, n, s: -half * log(n * pi / 4),
                        lambda x, n, s: -log(s), lambda x, n, s: -(n + 1) / 2 * log(1 + (x / s) ** 2 / n)],
                       [(0.5, 1, 1), (1.3, 4, 2.1), (3.7, 0.1, 0.3), (37.5, 30, 7), (1e6, 2.5, 1), (2, 1e5, 1), (1e-9, 7, 3)], 3),
    "chi_square": ([lambda x, n: -n / 2 * log(2), lambda x, n: -loggamma(n / 2), lambda x, n: (n / 2 - 1) * log(x), lambda x, n: -x / 2],
                   [(0.5, 1), (1.3, 4), (3.7, 0.1), (37.5, 30), (900, 1000), (1e-9, 7), (1, 2)], 2),
    "pareto": ([lambda x, m, a: log(a), lambda x, m, a: -log(x), lambda x, m, a: a * log(m), lambda x, m, a: -a * log(x)],
               [(1.5, 1, 1), (1.3, 0.4, 2.1), (3e5, 100, 0.1), (37.5, 30, 70), (1e-6, 1e-7, 3)], 3),
    "poisson": ([lambda y, l: y * log(l), lambda y, l: -l, lambda y, l: -loggamma(y + 1)],
                [(0, 1), (1, 0.5), (7, 8.5), (0, 1e-6), (3, 1e-6), (1000, 1010.5), (20, 0.1), (0, 80)], -1),
    "bernoulli": ([lambda y, t: y * log(t), lambda y, t: (1 - y) * log(1 - t)],
                  [(0, 0.5), (1, 0.5), (1, 1e-6), (0, 1e-6), (1, 0.999), (0, 0.999)], -1),
    "binomial": ([lambda y, n, t: loggamma(n + 1), lambda y, n, t: -loggamma(y + 1), lambda y, n, t: -loggamma(n - y + 1),
                  lambda y, n, t: y * log(t), lambda y, n, t: (n - y) * log(1 - t)],
                 [(0, 1, 0.5), (1, 1, 0.3), (3, 10, 0.7), (10, 10, 0.99), (0, 10, 1e-6), (7, 10, 1e-6), (500, 1000, 0.51), (0, 0, 0.1)], -2),
    "geometric": ([lambda y, t: log(t), lambda y, t: y * log(1 - t)],
                  [(0, 0.5), (1, 0.3), (30, 0.1), (100000, 1e-5), (4, 0.99)], -1),
    "neg_binomial": ([lambda y, a, b: loggamma(y + a) - loggamma(a), lambda y, a, b: -loggamma(y + 1), lambda y, a, b: a * log(b / (b + 1)),
                      lambda y, a, b: -y * log(1 + b)],
                     [(0, 1, 1), (3, 0.4, 2.1), (17, 12, 0.5), (1000, 0.01, 1e-3), (9, 1e6, 1e5), (0, 30, 1e4)], -1),
    "neg_binomial_2": ([lambda y, m, p: loggamma(y + p) - loggamma(p), lambda y, m, p: -loggamma(y + 1), lambda y, m, p: y * log(m / (m + p)),
                        lambda y, m, p: p * log(p / (m + p))],
                       [(0, 1, 1), (3, 0.4, 2.1), (17, 12, 0.5), (1000, 900, 0.01), (9, 10.5, 1e9), (0, 30, 1e4), (40, 41, 7.5)], -1),
    "neg_binomial_2_log": ([lambda y, e, p: loggamma(y + p) - loggamma(p), lambda y, e, p: -loggamma(y + 1),
                            lambda y, e, p: -y * log1pexp(log(p) - e), lambda y, e, p: -p * log1pexp(e - log(p))],
                           [(0, 0, 1), (3, -0.4, 2.1), (17, 2.5, 0.5), (1000, 7, 0.01), (9, 2.35, 1e9), (0, 80, 4), (3, -80, 4)], -1),
    "beta_binomial": ([lambda y, n, a, b: loggamma(n + 1), lambda y, n, a, b: -loggamma(y + 1), lambda y, n, a, b: -loggamma(n - y + 1),
                       lambda y, n, a, b: loggamma(a + y) - loggamma(a), lambda y, n, a, b: loggamma(b + n - y) - loggamma(b),
                       lambda y, n, a, b: loggamma(a + b) - loggamma(a + b + n)],
                      [(0, 1, 1, 1), (3, 10, 0.4, 2.1), (17, 30, 12, 0.5), (10, 10, 5, 1e-3), (0, 40, 1e6, 3e6), (50, 100, 1e5, 1e5)], -2),
}
# Log CDFs and their complements: one term each.
LOG_CDFS = {
    "normal_lcdf": ([lambda x, m, s: log(erfc(-(x - m) / s / sqrt(2)) / 2)],
                    [(0, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (12, 0, 1), (-1, 2, 0.5), (1e4, 1, 1e5)], 3),
    "normal_lccdf": ([lambda x, m, s: log(erfc((x - m) / s / sqrt(2)) / 2)],
                     [(0, 0, 1), (1.3, 0.4, 2.1), (-12, 0.01, 0.7), (37.5, 0, 1), (-1, 2, 0.5), (1e4, 1, 1e5)], 3),
    "lognormal_lcdf": ([lambda x, m, s: log(erfc(-(log(x) - m) / s / sqrt(2)) / 2)],
                       [(1, 0, 1), (1.3, 0.4, 2.1), (1e-12, 0.5, 1.5), (1e3, 0, 1), (3, 2, 0.5)], 3),
    "lognormal_lccdf": ([lambda x, m, s: log(erfc((log(x) - m) / s / sqrt(2)) / 2)],
                        [(1, 0, 1), (1.3, 0.4, 2.1), (1e-2, 0.5, 1.5), (1e12, 0, 1), (3, 2, 0.5)], 3),
    "logistic_lcdf": ([lambda x, m, s: -log1pexp(-(x - m) / s)],
                      [(0, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (30, 0, 1), (-900, 2, 1)], 3),
    "logistic_lccdf": ([lambda x, m, s: -log1pexp((x - m) / s)],
                       [(0, 0, 1), (1.3, 0.4, 2.1), (37.5, 0.01, 0.7), (-30, 0, 1), (900, 2, 1)], 3),
    "gumbel_lcdf": ([lambda x, m, s: -exp(-(x - m) / s)],
                    [(0, 0, 1), (1.3, 0.4, 2.1), (-3.5, 0.01, 0.7), (30, 0, 1), (-5, 2, 4)], 3),
    "gumbel_lccdf": ([lambda x, m, s: log1mexp(exp(-(x - m) / s))],
                     [(0, 0, 1), (1.3, 0.4, 2.1), (-3.5, 0.01, 0.7), (30, 0, 1), (-5, 2, 4), (1000, 0, 1)], 3),
    "double_exponential_lcdf": ([lambda x, m, s: log(exp((x - m) / s) / 2 if x < m else 1 - exp((m - x) / s) / 2)],
                                [(0.5, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (-900, 2, 1)], 3),
    "double_exponential_lccdf": ([lambda x, m, s: log(exp((m - x) / s) / 2 if x > m else 1 - exp((x - m) / s) / 2)],
                                 [(0.5, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (900, 2, 1)], 3),
    "exponential_lcdf": ([lambda x, b: log1mexp(b * x)], [(1, 1), (1.3, 0.4), (1e-20, 3), (30, 1), (0.1, 2)], 2),
    "exponential_lccdf": ([lambda x, b: -b * x], [(1, 1), (1.3, 0.4), (1e-20, 3), (30, 1), (0.1, 2)], 2),
    "weibull_lcdf": ([lambda x, a, s: log1mexp((x / s) ** a)],
                     [(1, 1, 2), (1.3, 0.4, 2.1), (1e-12, 4, 3), (30, 1.5, 10), (0.5, 3, 1), (1e-12, 40, 3)], 3),
    "weibull_lccdf": ([lambda x, a, s: -(x / s) ** a],
                      [(1, 1, 2), (1.3, 0.4, 2.1), (0.01, 4, 3), (30, 1.5, 10), (0.5, 3, 1)], 3),
    "pareto_lcdf": ([lambda x, m, a: log(1 - (m / x) ** a)], [(1.5, 1, 1), (1.3, 0.4, 2.1), (3e5, 100, 0.1), (37.5, 30, 70)], 3),
    "pareto_lccdf": ([lambda x, m, a: -a * log(x / m)], [(1.5, 1, 1), (1.3, 0.4, 2.1), (3e5, 100, 0.1), (37.5, 30, 70)], 3),
    # With a shape. The second term and its counterpart in the first: what the rounding of the arguments costs.
    "gamma_lcdf": ([lambda x, a, b: log_p(a, b * x) - (a - b * x), lambda x, a, b: a - b * x],
                   [(1.3, 0.4, 2.1), (1, 1, 1), (1e-9, 0.05, 0.5), (37.5, 50, 1.5), (1e-3, 20, 2), (900, 1e3, 1.1), (40, 3, 1),
                    (0.5, 7.9, 3), (600, 1e3, 1)], 3),
    "gamma_lccdf": ([lambda x, a, b: log_q(a, b * x) - (a - b * x), lambda x, a, b: a - b * x],
                    [(1.3, 0.4, 2.1), (1, 1, 1), (1e-3, 0.5, 0.5), (37.5, 50, 1.5), (1, 20, 2), (900, 1e3, 1.1), (60, 3, 1.5),
                     (0.5, 7.9, 3), (1500, 1e3, 1)], 3),
    "chi_square_lcdf": ([lambda x, n: log_p(n / 2, x / 2) - (n - x) / 2, lambda x, n: (n - x) / 2],
                        [(0.5, 1), (1.3, 4), (3.7, 0.1), (37.5, 30), (900, 1000), (1e-9, 7)], 2),
    "chi_square_lccdf": ([lambda x, n: log_q(n / 2, x / 2) - (n - x) / 2, lambda x, n: (n - x) / 2],
                         [(0.5, 1), (1.3, 4), (3.7, 0.1), (37.5, 30), (900, 1000), (150, 7)], 2),
    "inverse_gamma_lcdf": ([lambda x, a, b: log_q(a, b / x) - (a - b / x), lambda x, a, b: a - b / x],
                           [(1.3, 0.4, 2.1), (1, 1, 1), (0.01, 2, 0.5), (0.7, 50, 30), (0.02, 3, 1)], 3),
    "inverse_gamma_lccdf": ([lambda x, a, b: log_p(a, b / x) - (a - b / x), lambda x, a, b: a - b / x],
                            [(1.3, 0.4, 2.1), (1, 1, 1), (1e3, 2, 0.5), (0.7, 50, 30), (2, 3, 1)], 3),
    "beta_lcdf": ([lambda x, a, b: log_i(a, b, x) - (a * (1 - x) - b * x), lambda x, a, b: a * (1 - x) - b * x],
                  [(0.3, 0.4, 2.1), (0.5, 1, 1), (0.25, 1, 3), (0.75, 4, 1), (1e-9, 0.5, 0.5), (0.99, 30, 2), (0.1, 12, 88),
                   (0.9, 300, 20), (0.01, 30, 50)], 3),
    "beta_lccdf": ([lambda x, a, b: log_i(b, a, 1 - x) - (a * (1 - x) - b * x), lambda x, a, b: a * (1 - x) - b * x],
                   [(0.3, 1.4, 2.1), (0.5, 1, 1), (0.25, 1, 3), (0.75, 4, 1), (0.75, 0.5, 0.5), (0.99, 30, 2), (0.1, 12, 88),
                    (0.97, 300, 20), (0.9, 30, 50)], 3),
    "student_t_lcdf": ([lambda x, n, m, s: t_tail(-(x - m) / s, n)],
                       [(0.001, 1, 0, 1), (1.3, 4, 0.4, 2.1), (-3.7, 0.1, 0.2, 0.3), (-37.5, 30, 1, 7), (-1e6, 2.5, 0, 1), (2, 200, 1, 1),
                        (-4, 1e4, 0, 1), (1e-6, 7, 0, 3), (30, 3, 0, 1)], 4),
    "student_t_lccdf": ([lambda x, n, m, s: t_tail((x - m) / s, n)],
                        [(0.001, 1, 0, 1), (1.3, 4, 0.4, 2.1), (3.7, 0.1, 0.2, 0.3), (37.5, 30, 1, 7), (1e6, 2.5, 0, 1), (2, 200, 1, 1),
                         (4, 1e4, 0, 1), (-1e-6, 7, 0, 3), (-30, 3, 0, 1)], 4),
    "half_student_t_lcdf": ([lambda x, n, s: log(betainc(half, n / 2, 0, x * x / (n * s * s + x * x), regularized=True))],
                            [(0.5, 1, 1), (1.3, 4, 2.1), (3.7, 0.125, 0.3), (37.5, 30, 7), (1e6, 2.5, 1), (2, 1e5, 1), (1e-9, 7, 3)], 3),
    "half_student_t_lccdf": ([lambda x, n, s: log(betainc(n / 2, half, 0, n * s * s / (n * s * s + x * x), regularized=True))],
                             [(0.5, 1, 1), (1.3, 4, 2.1), (3.7, 0.125, 0.3), (37.5, 30, 7), (1e6, 2.5, 1), (2, 1e5, 1), (1e-9, 7, 3)], 3),
    # Ends and halves.
    "uniform_lcdf": ([lambda x, a, b: log((x - a) / (b - a))],
                     [(0.3, 0, 1), (2, -3, 5), (1e-6, 0, 2e-6), (7, -1e6, 1e6), (0.999, 0, 1), (1e-7, 0, 3)], 3),
    "uniform_lccdf": ([lambda x, a, b: log((b - x) / (b - a))],
                      [(0.3, 0, 1), (2, -3, 5), (1e-6, 0, 2e-6), (7, -1e6, 1e6), (0.999, 0, 1), (1e-7, 0, 3)], 3),
    "cauchy_lcdf": ([lambda x, m, s: log(atan2(s, m - x) / pi)],
                    [(0, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (1e12, 0, 5), (-1e9, 0, 5), (-3, -2.5, 2)], 3),
    "cauchy_lccdf": ([lambda x, m, s: log(atan2(s, x - m) / pi)],
                     [(0, 0, 1), (1.3, 0.4, 2.1), (-37.5, 0.01, 0.7), (1e12, 0, 5), (-1e9, 0, 5), (-3, -2.5, 2)], 3),
    "half_cauchy_lcdf": ([lambda x, s: log(2 * atan2(x, s) / pi)], [(0.2, 1), (1.3, 2.1), (37.5, 0.7), (1e12, 5), (1e-9, 5), (5, 5)], 2),
    "half_cauchy_lccdf": ([lambda x, s: log(2 * atan2(s, x) / pi)], [(0.2, 1), (1.3, 2.1), (37.5, 0.7), (1e12, 5), (1e-9, 5), (5, 5)], 2),
    "half_normal_lcdf": ([lambda x, s: log(erf(x / s / sqrt(2)))], [(0.3, 1), (1.3, 2.1), (3.5, 0.7), (1e-20, 3), (1e8, 1e7), (2, 1.9)], 2),
    "half_normal_lccdf": ([lambda x, s: log(erfc(x / s / sqrt(2)))], [(0.3, 1), (1.3, 2.1), (37.5, 0.7), (1e-20, 3), (1e8, 1e7), (2, 1.9)], 2),
    "skew_normal_lcdf": ([lambda x, m, s, a: skew_tail(-(x - m) / s, -a)],
                         [(0.5, 0, 1, 0), (1.3, 0.4, 2.1, 3), (-3.5, 0.01, 0.7, 4), (5, 0.3, 1, -2), (-1, 2, 0.5, -6), (2, 0, 1, 100), (0, 0, 1, 2), (0.01, 0, 1, 30),
                         (-0.02, 0, 1, 20), (-0.3, 0, 1, -0.7), (0.3, 0, 2, -0.9), (-12, 0, 1, 1), (-1.4, 0, 1, 0.2), (1.1, 0, 1, -1.2)], 4),
    "skew_normal_lccdf": ([lambda x, m, s, a: skew_tail((x - m) / s, a)],
                          [(0.5, 0, 1, 0), (1.3, 0.4, 2.1, 3), (-3.5, 0.01, 0.7, 4), (5, 0.3, 1, -2), (-1, 2, 0.5, -6), (2, 0, 1, 100), (0, 0, 1, 2), (0.01, 0, 1, 30),
                          (-0.02, 0, 1, 20), (-0.3, 0, 1, -0.7), (0.3, 0, 2, -0.9), (12, 0, 1, 1), (-1.4, 0, 1, 0.2), (1.1, 0, 1, -1.2)], 4),
    # Counts, likewise: of binomial and negative binomial counts a (1 - x) - b x of the incomplete beta function.
    "poisson_lcdf": (split(lambda y, l: log_q(y + 1, l),
                           lambda y, l: y + 1 - l),
                     [(0, 1), (3, 0.5), (7, 8.5), (0, 1e-6), (1000, 1010.5), (20, 0.1), (0, 60), (2, 1e-12), (10, 40)], -1),
    "poisson_lccdf": (split(lambda y, l: log_p(y + 1, l),
                            lambda y, l: y + 1 - l),
                      [(0, 1), (3, 0.5), (7, 8.5), (0, 1e-6), (1000, 1010.5), (20, 0.1), (0, 25), (2, 1e-12), (40, 10)], -1),
    "poisson_log_lcdf": (split(lambda y, e: log_q(y + 1, exp(e)),
                               lambda y, e: y + 1 - exp(e), lambda y, e: e * exp(e)),
                         [(0, 0), (3, -0.5), (7, 2), (1000, 6.9), (20, -2), (0, 4), (2, -20)], -1),
    "poisson_log_lccdf": (split(lambda y, e: log_p(y + 1, exp(e)),
                                lambda y, e: y + 1 - exp(e), lambda y, e: e * (y + 1)),
                          [(0, 0), (3, -0.5), (7, 2), (1000, 6.9), (20, -2), (0, 3), (2, -20), (4, -100)], -1),
    "bernoulli_lcdf": ([lambda y, t: log1p(-t)], [(0, 0.5), (0, 1e-6), (0, 0.999), (0, 0.3)], -1),
    "bernoulli_lccdf": ([lambda y, t: log(t)], [(0, 0.5), (0, 1e-6), (0, 0.999), (0, 0.3)], -1),
    "bernoulli_logit_lcdf": ([lambda y, e: -log1pexp(e)], [(0, 0), (0, 1.3), (0, -40), (0, 1e4)], -1),
    "bernoulli_logit_lccdf": ([lambda y, e: -log1pexp(-e)], [(0, 0), (0, 1.3), (0, 40), (0, -1e4)], -1),
    "binomial_lcdf": (split(lambda y, n, t: log_i(n - y, y + 1, 1 - t),
                            lambda y, n, t: y + 1 - (n + 1) * t),
                      [(0, 1, 0.5), (3, 10, 0.7), (9, 10, 0.99), (0, 10, 1e-6), (500, 1000, 0.51), (2, 40, 0.75), (30, 40, 0.1),
                       (99990, 100000, 0.9999)], -2),
    "binomial_lccdf": (split(lambda y, n, t: log_i(y + 1, n - y, t),
                             lambda y, n, t: y + 1 - (n + 1) * t),
                       [(0, 1, 0.5), (3, 10, 0.7), (9, 10, 0.99), (0, 10, 1e-6), (500, 1000, 0.51), (2, 40, 0.75), (30, 40, 0.1),
                        (9, 100000, 1e-4)], -2),
    "binomial_logit_lcdf": (split(lambda y, n, e: log_i(n - y, y + 1, 1 / (1 + exp(e))),
                                  lambda y, n, e: y + 1 - (n + 1) / (1 + exp(-e)), lambda y, n, e: (n - y) * e),
                            [(0, 1, 0), (3, 10, 0.75), (9, 10, 6), (0, 10, -20), (500, 1000, 0.03), (7, 10, 90), (0, 5, 30)], -2),
    "binomial_logit_lccdf": (split(lambda y, n, e: log_i(y + 1, n - y, 1 / (1 + exp(-e))),
                                   lambda y, n, e: y + 1 - (n + 1) / (1 + exp(-e)), lambda y, n, e: (y + 1) * e),
                             [(0, 1, 0), (3, 10, 0.75), (9, 10, 6), (0, 10, -20), (500, 1000, 0.03), (7, 10, -90), (4, 5, -30)], -2),
    "geometric_lcdf": ([lambda y, t: log1mexp(-(y + 1) * log1p(-t))],
                       [(0, 0.5), (1, 0.3), (30, 0.1), (100000, 1e-5), (4, 0.99), (3, 1e-9)], -1),
    "geometric_lccdf": ([lambda y, t: (y + 1) * log1p(-t)], [(0, 0.5), (1, 0.3), (30, 0.1), (100000, 1e-5), (4, 0.99)], -1),
    "neg_binomial_lcdf": (split(lambda y, a, b: log_i(a, y + 1, b / (1 + b)),
                                lambda y, a, b: (a - (y + 1) * b) / (1 + b)),
                          [(0, 1, 1), (3, 0.4, 2.1), (17, 12, 0.5), (1000, 0.125, 1e-3), (9, 1e6, 1e5), (0, 30, 4), (2, 20, 0.5)], -1),
    "neg_binomial_lccdf": (split(lambda y, a, b: log_i(y + 1, a, 1 / (1 + b)),
                                 lambda y, a, b: (a - (y + 1) * b) / (1 + b)),
                           [(0, 1, 1), (3, 0.4, 2.1), (17, 12, 0.5), (1000, 0.125, 1e-3), (9, 1e6, 1e5), (0, 30, 4), (60, 4, 3)], -1),
    "neg_binomial_2_lcdf": (split(lambda y, m, p: log_i(p, y + 1, p / (m + p)),
                                  lambda y, m, p: p * (m - y - 1) / (m + p)),
                            [(0, 1, 1), (3, 0.4, 2.1), (17, 12, 0.5), (1000, 900, 0.125), (9, 10.5, 1e9), (0, 30, 1e4), (40, 41, 7.5), (2, 40, 20)], -1),
    "neg_binomial_2_lccdf": (split(lambda y, m, p: log_i(y + 1, p, m / (m + p)),
                                   lambda y, m, p: p * (m - y - 1) / (m + p)),
                             [(0, 1, 1), (3, 0.4, 2.1), (17, 12, 0.5), (1000, 900, 0.125), (9, 10.5, 1e9), (0, 3, 1e4), (40, 41, 7.5), (60, 4, 3)], -1),
    "neg_binomial_2_log_lcdf": (split(lambda y, e, p: log_i(p, y + 1, p / (exp(e) + p)),
                                      lambda y, e, p: p * (e - log(p)), lambda y, e, p: p * (exp(e) - y - 1) / (exp(e) + p)),
                                [(0, 0, 1), (3, -0.4, 2.1), (17, 2.5, 0.5), (1000, 7, 0.125), (9, 2.35, 1e5), (0, 90, 4), (3, -20, 4)], -1),
    "neg_binomial_2_log_lccdf": (split(lambda y, e, p: log_i(y + 1, p, exp(e) / (exp(e) + p)),
                                       lambda y, e, p: (y + 1) * (e - log(p)), lambda y, e, p: p * (exp(e) - y - 1) / (exp(e) + p)),
                                 [(0, 0, 1), (3, -0.4, 2.1), (17, 2.5, 0.5), (1000, 7, 0.125), (9, 2.35, 1e5), (0, 20, 4), (3, -90, 4)], -1),
}


def number(x):
    return mp.nstr(x, 21, min_fixed=1, max_fixed=0) if x else "0.0"


def main():
    print("// Written by reference_densities.py: do not edit. {density, arguments, {value, condition}, derivatives likewise}.")
    for name, (terms, points, arity) in {"densities": DENSITIES, "log_cdfs": LOG_CDFS}[sys.argv[1]].items():
        for point in points:
            x = [mpf(single(p)) for p in point]
            numbers = [(sum(t(*x) for t in terms), sum(abs(t(*x)) for t in terms))]
            with_derivative = range(len(x)) if arity > 0 else range(-arity, len(x))
            for i in range(len(x)):
                d = [mpf(0)]
                if i in with_derivative:
                    order = tuple(1 if k == i else 0 for k in range(len(x)))
                    # A step far below the argument's own size: the points are anything from 1e-30 to 1e12.
                    d = [diff(t, tuple(x), order, h=mpf(10) ** -18 * (abs(x[i]) or 1)) for t in terms]
                numbers.append((sum(d), sum(abs(v) for v in d)))
            arguments = ", ".join(number(v) for v in x)
            pairs = ", ".join("{%s, %s}" % (number(v), number(c)) for v, c in numbers)
            print("{\"%s\", {%s}, {%s}}," % (name, arguments, pairs))


main()
