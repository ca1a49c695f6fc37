#!/usr/bin/env python3
"""Data of two posteriors of the gates whose own data are not in the project, simulated as theirs were made:

    bench/gates/simulate.py        writes bench/gates/data/*.simulated.json again

one_comp_mm_elim_abs: parameters, dose, volume, times and error of the script that simulated the data of posteriordb
(stat_comp_benchmarks, benchmarks/pkpd/one_comp_mm_elim_abs.R); random numbers are other ones.
hmm_drive_0: a player's track, 25 positions a second for 16 seconds. He stands or walks far from the hoop, drives to it, and
walks off; 1 / speed is that of a moving mean of three steps, as in the case study (bball-hmm, drive_0.R).
"""
import json
import math
import random
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"


def one_compartment():
    chance = random.Random(1)
    k_a, K_m, V_m, sigma, dose, volume = 0.75, 0.25, 1.0, 0.1, 30.0, 2.0

    def slope(t, c):
        return k_a * math.exp(-k_a * t) * dose / volume - V_m / volume * c / (K_m + c)

    times, observed, c, steps = [0.5 * n for n in range(1, 21)], [], 0.0, 1000
    for n in range(20):
        h = 0.5 / steps
        for step in range(steps):  # Runge and Kutta's method of the fourth order
            t = 0.5 * n + h * step
            k1 = slope(t, c)
            k2 = slope(t + h / 2, c + h / 2 * k1)
            k3 = slope(t + h / 2, c + h / 2 * k2)
            k4 = slope(t + h, c + h * k3)
            c += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        observed.append(round(c * math.exp(chance.gauss(0, sigma)), 4))
    return {"t0": 0, "C0": 0, "D": dose, "V": volume, "N_t": 20, "times": times, "C_hat": observed}


def drive():
    chance = random.Random(2)
    u, v, distance, speeds = [], [], 30.0, []
    for n in range(400):  # phases: stand and walk, drive, walk off
        wanted = 2.5 + 1.5 * math.sin(n / 40) if n < 290 else 16.0 if n < 340 else 4.0
        speeds.append(max(0.3, wanted * math.exp(chance.gauss(0, 0.25))))
        towards = 0.2 * math.sin(n / 25) if n < 290 else 0.85 if n < 340 else -0.3
        distance = max(0.5, distance - towards * speeds[-1] / 25)
        u.append(round(3 / sum(speeds[-3:]) if n > 1 else 1 / speeds[-1], 4))
        v.append(round(distance, 3))
    return {"N": 400, "u": u, "v": v, "alpha": [[4, 2], [2, 4]]}


for name, data in {"one_comp_mm_elim_abs": one_compartment(), "hmm_drive_0": drive()}.items():
    (DATA / f"{name}.simulated.json").write_text(
        "{" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in data.items()) + "}\n")
