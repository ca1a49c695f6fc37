"""Three models that manychain carries, as densities for JAX; their data are those of the folder data."""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


class Normal:
    """include/manychain/models/normal.hpp"""

    def __init__(self):
        self.dimension = json.loads((DATA / "normal.json").read_text())["D"]

    def log_density(self, x):
        """Of one chain, or of many, which lie in the last axis; components lie in the first."""
        return -0.5 * jnp.sum(x * x, axis=0)

    def outputs(self, draws):
        """Of draws in an array of chains, draws, components."""
        return {"x": draws}


class EightSchools:
    """include/manychain/models/eight_schools.hpp: mu, the logarithm of tau, theta_trans."""

    def __init__(self):
        data = json.loads((DATA / "eight_schools.json").read_text())
        self.y, self.sigma = (np.asarray(data[name], np.float32) for name in ("y", "sigma"))
        self.dimension = 2 + data["J"]

    def log_density(self, x):
        mu, log_tau, theta_trans = x[0], x[1], x[2:]
        tau = jnp.exp(log_tau)
        shape = (-1,) + (1,) * (x.ndim - 1)
        z = (self.y.reshape(shape) - mu - tau * theta_trans) / self.sigma.reshape(shape)
        priors = -0.5 * (mu / 5) ** 2 - jnp.log1p((tau / 5) ** 2) + log_tau
        return priors - 0.5 * jnp.sum(theta_trans * theta_trans + z * z, axis=0)

    def outputs(self, draws):
        mu, tau, theta_trans = draws[:, :, 0], np.exp(draws[:, :, 1]), draws[:, :, 2:]
        theta = mu[:, :, None] + tau[:, :, None] * theta_trans
        return {"mu": mu, "tau": tau, "theta_trans": theta_trans, "theta": theta}


class LogisticRegression:
    """include/manychain/models/logistic_regression.hpp: columns standardised, a column of ones last."""

    def __init__(self):
        data = json.loads((DATA / "logistic_regression.json").read_text())
        columns = np.asarray(data["X"], np.float64)
        columns = (columns - columns.mean(0)) / columns.std(0)
        self.Z = np.hstack([columns, np.ones((len(columns), 1))]).astype(np.float32)
        self.y = np.asarray(data["y"], np.float32)
        self.dimension = self.Z.shape[1]

    def log_density(self, x):
        logits = self.Z @ x
        return self.y @ logits - jnp.sum(jax.nn.softplus(logits), axis=0) - 0.5 * jnp.sum(x * x, axis=0)

    def outputs(self, draws):
        return {"beta": draws}


# Class, chains, warm-up, draws.
MODELS = {
    "normal": (Normal, 1024, 500, 1000),
    "eight_schools": (EightSchools, 1024, 500, 1000),
    "logistic_regression": (LogisticRegression, 256, 500, 500),
}
