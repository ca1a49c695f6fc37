"""Models that a function of Python makes, one for each data set."""

import ctypes
import threading
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Dict, List, Tuple

from ._data import DataSets
from ._errors import BadInput, SamplingFailed
from ._frames import is_frame, rows_of, rows_of_sets
from ._library import BAD_INPUT, OK, ModelOfSet, library
from ._models import Bound, CFunction, Density, Wanted


class GivenSets(DataSets):
    """Data sets for a function of Python, as it gets them: the library has their names alone. A mapping of names to whatever
    the function takes, a sequence of that, or a data frame with `column`, whose rows of one set are a data frame."""

    def __init__(self, source: Any, column: Any, common: Any) -> None:
        if common is not None:
            raise TypeError("data: a function that makes densities has what all data sets share; leave it out")
        self.given: List[Any] = []
        self._begin(column)
        if is_frame(source):
            for name, rows in rows_of_sets(source, column).items():
                self._give(name, rows_of(source, rows))
            return
        self._without(column)
        if isinstance(source, Mapping):
            for name, data in source.items():
                self._give(str(name), data)
        elif isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
            for data in source:
                self._give(None, data)
        else:
            raise TypeError("data_sets: a function that makes densities gets what is in a mapping of names to data, in a sequence "
                            f"of data or in a data frame with column=, not in {type(source).__name__}: read files before")

    def _give(self, name: Any, data: Any) -> None:
        self._add(name, {})
        self.given.append(data)


class MadeForEach:
    """A function that returns the density of a data set."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def _made(self, data: Any) -> Any:
        density = self.function(data)
        if not isinstance(density, (Density, CFunction)):
            raise TypeError("the function that makes densities must return a Density or a CFunction, not "
                            f"{type(density).__name__}; other models read their data sets themselves")
        return density

    def _bind(self, sets: GivenSets, wanted: Wanted) -> Bound:
        bound = Bound()
        failures = bound.failures
        wanted = wanted._replace(failures=failures)
        in_use: Dict[int, Tuple[int, Bound]] = {}  # of each thread: the set and its model

        def make(number: int, data: Any, seed: int, user: Any, said: int, size: int, model: Any) -> int:
            try:
                if wanted.asked.count > 1:
                    raise KeyboardInterrupt
                if failures:  # of the density of another set
                    return 1
                last = next((held for held in list(in_use.values()) if held[0] == number), None)
                one = last[1] if last else self._made(sets.given[number])._bind(None, wanted)
                in_use[threading.get_ident()] = (number, one)
                model[0] = one.pointer
                return OK
            except BadInput as refusal:
                words = str(refusal).encode("utf-8", "replace")[:size - 1]
                ctypes.memmove(said, words + b"\0", len(words) + 1)
                return BAD_INPUT
            except BaseException as failure:  # nothing may leave a callback of C
                failures.append(failure)
                return 1

        function = ModelOfSet(make)
        bound.kept += [function, in_use]
        try:
            library.models_of_sets(function, None, sets.pointer, bound.pointer)
        except SamplingFailed:
            if failures:
                raise failures.pop(0) from None
            raise
        return bound
