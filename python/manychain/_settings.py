"""The settings of a run, from the library's own table."""

import difflib
import numbers
import operator
from typing import Any, Dict, Iterable, NamedTuple, Tuple

from ._errors import BadInput
from ._library import CSetting, library, text


class Setting(NamedTuple):
    """A setting of a run, as docs/settings.md lists it."""
    name: str
    kind: str  #: "whole", "real", "flag", "word" or "schedule"
    default: str  #: as text; empty: the run decides
    words: Tuple[str, ...]  #: values of a word; empty: any that the library allows
    help: str


def _read() -> Dict[str, Setting]:
    found = {}
    for index in range(library.setting_count()):
        setting = CSetting()
        library.get_setting(index, setting)
        words = text(setting.words)
        one = Setting(text(setting.name), text(setting.kind), text(setting.default_value),
                      tuple(words.split(", ")) if words else (), text(setting.help))
        found[one.name] = one
    return found


_settings = _read()


def settings() -> Dict[str, Setting]:
    """All settings that :func:`manychain.sample` takes by name, in the order of docs/settings.md."""
    return dict(_settings)


#: What others call a setting of ours.
_NAMES_OF_OTHERS = {
    **dict.fromkeys(("num_chains", "n_chains", "nchains"), "chains"),
    **dict.fromkeys(("num_samples", "n_samples", "samples", "iter_sampling", "num_draws", "n_draws", "num_results", "iter"), "draws"),
    **dict.fromkeys(("tune", "num_warmup", "n_warmup", "iter_warmup", "burn", "burnin", "burn_in", "num_burnin_steps"), "warmup"),
    **dict.fromkeys(("random_seed", "rng_seed", "random_state", "rng_key"), "seed"),
    **dict.fromkeys(("cores", "num_cores", "n_jobs", "parallel_chains", "num_threads", "n_threads"), "threads"),
    **dict.fromkeys(("target_accept", "adapt_delta", "target_accept_prob"), "target_acceptance"),
    **dict.fromkeys(("init", "inits", "initvals", "init_params", "start", "initial"), "initial_values"),
    **dict.fromkeys(("progressbar", "progress_bar", "show_progress", "verbose"), "progress"),
    **dict.fromkeys(("device", "platform"), "backend"), **dict.fromkeys(("thinning",), "thin")}


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`; did you mean "name"?`, or nothing."""
    near = difflib.get_close_matches(name, list(names), 1, 0.6)
    return f'; did you mean "{near[0]}"?' if near else ""


def as_text(name: str, value: Any, others: Iterable[str] = ()) -> str:
    """The text by which the library takes a value. `others`: further names that may have been meant."""
    setting = _settings.get(name)
    if setting is None and name in ("coords", "dims"):
        raise TypeError(f"{name} stands in the data: data={{..., \"{name}\": ...}}")
    if setting is None:
        ours = _NAMES_OF_OTHERS.get(name)
        hint = f'; did you mean "{ours}"?' if ours else did_you_mean(name, [*_settings, *others])
        raise TypeError(f'sample() has no setting "{name}"{hint}')
    is_flag = isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
    if isinstance(value, str):
        if setting.kind in ("word", "flag", "schedule") or value == "auto":
            return value
    elif setting.kind == "flag":
        if is_flag:
            return "true" if value else "false"
    elif is_flag:
        pass
    elif setting.kind == "whole":
        try:
            return str(operator.index(value))
        except TypeError:  # an array, too, may have the method
            pass
    elif setting.kind == "real":
        if isinstance(value, numbers.Real) or type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
            return repr(float(value))
    elif setting.kind == "schedule":
        if isinstance(value, (tuple, list)) and len(value) == 3:
            return ",".join(repr(float(number)) for number in value)
    wanted = {"word": "one of the words " + ", ".join(setting.words), "flag": "True or False",
              "whole": "a whole number", "real": "a number", "schedule": "three numbers (a, b, gamma)"}[setting.kind]
    raise TypeError(f"{name}: give {wanted}, not {value!r}")


def encoded(what: str, value: str) -> bytes:
    """Text as the library takes it."""
    if "\0" in value:
        raise BadInput(f"{what} must not contain a null character")
    return value.encode("utf-8")
