"""The posteriors of bench/posteriors as Stan programs, and what turns a program into a model that nutpie can call."""

import hashlib
import json
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parents[1] / "examples" / "posteriors" / "data"
SCHOOLS = "eight_schools-eight_schools_noncentered"

# Name: Stan program, file of the data and of the references. The order is that of bench/posteriors/list.cpp.
POSTERIORS = {
    "earnings-logearn_height": ("logearn_height", "earnings-logearn_height"),
    "kidiq-kidscore_interaction": ("kidscore_interaction", "kidiq-kidscore_interaction"),
    "mesquite-logmesquite": ("logmesquite", "mesquite-logmesquite"),
    "nes1972-nes": ("nes", "nes1972-nes"),
    "diamonds-diamonds": ("diamonds", "diamonds-diamonds"),
    "sblrc-blr": ("blr", "sblrc-blr"),
    "sblri-blr": ("blr", "sblri-blr"),
    "arK-arK": ("ar_k", "arK-arK"),
    SCHOOLS: ("eight_schools_noncentered", SCHOOLS),
    "eight_schools-eight_schools_centered": ("eight_schools_centered", SCHOOLS),
    "garch-garch11": ("garch", "garch-garch11"),
    "hmm_example-hmm_example": ("hmm_example", "hmm_example-hmm_example"),
    "low_dim_gauss_mix-low_dim_gauss_mix": ("gauss_mix", "low_dim_gauss_mix-low_dim_gauss_mix"),
    "gp_pois_regr-gp_regr": ("gp_regr", "gp_pois_regr-gp_regr"),
}


def program(name):
    return (HERE / "models" / (POSTERIORS[name][0] + ".stan")).read_text()


def data(name):
    """The data that the program declares: PyStan and nutpie copy all that they are given."""
    everything = json.loads((DATA / (POSTERIORS[name][1] + ".json")).read_text())
    block = re.search(r"^data \{(.*?)^\}", program(name), re.DOTALL | re.MULTILINE).group(1)
    return {key: everything[key] for key in re.findall(r"(\w+);", block)}


def reference(name):
    return json.loads((DATA / (POSTERIORS[name][1] + ".reference.json")).read_text())


def library(name, folder):
    """The file of the shared library of a program, as compiled for nutpie."""
    key = hashlib.sha256((program(name) + (HERE / "stan_bridge.cpp").read_text()).encode()).hexdigest()[:12]
    return pathlib.Path(folder) / "nutpie" / f"{POSTERIORS[name][0]}-{key}.so"


def compile_for_nutpie(name, folder):
    """Compiles the program unless that is done. Flags: those of Stan and of httpstan, so that both have one model."""
    import httpstan

    made = library(name, folder)
    if made.exists():
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    stan = pathlib.Path(httpstan.__file__).parent
    libraries = stan / "lib"
    source, translated = made.with_suffix(".stan"), made.with_suffix(".hpp")
    source.write_text(program(name))
    subprocess.run([stan / "stanc", "--name", POSTERIORS[name][0] + "_model", "--o", translated, source], check=True)
    unfinished = made.with_suffix(".tmp")
    command = [os.environ.get("CXX", "g++"), "-O3", "-std=c++17", "-fPIC", "-shared", "-w"]
    command += ["-DSTAN_THREADS", "-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS", "-DBOOST_PHOENIX_NO_VARIADIC_EXPRESSION"]
    command += ["-D_GLIBCXX_USE_CXX11_ABI=0", f'-DMODEL_FILE="{translated}"', f"-I{stan / 'include'}"]
    command += [HERE / "stan_bridge.cpp", "-o", unfinished, f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
    command += ["-lsundials_cvodes", "-lsundials_idas", "-lsundials_nvecserial", "-ltbb"]
    subprocess.run(command, check=True)
    unfinished.rename(made)
    return made
