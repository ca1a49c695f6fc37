"""The exceptions of the package."""


class Error(Exception):
    """Base of every error of manychain. Its text is one line that says what is wrong and what to do, but for the words of a
    compiler."""


class BadInput(Error, ValueError):
    """Something asked for cannot be: an unknown name, a setting out of range, data that do not fit. Nothing was sampled."""


class CompileError(BadInput):
    """The header of a model does not compile. The text ends with a sentence that says where the first error is; before it
    stand ``words``, all that the compiler said."""

    def __init__(self, sentence: str, words: str) -> None:
        super().__init__(sentence, words)  # from which a pickle makes it again
        self.words = words

    def __str__(self) -> str:
        sentence, words = self.args
        return f"{words.rstrip()}\n{sentence}" if words else sentence


class SamplingFailed(Error, RuntimeError):
    """The run was well posed and failed all the same: no finite starting point, not enough memory."""
