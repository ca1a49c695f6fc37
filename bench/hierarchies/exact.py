"""Exact posteriors of hierarchies that are normal given their scales, for errors.py.

Given the scales, effects b_j = E mu + K v_j of group j, v_j standard normal, and normal data have a normal posterior;
what is left is an integral over one to four scales, by Gauss-Legendre quadrature in the box where its mass is.
"""
import numpy
from numpy import einsum, exp, log
from scipy.special import betaln, expit
from scipy.stats import cauchy, invgamma, norm


def conditional(case, h):
    """log p(y | h), and means and variances of mu and of effects, at the points h of scales."""
    G, H, E = case["G"], case["H"], case["E"]
    K, s = case["K"](h), case["sigma"](h)
    q, p = E.shape
    v = 1 / s**2
    C = numpy.eye(q) + einsum("g,gki,jkl,glm->gjim", v, K, G, K, optimize=True)
    W = einsum("gik,gjkl,gml->gjim", K, numpy.linalg.inv(C), K, optimize=True)  # covariances given mu
    WH = einsum("gjik,jk->gji", W, H)
    D = E - einsum("g,gjik,jkl,lm->gjim", v, W, G, E, optimize=True)
    precision = case["M"] + einsum("g,li,jlk,gjkm->gim", v, E, G, D, optimize=True)
    linear = case["M"] @ case["m"] + einsum("g,gjki,jk->gi", v, D, H)
    S = numpy.linalg.inv(precision)
    mean = einsum("gik,gk->gi", S, linear)
    value = (-case["n"] * log(s) - 0.5 * v * case["yy"] + 0.5 * v**2 * einsum("jk,gjk->g", H, WH)
             + 0.5 * einsum("gi,gi->g", linear, mean) - 0.5 * numpy.linalg.slogdet(precision)[1]
             - 0.5 * numpy.linalg.slogdet(C)[1].sum(1))
    b = einsum("gjik,gk->gji", D, mean) + v[:, None, None] * WH
    var = einsum("gjii->gji", W) + einsum("gjik,gkl,gjil->gji", D, S, D, optimize=True)
    g = len(h)
    return (value, numpy.hstack([mean, b.reshape(g, -1)]),
            numpy.hstack([einsum("gii->gi", S), var.reshape(g, -1)]))


def nodes(box, count):
    x, w = numpy.polynomial.legendre.leggauss(count)
    axes = [low + (high - low) * (x + 1) / 2 for low, high in box]
    weights = [w * (high - low) / 2 for low, high in box]
    return (numpy.stack([a.ravel() for a in numpy.meshgrid(*axes, indexing="ij")], 1),
            numpy.prod([a.ravel() for a in numpy.meshgrid(*weights, indexing="ij")], axis=0))


def chunks(case, h):
    size = max(1, 400000 // case["G"].size)
    for first in range(0, len(h), size):
        part = h[first:first + size]
        value, mean, var = conditional(case, part)
        yield slice(first, first + size), value + case["prior"](part), mean, var


def narrowed(case, box, count):
    """The part of the box that has all but 1e-9 of the mass, a cell more on either side."""
    h, w = nodes(box, count)
    value = numpy.concatenate([v for _, v, _, _ in chunks(case, h)])
    mass = (w * exp(value - value.max())).reshape([count] * len(box))
    found = []
    for i, (low, high) in enumerate(box):
        x = nodes([(low, high)], count)[0][:, 0]
        share = mass.sum(tuple(k for k in range(len(box)) if k != i)) / mass.sum()
        kept = numpy.flatnonzero(share > 1e-9)
        found.append((x[kept[0] - 1] if kept[0] > 0 else low, x[kept[-1] + 1] if kept[-1] + 1 < count else high))
    return found


def moments(case):
    """Name -> (mean, sd)."""
    box = case["box"]
    for _ in range(3):
        box = narrowed(case, box, case["nodes"])
    h, w = nodes(box, case["nodes"])
    top, total, first, second = -numpy.inf, 0, 0, 0
    for part, value, mean, var in chunks(case, h):
        mean = numpy.hstack([case["scales"](h[part]), mean])
        var = numpy.hstack([numpy.zeros((len(value), mean.shape[1] - var.shape[1])), var])
        new = max(top, value.max())
        mass, kept = w[part] * exp(value - new), exp(top - new)
        total, top = total * kept + mass.sum(), new
        first, second = first * kept + mass @ mean, second * kept + mass @ (var + mean**2)
    first, second = first / total, second / total
    return {name: (m, max(s - m**2, 0)**0.5) for name, m, s in zip(case["names"], first, second) if name}


def half(distribution, *x):
    return sum(distribution.logpdf(v) for v in x)


def indices(name, n, start=1):
    return [f"{name}[{i}]" for i in range(start, n + start)]


def statistics(groups, J, y, Z):
    """Sums of squares and products of each group's rows."""
    G, H = numpy.zeros((J, Z.shape[1], Z.shape[1])), numpy.zeros((J, Z.shape[1]))
    numpy.add.at(G, groups, Z[:, :, None] * Z[:, None, :])
    numpy.add.at(H, groups, Z * y[:, None])
    return {"G": G, "H": H, "yy": (y**2).sum(), "n": len(y)}


def case(statistics, **more):
    return moments({"scales": lambda h: h, "m": numpy.zeros(more["E"].shape[1]), **statistics, **more})


def schools(data):
    sigma, J = numpy.array(data["sigma"], float), data["J"]
    return case(statistics(numpy.arange(J), J, data["y"] / sigma, 1 / sigma[:, None]), E=numpy.eye(1),
                M=numpy.eye(1) / 25, K=lambda h: h[:, :, None], sigma=lambda h: numpy.ones(len(h)), nodes=300,
                prior=lambda h: half(cauchy(0, 5), h[:, 0]), box=[(0, 300)],
                names=["tau", "mu"] + indices("theta", J))


def groups(data):
    y, J = numpy.array(data["y"]), data["J"]
    wide = 10 * y.std()
    return case(statistics(numpy.array(data["g"]) - 1, J, y, numpy.ones((len(y), 1))), E=numpy.eye(1),
                M=numpy.eye(1) / 25, K=lambda h: h[:, :1, None], sigma=lambda h: h[:, 1], nodes=60,
                prior=lambda h: half(cauchy(0, 5), h[:, 0], h[:, 1]), box=[(0, wide), (0, wide)],
                names=["tau", "sigma", "mu"] + indices("theta", J))


def precisions(data):
    """On a grid of log variances, whose inverses have gamma(0.001, 0.001)."""
    y = numpy.array(data["y"], float)
    B, S = y.shape
    return case(statistics(numpy.repeat(numpy.arange(B), S), B, y.ravel(), numpy.ones((y.size, 1))), E=numpy.eye(1),
                M=numpy.eye(1) * 1e-10, K=lambda h: exp(h[:, :1, None] / 2), sigma=lambda h: exp(h[:, 1] / 2), nodes=200,
                prior=lambda h: -0.001 * (h + exp(-h)).sum(1), box=[(-12, 18), (4, 13)],
                scales=lambda h: exp(h / 2), names=["sigma_batches", "sigma", "mu"] + indices("theta", B))


def rates(data):
    """On a grid of logit(phi) and log(kappa); rates are beta given these. kappa has no variance."""
    y, n = numpy.array(data["y"], float), numpy.array(data["n"], float)
    a, h = numpy.meshgrid(numpy.linspace(-6, 3, 1201), numpy.linspace(1e-9, 24, 1201), indexing="ij")
    phi, kappa = expit(a), exp(h)
    value = log(phi * (1 - phi)) - 1.5 * h
    for yes, trials in zip(y, n):
        value += betaln(phi * kappa + yes, (1 - phi) * kappa + trials - yes) - betaln(phi * kappa, (1 - phi) * kappa)
    w = exp(value - value.max())
    w /= w.sum()

    def both(mean, variance):
        first = (w * mean).sum()
        return first, ((w * (variance + mean**2)).sum() - first**2)**0.5

    found = {"phi": both(phi, 0)}
    for name, yes, trials in zip(indices("theta", len(y)), y, n):
        mean = (phi * kappa + yes) / (kappa + trials)
        found[name] = both(mean, mean * (1 - mean) / (kappa + trials + 1))
    return found


def random_slopes(data):
    X, y, J = numpy.array(data["X"]), numpy.array(data["y"]), data["J"]
    Z = numpy.stack([numpy.ones(X.size), X.ravel()], 1)
    return case(statistics(numpy.repeat(numpy.arange(J), data["P"]), J, y.ravel(), Z), E=numpy.eye(2),
                M=numpy.eye(2) / 25, K=lambda h: h[:, :, None] * numpy.eye(2), sigma=lambda h: numpy.ones(len(h)),
                prior=lambda h: half(norm(0, 1), h[:, 0], h[:, 1]), box=[(0, 7), (0, 7)], nodes=60,
                names=["tau_a", "tau_b", "mu_a", "mu_b"] + [f"{n}[{j + 1}]" for j in range(J) for n in "ab"])


def radon(data):
    y, J = numpy.array(data["y"]), data["J"]
    Z = numpy.stack([numpy.ones(len(y)), numpy.array(data["floor"])], 1)

    def factor(h):
        K = numpy.zeros((len(h), 2, 2))
        K[:, 0, 0], K[:, 1, 0], K[:, 1, 1] = h[:, 0], h[:, 1] * h[:, 2], h[:, 1] * (1 - h[:, 2]**2)**0.5
        return K

    return case(statistics(numpy.array(data["county"]) - 1, J, y, Z), E=numpy.eye(2), M=numpy.eye(2) / 25, K=factor,
                sigma=lambda h: h[:, 3], nodes=18, box=[(0, 1), (0, 2), (-1, 1), (0.4, 1.4)],
                prior=lambda h: half(norm(0, 1), h[:, 0], h[:, 1], h[:, 3]) + log(1 - h[:, 2]**2),
                scales=lambda h: numpy.hstack([h, (1 - h[:, 2:3]**2)**0.5]),
                names=["tau[1]", "tau[2]", "L[2,1]", "sigma", "L[2,2]", "mu[1]", "mu[2]"]
                + [f"ab[{j + 1},{k}]" for j in range(J) for k in (1, 2)])


def reaction_times(data):
    y, J = numpy.array(data["y"]), data["J"]
    Z = numpy.stack([numpy.ones(len(y)), numpy.array(data["day"])], 1)

    def factor(h):
        K = numpy.zeros((len(h), 2, 2))
        K[:, 0, 0], K[:, 1, 0], K[:, 1, 1] = h[:, 0], h[:, 1] * h[:, 2], h[:, 1] * (1 - h[:, 2]**2)**0.5
        return K

    return case(statistics(numpy.array(data["person"]) - 1, J, y, Z), E=numpy.eye(2), M=numpy.eye(2) / 1e6, K=factor,
                sigma=lambda h: h[:, 3], nodes=26, box=[(0, 100), (0, 40), (-1, 1), (15, 40)],
                prior=lambda h: half(cauchy(0, 50), h[:, 0], h[:, 1], h[:, 3]),
                scales=lambda h: numpy.hstack([h, (1 - h[:, 2:3]**2)**0.5]),
                names=["tau[1]", "tau[2]", "L[2,1]", "sigma", "L[2,2]", "b[1]", "b[2]"]
                + [f"u[{j + 1},{k}]" for j in range(J) for k in (1, 2)])


def local_trend(data):
    """Of the scales alone, by the Kalman filter (Durbin and Koopman 2012, section 4.3) on a grid of their logarithms."""
    grids = [numpy.linspace(log(low), log(high), count)
             for low, high, count in ((0.02, 400, 100), (0.005, 60, 80), (40, 200, 60))]
    h = numpy.stack([x.ravel() for x in numpy.meshgrid(*grids, indexing="ij")])
    of_level, of_slope, of_y = exp(2 * h)
    a, b, p, q, r = 0 * of_y, 0 * of_y, 1e8 + 0 * of_y, 0 * of_y, 1e6 + 0 * of_y
    value = half(cauchy(0, 100), exp(h[0]), exp(h[2])) + half(cauchy(0, 10), exp(h[1])) + h.sum(0)
    for i, y in enumerate(data["y"]):
        if i > 0:
            a, p, q, r = a + b, p + 2 * q + r + of_level, q + r, r + of_slope
        error, variance = y - a, p + of_y
        value -= (log(variance) + error**2 / variance) / 2
        a, b, r = a + p / variance * error, b + q / variance * error, r - q**2 / variance
        p, q = p * of_y / variance, q * of_y / variance
    weight = exp(value - value.max())
    means = [(weight * exp(k * x)).sum() / weight.sum() for x in h for k in (1, 2)]
    return {f"sigma{name}": (means[2 * i], (means[2 * i + 1] - means[2 * i]**2)**0.5)
            for i, name in enumerate(("_level", "_slope", ""))}


def three_levels(data):
    S, C, y = data["S"], data["C"], numpy.array(data["y"])
    room, rooms = numpy.array(data["room"]) - 1, C // S  # those of a school stand together
    Z = (1 + room[:, None] % rooms == numpy.arange(rooms + 1)).astype(float)

    def factor(h):
        K = h[:, 1, None, None] * numpy.eye(rooms + 1)
        K[:, :, 0] = h[:, :1]
        return K

    return case(statistics(numpy.array(data["school"])[room] - 1, S, y, Z), E=numpy.ones((rooms + 1, 1)),
                M=numpy.eye(1) / 400, m=numpy.array([50.0]), K=factor, sigma=lambda h: h[:, 2], nodes=30,
                prior=lambda h: half(norm(0, 10), h[:, 0], h[:, 1], h[:, 2]), box=[(0, 40), (0, 40), (1, 40)],
                names=["tau_school", "tau_room", "sigma", "mu"]
                + [f"a[{s + 1}]" if k == 0 else f"b[{rooms * s + k}]" for s in range(S) for k in range(rooms + 1)])


def squared_exponential(d, rho):
    return exp(-d**2 / (2 * rho**2))


def matern32(d, rho):
    return (1 + 3**0.5 * d / rho) * exp(-3**0.5 * d / rho)


def gaussian_process(data, correlation=squared_exponential, jitter=1e-6):
    x, y, N = numpy.array(data["x"]), numpy.array(data["y"]), data["N"]
    d = abs(x[:, None] - x)

    def factor(h):
        K = h[:, 1, None, None]**2 * correlation(d, h[:, 0, None, None]) + jitter * numpy.eye(N)
        return numpy.linalg.cholesky(K)

    return case({"G": numpy.eye(N)[None], "H": y[None], "yy": (y**2).sum(), "n": N}, E=numpy.zeros((N, 1)),
                M=numpy.eye(1), K=factor, sigma=lambda h: h[:, 2], nodes=36, box=[(0.05, 20), (0.01, 12), (0.05, 5)],
                prior=lambda h: (invgamma(5, scale=5).logpdf(h[:, 0])
                                 + half(norm(0, 2), h[:, 1]) + half(norm(0, 1), h[:, 2])),
                names=["rho", "alpha", "sigma", None] + indices("f", N))


def rough_gaussian_process(data):
    return gaussian_process(data, matern32, 0)
