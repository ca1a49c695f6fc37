"""Gradients a second by JAX of the models that `manychain_bench --compare` differentiates: many points at once, jitted, in
single precision, on all cores that the process may use; beside it manychain's from the model's definition, by a process
on each of these cores at the same time.

    python gradients.py [--manychain-bench PROGRAM] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np

from ensemble_models import EightSchools, LogisticRegression


class Garch:
    """examples/posteriors/garch.hpp with the data of bench/cases/hand_posteriors.hpp."""

    dimension = 4

    def __init__(self):
        y, h, z = [], 0.25, 0.3
        for t in range(200):
            z = np.sin(12.9898 * (t + 1) + 78.233 * z) * 1.7
            y.append(0.2 + np.sqrt(h) * z)
            h = 0.1 + 0.2 * (y[-1] - 0.2) ** 2 + 0.6 * h
        self.y = np.asarray(y, np.float32)

    def log_density(self, q):
        """Of one chain."""
        mu, alpha0, alpha1 = q[0], jnp.exp(q[1]), jax.nn.sigmoid(q[2])
        room, part = 1 - alpha1, jax.nn.sigmoid(q[3])
        beta1 = room * part
        y = jnp.asarray(self.y)

        def step(h, before):
            h = alpha0 + alpha1 * (before - mu) ** 2 + beta1 * h
            return h, h

        h0 = jnp.float32(0.25)
        _, rest = jax.lax.scan(step, h0, y[:-1])
        h = jnp.concatenate([h0[None], rest])
        jacobian = q[1] + jnp.log(alpha1 * room) + jnp.log(room * part * (1 - part))
        return jacobian - 0.5 * jnp.sum(jnp.log(h) + (y - mu) ** 2 / h)


class ItemResponse:
    """examples/posteriors/item_response.hpp with simulated answers: 400 students, 100 questions, three of four answered."""

    dimension = 501

    def __init__(self):
        state, student, question, correct = 1, [], [], []
        for s in range(400):
            for k in range(100):
                state = (1664525 * state + 1013904223) % 2**32
                if (state >> 16) % 4 == 0:
                    continue
                student.append(s)
                question.append(k)
                correct.append((state >> 20) % 3 != 0)
        self.student, self.question = np.asarray(student), np.asarray(question)
        self.correct = np.asarray(correct, np.float32)

    def log_density(self, q):
        """Of one chain."""
        mean, ability, difficulty = q[0], q[1:401], q[401:]
        eta = ability[self.student] - difficulty[self.question] + mean
        terms = self.correct * eta - jax.nn.softplus(eta)
        return jnp.sum(terms) - 0.5 * ((mean - 0.75) ** 2 + jnp.sum(q[1:] ** 2))


POINTS = {"item_response": [64, 256]}  # more take its memory
ANY_POINTS = [256, 1024, 4096, 16384]
CASES = {"logistic_regression": "logistic_regression_blocked"}


def rate(model, points, seconds=2.0):
    """Gradients a second: the best of some calls, each of `points` points."""
    q = 0.1 * np.random.default_rng(1).standard_normal((points, model.dimension)).astype(np.float32)
    gradient = jax.jit(jax.vmap(jax.grad(model.log_density)))
    gradient(q).block_until_ready()
    best, begin = np.inf, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        gradient(q).block_until_ready()
        best = min(best, time.perf_counter() - start)
    return points / best


def of_manychain(program, name, folder):
    """Gradients a second of one process on each core, together; each is the median of eleven measurements."""
    def start(core):
        file = folder / f"{core}.json"
        words = ["taskset", "--cpu-list", str(core), program, "--compare", "--json", file,
                 "--filter", f"definition_to_hand/gradient/{CASES.get(name, name)}$"]
        return file, subprocess.Popen(words, stdout=subprocess.DEVNULL)
    processes = [start(core) for core in sorted(os.sched_getaffinity(0))]
    for _, process in processes:
        if process.wait() != 0:
            raise SystemExit(f"{program} failed")
    return sum(json.loads(file.read_text())["comparisons"][0]["definition"] for file, _ in processes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manychain-bench", metavar="PROGRAM")
    parser.add_argument("--json")
    options = parser.parse_args()
    models = {"eight_schools": EightSchools(), "logistic_regression": LogisticRegression(), "garch": Garch(),
              "item_response": ItemResponse()}
    cores = len(os.sched_getaffinity(0))
    print(f"Gradients a second on {cores} cores; JAX {jax.__version__} at its best number of points at once\n")
    print(f"{'model':24}{'JAX':>12}{'points':>8}{'manychain':>12}{'times':>8}")
    figures = {}
    for name, model in models.items():
        best, points = max((rate(model, n), n) for n in POINTS.get(name, ANY_POINTS))
        figures[name] = {"jax": best, "points": points}
        beside = ""
        if options.manychain_bench:
            with tempfile.TemporaryDirectory() as folder:
                own = figures[name]["manychain"] = of_manychain(options.manychain_bench, name, pathlib.Path(folder))
            beside = f"{own:12.4g}{own / best:8.1f}"
        print(f"{name:24}{best:12.4g}{points:8}{beside}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump({"jax": jax.__version__, "cores": cores, "gradients_per_second": figures}, out, indent=2)


if __name__ == "__main__":
    main()
