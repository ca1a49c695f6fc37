#!/usr/bin/env python3
"""Writes docs/funnel.svg: draws of Neal's funnel by a constant metric and by one that depends on position.

    bench/hierarchies/picture.py build/bin/manychain

Needs h5py and numpy. Default settings, seed 1; 1500 draws of each, at even distances. The lines are the 1 % and the 5 %
quantile of omega, which is N(0, 3).
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 300, 46, 30, 20
X, OMEGA = (-12.0, 12.0), (-10.0, 7.0)


def draws(program, metric):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "draws.nc"
        subprocess.run([program, "sample", str(HERE / "models.hpp"), "--class", "Funnel", "--metric", metric, "--seed", "1",
                        "--output", str(file)], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with h5py.File(file) as opened:
            posterior = opened["posterior"]
            omega, x = posterior["omega"][:].ravel(), posterior["x"][..., 0].ravel()
    some = numpy.linspace(0, len(omega) - 1, 1500).astype(int)
    return x[some], omega[some], (omega < 3 * -2.326).mean(), (omega < 3 * -1.645).mean()


def place(values, limits, length):
    return (values - limits[0]) / (limits[1] - limits[0]) * length


def panel(left, title, x, omega, share1, share5):
    inside = (abs(x) < X[1]) & (omega > OMEGA[0]) & (omega < OMEGA[1])
    across = left + place(x[inside], X, WIDTH)
    down = TOP + HEIGHT - place(omega[inside], OMEGA, HEIGHT)
    dots = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(across, down))
    lines = ""
    for quantile, share, name in ((-2.326, share1, "1 %"), (-1.645, share5, "5 %")):
        y = TOP + HEIGHT - place(3 * quantile, OMEGA, HEIGHT)
        lines += (f'<path class="line" d="M{left} {y:.1f}h{WIDTH}"/>'
                  f'<text x="{left + WIDTH - 4}" y="{y - 4:.1f}" text-anchor="end">{name}: {100 * share:.1f} % of draws below</text>')
    ticks = "".join(f'<text x="{left + place(t, X, WIDTH):.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{t}</text>'
                    for t in (-10, 0, 10))
    return (f'<text x="{left + WIDTH / 2}" y="{TOP - 10}" text-anchor="middle">{title}</text>'
            f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}"/><path class="dots" d="{dots}"/>{lines}{ticks}'
            f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 32}" text-anchor="middle">x[1]</text>')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    whole = 2 * WIDTH + GAP + LEFT + 10
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {TOP + HEIGHT + 40}" width="{whole}" '
            'font-family="sans-serif" font-size="12"><style>rect{fill:#fff;stroke:#888}.dots{stroke:#2060a0;stroke-opacity:.5;'
            'stroke-width:3;stroke-linecap:round}.line{stroke:#c03020;stroke-dasharray:4 3}</style><path fill="#fff" '
            f'd="M0 0h{whole}v{TOP + HEIGHT + 40}h-{whole}z"/>')
    for t in (-8, -4, 0, 4):
        text += f'<text x="{LEFT - 6}" y="{TOP + HEIGHT - place(t, OMEGA, HEIGHT) + 4:.1f}" text-anchor="end">{t}</text>'
    text += f'<text x="12" y="{TOP + HEIGHT / 2}" transform="rotate(-90 12 {TOP + HEIGHT / 2})" text-anchor="middle">omega</text>'
    for k, (metric, title) in enumerate((("low_rank", "constant masses"), ("auto", "masses that follow omega"))):
        text += panel(LEFT + k * (WIDTH + GAP), title, *draws(sys.argv[1], metric))
    (HERE.parents[1] / "docs" / "funnel.svg").write_text(text + "</svg>\n")


if __name__ == "__main__":
    main()
