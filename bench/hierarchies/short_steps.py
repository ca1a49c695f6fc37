#!/usr/bin/env python3
"""Leapfrog HMC with a schedule of step sizes: does one transition in some with a much shorter step pay in a neck?

    bench/hierarchies/short_steps.py [--gradients N] [--accel-gp RUN.nc]

A schedule is a list of (step size, share of the trajectory) that all chains go through in turn. 256 chains with a constant
metric start at draws of the posterior; a row has the acceptance rate by step size, the smallest ESS per gradient of a
chain, and the quantity that a missed neck shifts. Targets: Neal's funnel; 20 groups of 400 observations, non-centred;
accel_gp of examples/posteriors from the draws of `manychain sample ... --output RUN.nc`. Needs JAX; netCDF4 for the last.
"""
import argparse
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
CHAINS = 256
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "posteriors" / "data"


def funnel(rng):
    """Target, exact draws, Cholesky factor of the metric, longest trajectory, schedules, the quantity."""
    omega = 3 * rng.standard_normal(CHAINS)
    draws = np.column_stack([omega, np.exp(omega / 2)[:, None] * rng.standard_normal((CHAINS, 10))])
    schedules = [[(e, 1)] for e in (0.005, 0.01, 0.02, 0.04, 0.08)]
    schedules += [[(0.08, 1)] * 3 + [(0.01, 0.125)], [(0.08, 1)] * 3 + [(0.005, 0.5)], [(0.04, 1)] * 3 + [(0.005, 0.25)],
                  [(0.08, 1)] * 7 + [(0.005, 0.2)]]
    return (lambda q: -0.5 * (q[0] / 3)**2 - 5 * q[0] - 0.5 * jnp.sum(q[1:]**2) * jnp.exp(-q[0]), draws,
            np.diag([3.0] + [7.0] * 10), 3, schedules,
            lambda x: f"P(omega < -5) {np.mean(x[..., 0] < -5):.4f}, exact 0.0478")


def groups(rng):
    """y[j] ~ N(mu + tau z[j], 1 / 20), mu ~ N(0, 5), tau ~ half-N(0, 1); exact draws by a grid of tau."""
    count, n = 20, 400
    data = np.random.default_rng(5)
    y = 2 + 0.5 * data.standard_normal(count) + data.standard_normal(count) / np.sqrt(n)
    grid = np.exp(np.linspace(-3, 2, 2000))
    variance = grid**2 + 1 / n
    precision = 1 / 25 + count / variance
    mean = y.sum() / variance / precision
    log_p = (-grid**2 / 2 + np.log(grid) - count / 2 * np.log(variance) - np.log(precision) / 2 -
             0.5 * ((y**2).sum() / variance - mean**2 * precision))
    p = np.exp(log_p - log_p.max())
    at = rng.choice(len(grid), size=4096, p=p / p.sum())
    tau, mu = grid[at], mean[at] + rng.standard_normal(4096) / np.sqrt(precision[at])
    of_group = 1 / (n + 1 / tau**2)
    theta = (of_group[:, None] * (n * y + (mu / tau**2)[:, None]) +
             np.sqrt(of_group)[:, None] * rng.standard_normal((4096, count)))
    draws = np.column_stack([mu, np.log(tau), (theta - mu[:, None]) / tau[:, None]])
    exact = draws[:, 1]
    observed = jnp.array(y)

    def log_density(q):
        return (-0.5 * (q[0] / 5)**2 - 0.5 * jnp.exp(2 * q[1]) + q[1] - 0.5 * jnp.sum(q[2:]**2) -
                0.5 * n * jnp.sum((observed - q[0] - jnp.exp(q[1]) * q[2:])**2))

    schedules = [[(e, 1)] for e in (0.01, 0.02, 0.04, 0.08, 0.16)]
    schedules += [[(0.16, 1)] * 3 + [(0.02, 0.125)], [(0.16, 1)] * 3 + [(0.04, 0.25)], [(0.08, 1)] * 3 + [(0.02, 0.25)]]
    return (log_density, draws[:CHAINS], np.linalg.cholesky(np.cov(draws.T)), 3, schedules,
            lambda x: f"log tau {x[..., 1].mean():.3f} +- {x[..., 1].std():.3f}, exact {exact.mean():.3f} +- {exact.std():.3f}")


def accel_gp(file):
    """accel_gp.hpp, whose metric is the covariance of the draws of chains that do not leave the main place."""
    import netCDF4
    data = json.loads((EXAMPLES / "mcycle_gp-accel_gp.json").read_text())
    y, x, x_sigma = (jnp.array(data[name]) for name in ("Y", "Xgp_1", "Xgp_sigma_1"))
    lam, lam_sigma = (jnp.array(data[name]).ravel()**2 for name in ("slambda_1", "slambda_sigma_1"))
    basis = len(lam)
    t3 = lambda v, scale: -2 * jnp.log1p((v / scale)**2 / 3)  # noqa: E731
    inverse_gamma = lambda v: -2.124909 * jnp.log(v) - 0.0177 / v  # noqa: E731

    def log_density(q):
        intercept, sd, length, z = q[0], jnp.exp(q[1]), jnp.exp(q[2]), q[3:3 + basis]
        intercept_sigma, sd_sigma, length_sigma = q[3 + basis], jnp.exp(q[4 + basis]), jnp.exp(q[5 + basis])
        z_sigma = q[6 + basis:]
        prior = (t3(intercept + 13, 36) + t3(intercept_sigma, 10) + t3(sd, 36) + t3(sd_sigma, 36) + inverse_gamma(length) +
                 inverse_gamma(length_sigma) + q[1] + q[2] + q[4 + basis] + q[5 + basis] - 0.5 * z @ z -
                 0.5 * z_sigma @ z_sigma)
        c = jnp.sqrt(2 * jnp.pi)
        w = sd * jnp.sqrt(c * length) * jnp.exp(-0.25 * length**2 * lam) * z
        w_sigma = sd_sigma * jnp.sqrt(c * length_sigma) * jnp.exp(-0.25 * length_sigma**2 * lam_sigma) * z_sigma
        log_sigma = intercept_sigma + x_sigma @ w_sigma
        return prior - 0.5 * jnp.sum(((y - intercept - x @ w) * jnp.exp(-log_sigma))**2) - jnp.sum(log_sigma)

    posterior = netCDF4.Dataset(file)["posterior"]
    get = lambda name: np.asarray(posterior[name][:], dtype=float)  # noqa: E731
    parts = [get("Intercept")[..., None], *(np.log(get(n))[..., None] for n in ("sdgp_1", "lscale_1")), get("zgp_1"),
             get("Intercept_sigma")[..., None], *(np.log(get(n))[..., None] for n in ("sdgp_sigma_1", "lscale_sigma_1")),
             get("zgp_sigma_1")]
    draws = np.concatenate(parts, -1)
    main = draws[draws[:, :, 2].max(1) < np.log(0.2)].reshape(-1, draws.shape[2])
    schedules = [[(e, 1)] for e in (0.0015, 0.003, 0.006, 0.012, 0.02)]
    schedules += [[(0.02, 1)] * 3 + [(0.002, 0.1)], [(0.02, 1)] * 7 + [(0.002, 0.3)], [(0.02, 1)] * 3 + [(0.005, 0.25)]]
    return (log_density, draws[:, -1], np.linalg.cholesky(np.cov(main.T)), 2.8, schedules,
            lambda x: f"P(lscale_sigma_1 > 1) {np.mean(x[..., 5 + basis] > 0):.4f}")


def autocorrelation_times(x):
    """Integrated autocorrelation times of [draw, chain, coordinate], to the first correlation below 0.02."""
    z = x - x.mean((0, 1))
    variance, times, open_ = (z * z).mean((0, 1)), np.ones(x.shape[2]), np.ones(x.shape[2], bool)
    for lag in range(1, len(x) - 1):
        r = (z[:-lag] * z[lag:]).mean((0, 1)) / variance
        open_ &= r > 0.02
        if not open_.any():
            break
        times += np.where(open_, 2 * r, 0)
    return times


def table(name, target, gradients):
    log_density, start, factor, longest, schedules, quantity = target
    both, a = jax.value_and_grad(log_density), jnp.array(factor)
    evaluate = jax.jit(jax.vmap(both))

    def trajectory(q, value, gradient, key, step, count):
        of_momentum, of_accept = jax.random.split(key)
        p = jax.random.normal(of_momentum, q.shape)
        before = value - 0.5 * p @ p

        def leapfrog(_, state):
            q, _, gradient, p = state
            p = p + 0.5 * step * (a.T @ gradient)
            q = q + step * (a @ p)
            value, gradient = both(q)
            return q, value, gradient, p + 0.5 * step * (a.T @ gradient)

        new_q, new_value, new_gradient, p = jax.lax.fori_loop(0, count, leapfrog, (q, value, gradient, p))
        change = new_value - 0.5 * p @ p - before
        probability = jnp.exp(jnp.minimum(jnp.where(jnp.isfinite(change), change, -1e9), 0))
        ok = jax.random.uniform(of_accept) < probability
        return jnp.where(ok, new_q, q), jnp.where(ok, new_value, value), jnp.where(ok, new_gradient, gradient), probability

    transition = jax.jit(jax.vmap(trajectory, (0, 0, 0, 0, None, None)))
    for schedule in schedules:
        rng, key = np.random.default_rng(1), jax.random.PRNGKey(3)
        q = jnp.array(start)
        value, gradient = evaluate(q)
        used, out, rates = 0, [], {}
        while used < gradients:
            step, share = schedule[len(out) % len(schedule)]
            count = max(1, int(np.ceil(longest * share * rng.random() / step)))
            used += count
            key, of_transition = jax.random.split(key)
            q, value, gradient, probability = transition(q, value, gradient, jax.random.split(of_transition, len(q)), step, count)
            rates.setdefault(step, []).append(float(probability.mean()))
            out.append(np.asarray(q))
        x = np.array(out)
        least = len(x) / autocorrelation_times(x).max() / used
        words = " + ".join(f"{schedule.count(s)} of {s[0]:g}" + (f" x {s[1]:g}" if s[1] != 1 else "")
                           for s in dict.fromkeys(schedule))
        accepted = ", ".join(f"{np.mean(r):.3f}" for r in rates.values())
        print(f"| {name} | {words} | {accepted} | {least:.1e} | {quantity(x)} |", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--gradients", type=int, default=40000)
    options.add_argument("--accel-gp")
    given = options.parse_args()
    print("| target | transitions of step x share of the trajectory | accepted | ESS a gradient | |\n|---|---|---|---|---|")
    table("funnel", funnel(np.random.default_rng(1)), given.gradients)
    table("groups", groups(np.random.default_rng(1)), given.gradients)
    if given.accel_gp:
        table("accel_gp", accel_gp(given.accel_gp), given.gradients)


if __name__ == "__main__":
    main()
