"""The settings of :func:`manychain.sample` as type checkers and editors see them: those of the library's table, which
tests/python/test_errors.py compares."""

from typing import Literal, Optional, Sequence, SupportsFloat, SupportsIndex, TypedDict, Union

Whole = Union[SupportsIndex, Literal["auto"], None]
Real = Union[SupportsFloat, Literal["auto"], None]
Flag = Union[bool, str, None]
Word = Optional[str]
Schedule = Union[Sequence[float], str, None]


class Settings(TypedDict, total=False):
    sampler: Word
    chains: Whole
    superchains: Whole
    warmup: Whole
    warmup_end: Word
    draws: Whole
    thin: Whole
    target_ess: Real
    seed: Whole
    backend: Word
    device: Whole
    devices: Word
    precision: Word
    threads: Whole
    scalar: Flag
    step_size: Real
    trajectory: Real
    schedule: Schedule
    minibatch: Whole
    target_acceptance: Real
    starts: Word
    initial_radius: Real
    integrator: Word
    metric: Word
    adaptation: Word
    adaptation_interval: Whole
    max_leapfrogs: Whole
    groups: Whole
    first_chain: Whole
    keep_draws: Flag
    keep_sample_stats: Flag
    save_warmup: Flag
    keep_on_device: Flag
    log_likelihood: Whole
    time_limit: Real
    blocks_per_second: Whole
