"""Parameters drawn from the prior and data from the model, for each model of this folder: functions of a generator of
numpy that return the data and the true values of the quantities that bench/coverage/table.py looks at.
"""
import numpy


def inv_logit(x):
    return 1 / (1 + numpy.exp(-x))


def schools(rng):
    sigma = numpy.array([15, 10, 16, 11, 9, 11, 10, 18.0])
    mu, tau = rng.normal(0, 5), abs(rng.normal(0, 5))
    theta = rng.normal(mu, tau, 8)
    return {"J": 8, "sigma": sigma, "y": rng.normal(theta, sigma)}, {"mu": mu, "tau": tau, "theta[1]": theta[0]}


def groups(rng):
    mu, tau, sigma = rng.normal(0, 2), abs(rng.normal(0, 1)), abs(rng.normal(0, 1))
    theta = rng.normal(mu, tau, 30)
    g = numpy.repeat(numpy.arange(30), 3)
    return ({"N": 90, "J": 30, "g": g + 1, "y": rng.normal(theta[g], sigma)},
            {"mu": mu, "tau": tau, "sigma": sigma, "theta[1]": theta[0]})


def linear(rng):
    X, beta, sigma = rng.normal(size=(30, 5)), rng.normal(size=5), abs(rng.normal(0, 1))
    return ({"N": 30, "P": 5, "X": X, "y": rng.normal(X @ beta, sigma)}, {"beta[1]": beta[0], "sigma": sigma})


def logistic(rng):
    X, beta = rng.normal(size=(50, 5)), rng.normal(size=5)
    return ({"N": 50, "P": 5, "X": X, "y": rng.binomial(1, inv_logit(X @ beta))},
            {"beta[1]": beta[0], "beta[2]": beta[1]})


def exposure(rng):
    X, exposure = rng.normal(size=(40, 3)), rng.uniform(1, 20, 40)
    alpha, beta = rng.normal(-1, 1), rng.normal(0, 0.5, 3)
    return ({"N": 40, "P": 3, "X": X, "exposure": exposure, "y": rng.poisson(exposure * numpy.exp(alpha + X @ beta))},
            {"alpha": alpha, "beta[1]": beta[0]})


def overdispersed(rng):
    X, alpha, beta, phi = rng.normal(size=(60, 3)), rng.normal(1, 1), rng.normal(0, 0.5, 3), rng.gamma(2, 2)
    y = rng.poisson(numpy.exp(alpha + X @ beta) * rng.gamma(phi, 1 / phi, 60))
    return {"N": 60, "P": 3, "X": X, "y": y}, {"alpha": alpha, "beta[1]": beta[0], "phi": phi}


def zero_inflated(rng):
    x, p, alpha, slope = rng.normal(size=60), rng.beta(2, 2), rng.normal(0.5, 0.7), rng.normal(0, 0.7)
    y = numpy.where(rng.uniform(size=60) < p, 0, rng.poisson(numpy.exp(alpha + slope * x)))
    return {"N": 60, "x": x, "y": y}, {"p": p, "alpha": alpha, "slope": slope}


def recapture(rng):
    T, N, phi, p = 6, 60, rng.beta(4, 2), rng.beta(2, 2, 6)
    first = rng.integers(0, T - 1, N)
    seen = numpy.zeros((N, T), int)
    for i in range(N):
        seen[i, first[i]] = 1
        for t in range(first[i] + 1, T):
            if rng.uniform() > phi:
                break
            seen[i, t] = rng.uniform() < p[t]
    last = T - 1 - numpy.argmax(seen[:, ::-1], axis=1)
    return ({"T": T, "N": N, "first": first + 1, "last": last + 1, "seen": seen},
            {"phi": phi, "p[2]": p[1], "p[6]": p[5]})


def few_groups(rng):
    mu, tau, sigma = rng.normal(0, 2), rng.exponential(1 / 3), rng.lognormal(0, 0.5)
    theta, g = rng.normal(mu, tau, 5), numpy.repeat(numpy.arange(5), 8)
    return ({"N": 40, "J": 5, "g": g + 1, "y": rng.normal(theta[g], sigma)},
            {"mu": mu, "tau": tau, "sigma": sigma, "theta[1]": theta[0]})


def clinics(rng):
    mu, tau, n = rng.normal(0, 1.5), abs(rng.normal(0, 1)), rng.integers(3, 30, 12)
    theta = rng.normal(mu, tau, 12)
    return {"J": 12, "n": n, "y": rng.binomial(n, inv_logit(theta))}, {"mu": mu, "tau": tau, "theta[1]": theta[0]}


def lkj_of_two(rng, eta):
    """The correlation: density proportional to (1 - rho^2)^(eta - 1)."""
    return 2 * rng.beta(eta, eta) - 1


def slopes(rng):
    J, N = 15, 90
    mu, tau, sigma, rho = rng.normal(size=2), abs(rng.normal(size=2)), abs(rng.normal()), lkj_of_two(rng, 2)
    z = rng.normal(size=(J, 2)) @ numpy.array([[1, 0], [rho, (1 - rho**2)**0.5]]).T
    g, x = numpy.repeat(numpy.arange(J), N // J), rng.normal(size=N)
    y = rng.normal(mu[0] + tau[0] * z[g, 0] + (mu[1] + tau[1] * z[g, 1]) * x, sigma)
    return ({"N": N, "J": J, "g": g + 1, "x": x, "y": y},
            {"mu[2]": mu[1], "tau[1]": tau[0], "tau[2]": tau[1], "sigma": sigma, "rho": rho})


def items(rng):
    J, K = 40, 10
    ability, difficulty, discrimination = rng.normal(size=J), rng.normal(size=K), rng.lognormal(0, 0.5, K)
    y = rng.binomial(1, inv_logit(discrimination * (ability[:, None] - difficulty)))
    return ({"J": J, "K": K, "y": y}, {"ability[1]": ability[0], "difficulty[1]": difficulty[0],
                                       "discrimination[1]": discrimination[0]})


def robust(rng):
    x, alpha, beta = rng.normal(size=50), rng.normal(0, 2), rng.normal()
    sigma, nu = abs(rng.normal()), 1 + rng.gamma(2, 10)
    return ({"N": 50, "x": x, "y": alpha + beta * x + sigma * rng.standard_t(nu, 50)},
            {"alpha": alpha, "beta": beta, "sigma": sigma, "nu": nu})


def ordinal(rng):
    X, beta, c = rng.normal(size=(60, 3)), rng.normal(size=3), numpy.sort(rng.normal(0, 2, 4))
    y = 1 + ((X @ beta + rng.logistic(size=60))[:, None] > c).sum(axis=1)
    return {"N": 60, "P": 3, "K": 5, "X": X, "y": y}, {"beta[1]": beta[0], "c[1]": c[0], "c[3]": c[2]}


def survival(rng):
    N = 60
    shape, mu, effect, slope = rng.lognormal(0, 0.5), rng.normal(1, 1), rng.normal(), rng.normal(0, 0.5)
    treated, age = rng.integers(0, 2, N), rng.normal(size=N)
    t = numpy.exp(mu + effect * treated + slope * age) * rng.weibull(shape, N)
    end = rng.uniform(1, 8, N)
    return ({"N": N, "event": (t < end).astype(int), "treated": treated, "age": age, "t": numpy.minimum(t, end)},
            {"shape": shape, "mu": mu, "effect": effect})


def growth(rng):
    year = numpy.arange(1900, 2000, 4.0)
    capacity, rate, middle = rng.lognormal(8, 0.4), rng.lognormal(-3, 0.4), rng.normal(1950, 20)
    sigma = abs(rng.normal(0, 100))
    return ({"N": len(year), "year": year, "y": rng.normal(capacity * inv_logit(rate * (year - middle)), sigma)},
            {"capacity": capacity, "rate": rate, "middle": middle, "sigma": sigma})


def horseshoe(rng):
    N, P = 30, 30
    X, z, lambda_ = rng.normal(size=(N, P)), rng.normal(size=P), abs(rng.standard_cauchy(P))
    tau, sigma = abs(0.2 * rng.standard_cauchy()), abs(rng.normal())
    beta = 2 * tau * z * lambda_ / (4 + (tau * lambda_)**2)**0.5
    return ({"N": N, "P": P, "X": X, "y": rng.normal(X @ beta, sigma)},
            {"beta[1]": beta[0], "beta[2]": beta[1], "sigma": sigma, "tau": tau})


def autoregression(rng):
    T, mu, phi, sigma = 60, rng.normal(0, 2), 2 * rng.beta(20, 1.5) - 1, abs(rng.normal())
    y = [rng.normal(mu, sigma / (1 - phi**2)**0.5)]
    while len(y) < T:
        y.append(rng.normal(mu + phi * (y[-1] - mu), sigma))
    return {"T": T, "y": y}, {"mu": mu, "phi": phi, "sigma": sigma}


def local_level(rng):
    T, tau, sigma = 40, abs(rng.normal(0, 0.5)), abs(rng.normal())
    level = rng.normal(0, 2) + numpy.append(0, tau * rng.normal(size=T - 1)).cumsum()
    return {"T": T, "y": rng.normal(level, sigma)}, {"tau": tau, "sigma": sigma, "level[40]": level[-1]}


def volatility(rng):
    T, mu, phi, scale = 60, rng.normal(-1, 1), 2 * rng.beta(20, 1.5) - 1, abs(rng.normal(0, 0.5))
    h = [rng.normal(mu, scale / (1 - phi**2)**0.5)]
    while len(h) < T:
        h.append(rng.normal(mu + phi * (h[-1] - mu), scale))
    return ({"T": T, "y": rng.normal(0, numpy.exp(0.5 * numpy.array(h)))},
            {"mu": mu, "phi": phi, "scale": scale, "h[60]": h[-1]})


def regimes(rng):
    T, mu, stay, sigma = 60, numpy.sort(rng.normal(0, 2, 2)), rng.beta(8, 2, 2), rng.lognormal(0, 0.3)
    state = [rng.integers(2)]
    while len(state) < T:
        state.append(state[-1] if rng.uniform() < stay[state[-1]] else 1 - state[-1])
    return ({"T": T, "y": rng.normal(mu[state], sigma)},
            {"mu[1]": mu[0], "mu[2]": mu[1], "stay[1]": stay[0], "sigma": sigma})


def change_point(rng):
    T, early, late = 40, rng.gamma(2, 1), rng.gamma(2, 1)
    when = rng.integers(1, T)
    return ({"T": T, "y": numpy.append(rng.poisson(early, when), rng.poisson(late, T - when))},
            {"early": early, "late": late})


def process(rng):
    x, rho, alpha, sigma = numpy.linspace(0, 4, 20), 5 / rng.gamma(5), abs(rng.normal()), abs(rng.normal(0, 0.5))
    K = alpha**2 * numpy.exp(-0.5 * ((x[:, None] - x) / rho)**2) + sigma**2 * numpy.eye(20)
    return ({"N": 20, "x": x, "y": numpy.linalg.cholesky(K) @ rng.normal(size=20)},
            {"rho": rho, "alpha": alpha, "sigma": sigma})


def covariance(rng):
    """The onion method in three dimensions: a correlation of two, then a row that is uniform within the unit circle."""
    N, mu, tau = 15, rng.normal(size=3), abs(rng.normal(size=3))
    rho = lkj_of_two(rng, 1.5)
    angle, radius = rng.uniform(0, 2 * numpy.pi), rng.beta(1, 1)**0.5
    L = numpy.array([[1, 0, 0], [rho, (1 - rho**2)**0.5, 0],
                     [radius * numpy.cos(angle), radius * numpy.sin(angle), (1 - radius**2)**0.5]])
    return ({"N": N, "K": 3, "y": mu + (rng.normal(size=(N, 3)) @ L.T) * tau},
            {"mu[1]": mu[0], "tau[1]": tau[0], "L[2,1]": L[1, 0], "L[3,1]": L[2, 0]})


# The header of each model, and what draws its parameters and data.
MODELS = {
    "Schools": ("models.hpp", schools), "Groups": ("models.hpp", groups), "Linear": ("models.hpp", linear),
    "Logistic": ("models.hpp", logistic),
    "Exposure": ("counts.hpp", exposure), "Overdispersed": ("counts.hpp", overdispersed),
    "ZeroInflated": ("counts.hpp", zero_inflated), "Recapture": ("counts.hpp", recapture),
    "FewGroups": ("hierarchies.hpp", few_groups), "Clinics": ("hierarchies.hpp", clinics),
    "Slopes": ("hierarchies.hpp", slopes), "Items": ("hierarchies.hpp", items),
    "Robust": ("regressions.hpp", robust), "Ordinal": ("regressions.hpp", ordinal),
    "Survival": ("regressions.hpp", survival), "Growth": ("regressions.hpp", growth),
    "Horseshoe": ("regressions.hpp", horseshoe),
    "Autoregression": ("series.hpp", autoregression), "LocalLevel": ("series.hpp", local_level),
    "LocalNoise": ("series.hpp", local_level),
    "Volatility": ("series.hpp", volatility), "Regimes": ("series.hpp", regimes),
    "ChangePoint": ("series.hpp", change_point),
    "Process": ("vectors.hpp", process), "Covariance": ("vectors.hpp", covariance),
}
# Their posterior has no mean: it ends like the Cauchy prior.
NO_MEAN = {("Horseshoe", "tau")}
