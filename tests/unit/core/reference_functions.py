#!/usr/bin/env python3
"""Writes reference_functions.inc: special functions by mpmath at 60 digits, at points that single precision holds.

    pip install mpmath && python3 reference_functions.py > reference_functions.inc
"""
import struct

from mpmath import (besseli, beta, cos, digamma, erf, erfc, exp, expm1, log, log1p, loggamma, mp, mpf, ncdf, npdf, pi,
                    sin, sqrt)

mp.dps = 60


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def log_ncdf(x):
    return log(ncdf(x)) if x < 5 else log1p(-ncdf(-x))


def spread(low, high, n):
    return [low * (high / low) ** (k / (n - 1)) for k in range(n)]


def both(x):
    return [-v for v in x] + x


angles = both([0.0, 1e-30, 0.1, 0.7853, 0.7854, 1.0, 1.5707964, 2.0, 3.1415927, 4.712389, 7.0, 22.0] +
              spread(30, 1e5, 60)) + [355.0, 103993.0]
wide = both([0.0] + spread(1e-8, 60, 80)) + [-1e4, -1e10, 1e4]
sizes = spread(1e-6, 3e3, 60) + [3.9, 3.99, 4.0, 4.01, 4.2, 9.9, 9.99, 10.0, 10.01, 0.0, 1e6, 1e20]
pairs = [(a, d) for a in spread(1e-3, 1e9, 25) for d in (0.0, 1.0, 2.0, 7.0, 30.0, 1000.0, 0.5, -0.0004, 1e-3)]

FUNCTIONS = {
    "Phi": (wide, ncdf),
    "log_Phi": (wide, log_ncdf),
    "log_Phi_slope": (wide, lambda x: npdf(x) / ncdf(x)),
    "erfc": (wide, erfc),
    "erf": (wide, erf),
    "log1m_exp": ([-x for x in spread(1e-30, 300, 80)] + [-0.6931, -0.69315, -1e4],
                  lambda x: log1p(-exp(x)) if x < -1 else log(-expm1(x))),
    "sin": (angles, sin),
    "cos": (angles, cos),
    "log_bessel_i0": (sizes, lambda x: log(besseli(0, x))),
    "log_scaled_bessel_i0": (sizes, lambda x: log(besseli(0, x)) - x),
    "bessel_i_ratio": (sizes, lambda x: besseli(1, x) / besseli(0, x)),
    "lgamma_difference": (pairs, lambda a, d: loggamma(a + d) - loggamma(a)),
    "digamma_difference": (pairs, lambda a, d: digamma(a + d) - digamma(a)),
    "lbeta": ([(a, b) for a in spread(1e-3, 1e7, 12) for b in (1e-3, 0.5, 1.0, 3.0, 40.0, 1e6)],
              lambda a, b: loggamma(a) + loggamma(b) - loggamma(a + b)),
}


def number(x):
    return mp.nstr(x, 21, min_fixed=1, max_fixed=0) if x else "0.0"


print("// Written by reference_functions.py: do not edit. {function, arguments, value}.")
for name, (points, f) in FUNCTIONS.items():
    for point in points:
        x = [mpf(single(v)) for v in (point if isinstance(point, tuple) else (point,))]
        value = f(*x)
        if abs(value) > mpf(10) ** -320 or value == 0:  # long double, and strtod of the compiler, have no less
            print("{\"%s\", {%s}, %sL}," % (name, ", ".join(number(v) for v in x), number(value)))
