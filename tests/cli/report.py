#!/usr/bin/env python3
"""manychain report as its users meet it: the page of a run has the numbers that `summary` prints, and nothing from
elsewhere; mistakes end in a sentence, and no file is lost.

    report.py PROGRAM DATA FOLDER

DATA has files of Stan CSV (tests/data/diagnostics).
"""

import html.parser
import os
import re
import shutil
import subprocess
import sys

PROGRAM, DATA, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
VOID = {"meta", "br", "wbr", "link", "img", "input", "hr"}
FROM_ELSEWHERE = {"script", "link", "img", "iframe", "object", "embed", "image", "use"}


class Page(html.parser.HTMLParser):
    """Every tag is closed in its order; the cells of the table of quantities, all texts, the pictures."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.rows, self.text, self.pictures, self.ids, self.links = [], [], "", [], set(), []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert tag not in FROM_ELSEWHERE, tag
        for name, value in attributes.items():
            assert not name.startswith("on"), name
            assert name not in ("src", "srcset", "xlink:href"), name
            if name == "href":
                assert value.startswith("#"), value
                self.links.append(value[1:])
        if "id" in attributes:
            assert attributes["id"] not in self.ids, attributes["id"]
            self.ids.add(attributes["id"])
        if tag == "svg":
            assert attributes["role"] == "img" and attributes["aria-label"], attributes
            self.pictures.append(attributes["aria-label"])
        for name in ("d", "x", "y", "cx", "cy"):
            if tag in ("path", "text", "circle"):
                assert not re.search("nan|inf", attributes.get(name, "")), attributes
        if tag == "table":
            self.rows.append(attributes.get("class"))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if self.open and any(tag in self.open for tag in ("td", "th")):
            self.rows[-1][-1] += data


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def refused(words, *arguments):
    done = run("report", *arguments, status=2)
    assert re.search(words, done.stderr), done.stderr
    assert done.stderr.count("\n") == 1 and not done.stdout, done


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def table(output):
    """Lines of the table that summary prints."""
    lines = output.split("\n\n", 1)[1].splitlines()
    return sorted(line.split() for line in lines[1:] if line and not line.startswith("..."))


def same_table(page, *files):
    summary = run("summary", *files, "--rows", "0").stdout
    rows = page.rows[page.rows.index("quantities") + 1:]
    rows = sorted(row for row in rows if isinstance(row, list) and len(row) == 10 and row[0])
    assert rows == table(summary), f"{rows}\n{table(summary)}"
    # The words of the verdict, too.
    verdict = re.sub(r"\s+", " ", summary.split("\n", 1)[1].split("\n\n", 1)[0])
    said = re.sub(r"\s+", " ", page.text)
    for sentence in re.split(r"(?<=[.:]) (?:- |warning: |note: )", verdict):
        assert sentence.strip() in said, sentence


def own_run():
    run("sample", "eight_schools", "--chains", "64", "--warmup", "100", "--draws", "50", "--seed", "7", "--backend", "cpu",
        "--threads", "1", "--log-likelihood", "5", "--output", "run.nc")
    done = run("report", "run.nc")
    assert "Report: run.html (" in done.stdout and "onverged" in done.stdout, done.stdout
    text = read("run.html")
    assert len(text) < 600000, len(text)
    page = Page(text)
    same_table(page, "run.nc")
    assert set(page.links) <= page.ids
    assert len(page.pictures) == 3 * 18 + 2, len(page.pictures)  # and two of the energy
    for words in ("eight_schools", "64, in 16 superchains", "--seed 7", "Divergences: ", "E-BFMI: ", "log likelihoods of y",
                  "energy - mean of chain; energy change", "E-BFMI of a chain", "rank among all draws, %"):
        assert words in page.text, words
    # The settings on the page give the same draws.
    settings = re.search(r"takes them: (--.*?)\. With", page.text).group(1)
    run("sample", "eight_schools", *settings.split(), "--output", "again.nc")
    assert run("summary", "run.nc").stdout == run("summary", "again.nc").stdout
    # Again: the same page takes the place of the first.
    run("report", "run.nc", "--threads", "2")
    assert read("run.html") == text
    run("report", "run.nc", "--show", "mu,theta[2]", "-o", "two.html")
    two = Page(read("two.html"))
    assert "2 of 18 quantities are shown" in two.text and len(two.pictures) == 3 * 2 + 2
    out = run("report", "run.nc", "--show", "mu", "-o", "-")
    assert Page(out.stdout).pictures and "onverged" in out.stderr
    return text


def other_files():
    for i in range(1, 5):
        shutil.copy(os.path.join(DATA, f"bern{i}.csv"), f"{i}.csv")
    run("report", "1.csv", "2.csv", "3.csv", "4.csv")
    page = Page(read("1.html"))
    same_table(page, "1.csv", "2.csv", "3.csv", "4.csv")
    for words in ("bernoulli_model", "Stan 2.35.0", "Divergences: none", "E-BFMI"):
        assert words in page.text, words
    # Names that are markup, draws that are none, and none that move.
    write("odd.csv", "<b>bold</b>,a&amp;b,lost,still\n" +
          "".join(f"{d % 7},{d * 7 % 11}.5,{'nan' if d == 3 else d % 5},3\n" for d in range(40)))
    run("report", "odd.csv")
    page = Page(read("odd.html"))
    for words in ("<b>bold</b>", "a&amp;b", "1 of 40 draws are not finite (1 NaN", "Constant: all draws are 3.", "NOT converged"):
        assert words in page.text, words
    write("one.csv", "x\n1\n")
    run("report", "one.csv")
    Page(read("one.html"))


def mistakes(page):
    refused("give a file of draws", "-o", "x.html")
    refused("none.nc: cannot be read: No such file", "none.nc")
    write("words.txt", "no draws\n")
    refused("words.txt: ", "words.txt")
    refused("--show: there is no thta; did you mean theta", "run.nc", "--show", "thta")
    refused("no/such/page.html: cannot be written", "run.nc", "-o", "no/such/page.html")
    refused("cannot be written: it is a folder", "run.nc", "-o", ".")
    refused("unknown option --outptu; did you mean --output", "run.nc", "--outptu", "x.html")
    # No file is lost but a page.
    refused("run.nc: cannot be written: it is a file that is read", "run.nc", "-o", "run.nc")
    refused("run.nc: cannot be written: it is a file that is read", "run.nc", "-o", "./run.nc")
    write("thesis.html", "<!DOCTYPE html>\n<title>Thesis</title>\n")
    refused("thesis.html: there is such a file, and it is no report; --output names another", "run.nc", "-o",
            "thesis.html")
    assert "Thesis" in read("thesis.html")
    shutil.copy("run.nc", "thesis.nc")
    refused("thesis.html: there is such a file, and it is no report", "thesis.nc")
    shutil.copy("run.html", "damaged.html")
    with open("run.nc", "rb") as file:
        half = file.read()[:2000]
    with open("damaged.nc", "wb") as file:
        file.write(half)
    refused("damaged.nc: cannot be read", "damaged.nc")
    assert read("damaged.html") == page, "a page that could not be made anew stays"
    assert not [name for name in os.listdir(".") if name.endswith(".partial")]


shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
os.chdir(FOLDER)
mistakes(own_run())
other_files()
