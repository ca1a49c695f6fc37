"""The exceptions of the package."""


class Error(Exception):
    """Base of every error of manychain. Its text is one line that says what is wrong and what to do."""


class BadInput(Error, ValueError):
    """Something asked for cannot be: an unknown name, a setting out of range, data that do not fit. Nothing was sampled."""


class SamplingFailed(Error, RuntimeError):
    """The run was well posed and failed all the same: no finite starting point, not enough memory."""
