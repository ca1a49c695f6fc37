#!/usr/bin/env python3
"""Pages of manychain report in a browser, as wide as a screen and as a phone: nothing is cut or lies upon something else,
no word is broken, what scrolls shows it, every text can be read, and nothing is complained of. report_page.js says what
that is.

    report_page.py PROGRAM UNIT_TESTS FOLDER

UNIT_TESTS is the program of tests/unit/report: some of its tests write pages. Exit status 77 where there is no Chromium.
PNGs of pages with faults are left in FOLDER.
"""

import os
import shutil
import subprocess
import sys

import chromium

WINDOWS = ((1280, 900, False), (390, 844, True))


def pages(program, unit_tests):
    """Files: a run of manychain itself, and pages that ask more of a layout."""
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([program, "sample", "eight_schools", "--chains", "64", "--warmup", "100", "--draws", "50", "--seed", "7",
                    "--backend", "cpu", "--threads", "1", "--output", "run.nc"], **quiet)
    subprocess.run([program, "report", "run.nc"], **quiet)
    subprocess.run([unit_tests, "--gtest_filter=BrowserPages.*"], env={**os.environ, "TEST_TMPDIR": os.getcwd()}, **quiet)
    return sorted(name for name in os.listdir(".") if name.endswith(".html"))


def main(program, unit_tests, folder):
    browser = chromium.find()
    if browser is None:
        print("there is no Chromium (Debian: chromium)")
        sys.exit(77)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "report_page.js"), encoding="utf-8") as file:
        check = file.read()
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    names = pages(program, unit_tests)
    assert len(names) == 3, names
    bad = 0
    with chromium.Chromium(browser, os.path.abspath("profile")) as window:
        for name in names:
            for width, height, phone in WINDOWS:
                window.open(name, width, height, phone)
                faults = window.run(check) + window.complaints
                window.complaints.clear()
                for fault in faults:
                    print(f"{name}, {width} px: {fault}")
                if faults:
                    window.picture(f"{name[:-5]}-{width}.png")
                bad += len(faults)
    shutil.rmtree("profile", ignore_errors=True)
    sys.exit(1 if bad else 0)


main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3])
