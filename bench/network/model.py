#!/usr/bin/env python3
"""Counts what the ranks of a run say to each other, and says how long that takes on a network of given figures.

    model.py --latency SECONDS --bandwidth BYTES_PER_SECOND [--transitions 300]

The counts are those of docs/machines.md, which tests/unit/run/ranks_test.cpp holds the library to: a transition of a windowed
warm-up adapts by one call of all ranks, a gather of 128 bytes from each, which holds what there is to say while that is at most
112 bytes, and by a second gather otherwise. A gather of small pieces takes ceil(log2 R) latencies, and its bytes their time.
manychain_network (bench/network/latency.cpp) measures both figures.
"""

import argparse
import math

HEAD, PIECE, PER_SUM = 128, 112, 16  # bytes: a head, what it holds, what a sum of 256 chains has
CHAINS_PER_SUM = 256


def ranges(chains, ranks):
    """The longest range of chains of a rank, and whether bounds lie between sums (src/run/share.cpp)."""
    sums = math.ceil(chains / CHAINS_PER_SUM)
    longest = math.ceil(sums / ranks)
    if 4 * longest * ranks <= 5 * sums:
        return longest * CHAINS_PER_SUM, True
    return math.ceil(chains / ranks), False


def transition(chains, ranks):
    """Calls of a transition that adapts, and the bytes that a rank receives in it."""
    longest, whole_sums = ranges(chains, ranks)
    mine = longest // CHAINS_PER_SUM * PER_SUM if whole_sums else 4 * longest
    if mine <= PIECE:
        return 1, HEAD * ranks
    return 2, HEAD * ranks + (math.ceil(chains / CHAINS_PER_SUM) * PER_SUM if whole_sums else 4 * chains)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--latency", type=float, required=True)
    options.add_argument("--bandwidth", type=float, required=True)
    options.add_argument("--transitions", type=int, default=300)
    given = options.parse_args()
    print(f"latency {given.latency * 1e6:.2f} us, {given.bandwidth / 1e9:.2f} GB/s, {given.transitions} transitions that adapt")
    print(f"{'chains':>9} {'ranks':>6} {'calls':>6} {'bytes':>9} {'us a transition':>16} {'s of warm-up':>13} {'of it latency':>14}")
    for chains in (1024, 65536, 1048576):
        for ranks in (2, 4, 64, 1024):
            calls, received = transition(chains, ranks)
            waits = calls * math.ceil(math.log2(ranks)) * given.latency
            seconds = waits + received / given.bandwidth
            print(f"{chains:9} {ranks:6} {calls:6} {received:9} {seconds * 1e6:16.1f} {seconds * given.transitions:13.4f}"
                  f" {waits / seconds:14.2f}")


main()
