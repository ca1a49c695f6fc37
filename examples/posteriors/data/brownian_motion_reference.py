"""The reference of the Brownian motion: its locations are integrated out by hand, its two scales by quadrature.

Given the scales the 30 locations are normal, and so are the observations: y ~ N(0, a^2 C + b^2 I), C_ij = min(t_i, t_j).
On the logarithms of the scales their lognormal(0, 2) priors are N(0, 2).
"""

import json
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
name = "brownian_motion_unknown_scales_missing_middle_observations"
data = json.loads((here / f"{name}.json").read_text())
at, y = np.array(data["at"]), np.array(data["y"])
times = np.arange(1, data["T"] + 1)
w, V = np.linalg.eigh(np.minimum.outer(at, at).astype(float))
z = V.T @ y
full = np.minimum.outer(times, at) @ V  # covariance of all locations with the observed, in the eigenbasis

log_a, log_b = np.linspace(-8, 1.5, 761)[:, None], np.linspace(-16, 1.5, 1401)[None, :]
a2, b2 = np.exp(2 * log_a), np.exp(2 * log_b)
log_density = -(log_a**2 + log_b**2) / 8
for k in range(len(w)):
    e = a2 * w[k] + b2
    log_density = log_density - 0.5 * (np.log(e) + z[k] ** 2 / e)
weight = np.exp(log_density - log_density.max())
weight /= weight.sum()


def moments(mean, variance=0.0):
    """Of a quantity with these moments given the scales."""
    m = (weight * mean).sum()
    return {"mean": m, "sd": float(np.sqrt((weight * (variance + mean**2)).sum() - m**2))}


reference = {
    "innovation_noise_scale": moments(np.exp(log_a)),
    "observation_noise_scale": moments(np.exp(log_b)),
}
for i, t in enumerate(times):
    mean, variance = 0.0, a2 * t
    for k in range(len(w)):
        e = a2 * w[k] + b2
        mean = mean + a2 * full[i, k] * z[k] / e
        variance = variance - (a2 * full[i, k]) ** 2 / e
    reference[f"locs[{t}]"] = moments(mean, variance)
lines = [f'  "{k}": ' + json.dumps({"mean": v["mean"], "sd": v["sd"], "mcse_mean": 0.0}) for k, v in reference.items()]
(here / f"{name}.reference.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
