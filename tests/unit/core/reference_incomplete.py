#!/usr/bin/env python3
"""Writes reference_incomplete.inc: incomplete gamma and beta functions with their derivatives.

Computed with mpmath (Johansson and others, version 1.3) at 60 digits: P and Q by its gammainc(), I_x by its betainc(),
the upper tail as the lower one of swapped arguments; derivatives towards shapes by differences with a step of 1e-20,
those towards the variate from the density. Arguments are rounded to single precision, so that all Reals hold them.
Columns: shapes and variate; log lower, log upper; then of each of these two the derivatives towards the shapes and the
variate (of beta: log(x / (1 - x))).

    pip install mpmath==1.3.0 && python3 reference_incomplete.py > reference_incomplete.inc
"""
import struct

from mpmath import beta, betainc, exp, gamma, gammainc, log, mp, mpf

mp.dps = 60
STEP = mpf(10) ** -20


def single(x):
    return mpf(struct.unpack("f", struct.pack("f", x))[0])


def slope(f, a):
    return (f(a * (1 + STEP)) - f(a * (1 - STEP))) / (2 * a * STEP)


def gamma_row(a, x):
    lower = lambda a: log(gammainc(a, 0, x, regularized=True))
    upper = lambda a: log(gammainc(a, x, regularized=True))
    density = x ** (a - 1) * exp(-x) / gamma(a)
    return [a, x, lower(a), upper(a), slope(lower, a), density / exp(lower(a)), slope(upper, a), -density / exp(upper(a))]


def beta_row(a, b, x):
    lower = lambda a, b: log(betainc(a, b, 0, x, regularized=True))
    upper = lambda a, b: log(betainc(b, a, 0, 1 - x, regularized=True))
    odds = x ** a * (1 - x) ** b / beta(a, b)
    return [a, b, x, lower(a, b), upper(a, b), slope(lambda t: lower(t, b), a), slope(lambda t: lower(a, t), b),
            odds / exp(lower(a, b)), slope(lambda t: upper(t, b), a), slope(lambda t: upper(a, t), b),
            -odds / exp(upper(a, b))]


def write(name, rows):
    print("inline const std::vector<std::vector<double>> %s = {" % name)
    for row in rows:
        print("    {%s}," % ", ".join(mp.nstr(v if abs(v) > 1e-300 else mpf(0), 19, min_fixed=1, max_fixed=0) for v in row))
    print("};")


def main():
    print("// Written by reference_incomplete.py: do not edit.")
    at = [1e-6, 0.01, 0.2, 0.5, 0.9, 1, 1.1, 1.5, 3, 20]
    write("incomplete_gamma", [gamma_row(single(a), single(a * f)) for a in [0.05, 0.5, 1, 2.5, 7, 30, 200, 5000] for f in at
                               if a < 1000 or 0.5 <= f <= 1.5])
    shapes = [0.05, 0.5, 1, 3, 20, 500]
    rows = []
    for a in shapes:
        for b in shapes:
            for x in [1e-4, 0.03, 0.2, 0.5, 0.8, 0.97, 0.9999]:
                mean, sd = a / (a + b), (a * b / (a + b + 1)) ** 0.5 / (a + b)
                if abs(x - mean) < 30 * sd:
                    rows.append((a, b, x))
            for z in [-3, -0.5, 0.5, 3]:
                x = a / (a + b) + z * (a * b / (a + b + 1)) ** 0.5 / (a + b)
                if a + b > 100 and 0.0001 < x < 0.9999:
                    rows.append((a, b, x))
    write("incomplete_beta", [beta_row(*(single(v) for v in row)) for row in rows])


main()
