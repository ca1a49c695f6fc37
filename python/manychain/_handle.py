"""Runs that go on in threads of their own."""

import atexit
import collections
import os
import threading
import time
import weakref
from typing import Any, Callable, NoReturn, Optional

from ._errors import Error, SamplingFailed
from ._result import Draws, Result
from ._running import Job, Progress


class _Look:
    """A wish for what there is of a run so far, which its thread fulfils."""

    def __init__(self) -> None:
        self.found: Any = None
        self.failure: Optional[Error] = None
        self.answered = threading.Event()

    def answer(self, find: Callable[[Any], Any], at: Any) -> None:
        try:
            self.found = find(at)
        except Error as failure:
            self.failure = failure
        self.answered.set()


class _Task:
    """The part of a run that its thread and its handle share."""

    def __init__(self, job: Job) -> None:
        self.asked = job.asked
        self.progress: Optional[Progress] = None
        self.result: Optional[Result] = None
        self.failure: Optional[BaseException] = None
        self.aborted = False
        self.ended = threading.Event()
        self.process = os.getpid()
        watcher = job.watcher

        def watch(p: Progress) -> Any:
            self.progress = p
            return watcher(p) if watcher is not None else None

        job.watcher = watch
        looks = self.looks = collections.deque()  # type: collections.deque[_Look]
        so_far = job.so_far

        def look(at: Any) -> None:
            while looks:
                looks.popleft().answer(so_far, at)

        job.look = look
        self.thread = threading.Thread(target=self._work, args=(job,), name="manychain", daemon=True)
        _live.add(self)
        self.thread.start()

    def _work(self, job: Job) -> None:
        try:
            self.result = job.run()
        except BaseException as failure:  # wait() raises it
            self.failure = failure
        finally:
            del job
            self.ended.set()

    def inspect(self, timeout: Optional[float]) -> Any:
        """None if the run has ended."""
        look = _Look()
        self.looks.append(look)
        end = None if timeout is None else time.monotonic() + timeout
        while not look.answered.wait(0.05):
            if self.ended.is_set():
                return None
            if end is not None and time.monotonic() > end:
                raise TimeoutError(f"the run has not come to the end of a block in {timeout} s")
        if look.failure is not None:
            raise look.failure
        return look.found

    def abort(self) -> None:
        self.aborted = True
        self.asked.count = 2


_live: "weakref.WeakSet[_Task]" = weakref.WeakSet()


def _end_all() -> None:
    """At the end of the interpreter: no callback may come after it."""
    for task in list(_live):
        if task.process == os.getpid() and not task.ended.is_set():
            task.abort()
            task.ended.wait()


atexit.register(_end_all)


class Run:
    """A run that goes on while the program does: what ``manychain.sample(..., blocking=False)`` returns.

    ``wait()`` returns the :class:`Result`, ``stop()`` ends the run and returns what there is, ``abort()`` ends it without. A
    handle that nobody refers to any more aborts its run, and so does the end of the interpreter. It belongs to the process
    that made it: it cannot be pickled, and is of no use in a fork. Ctrl-C in ``wait()`` raises KeyboardInterrupt there, and the
    run goes on. Functions of Python, a Density or ``progress``, are called in the thread of the run.
    """

    def __init__(self, job: Job) -> None:
        self._task = _Task(job)

    def __del__(self) -> None:
        task = getattr(self, "_task", None)
        if task is not None and not task.ended.is_set():
            task.abort()

    def _here(self) -> _Task:
        if self._task.process != os.getpid():
            raise Error("this run goes on in the process that began it, and a fork has none of its threads: wait for it there")
        return self._task

    @property
    def done(self) -> bool:
        """The run has ended, by itself or otherwise: ``wait()`` returns, or raises, at once."""
        return self._here().ended.is_set()

    @property
    def progress(self) -> Optional[Progress]:
        """The last :class:`Progress`; None before there is one."""
        return self._here().progress

    def wait(self, timeout: Optional[float] = None) -> Result:
        """The result, once the run has ended. Raises what ``sample()`` would have raised, and TimeoutError where the run goes
        on after ``timeout`` seconds."""
        task = self._here()
        if not task.ended.wait(timeout):
            raise TimeoutError(f"the run goes on after {timeout} s: wait() longer, stop() it, or abort() it")
        if task.aborted:
            raise Error("the run was aborted, and has no result")
        try:
            if task.failure is not None:
                raise task.failure
            if task.result is None:
                raise SamplingFailed("the run was stopped before its first draw")
            return task.result
        finally:
            del task

    def inspect(self, timeout: Optional[float] = None) -> Draws:
        """The draws so far, a copy of them that the run does not change: ``run.inspect()["theta"]``, (chain, draw, ...), with no
        draws in warm-up. ``manychain.rhat(run.inspect())`` judges them. It waits for the end of a block of transitions, some
        20 of which there are a second, and in the diagnostics for the end of the run; TimeoutError after ``timeout`` seconds.
        Of a run that has ended it is the result, as by ``wait()``. Raises BadInput if the run keeps no draws."""
        task = self._here()
        found = None if task.ended.is_set() else task.inspect(timeout)
        return self.wait(0) if found is None else found

    def stop(self, timeout: Optional[float] = None) -> Result:
        """Ends the run and returns its result, which has the draws until then; ``cancelled`` is True. Raises SamplingFailed
        where there is no draw yet. A run that has ended is left as it is."""
        task = self._here()
        task.asked.count = max(task.asked.count, 1)
        return self.wait(timeout)

    def abort(self) -> None:
        """Ends the run, waits for that, and drops its draws. A run that has ended is left as it is."""
        task = self._here()
        if not task.ended.is_set():
            task.abort()
            task.ended.wait()
            task.result = task.failure = None

    def __repr__(self) -> str:
        task = self._task
        if task.process != os.getpid():
            return "<manychain.Run of another process>"
        if task.ended.is_set():
            state = "aborted" if task.aborted else "failed" if task.failure is not None else "done"
        elif task.progress is None:
            state = "begins"
        else:
            p = task.progress
            state = f"{p.phase}, {p.transitions} of at most {p.total} transitions of {p.chains} chains, {p.seconds:.1f} s"
        return f"<manychain.Run: {state}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Run goes on in the memory of its process and cannot be pickled: wait() for its result, and save() "
                        "that")
