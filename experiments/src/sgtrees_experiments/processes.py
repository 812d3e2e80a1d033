"""Child processes that print a line for each result."""

import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from tempfile import TemporaryFile

Started = Callable[["subprocess.Popen[str]"], object]


class ProcessError(RuntimeError):
    """A process has failed.

    Attributes
    ----------
    code : int
        Its exit code.
    stderr : str
        What it wrote to its standard error.
    """

    def __init__(self, code: int, stderr: str) -> None:
        super().__init__((stderr.strip().splitlines() or [f"it ended with code {code}"])[-1])
        self.code = code
        self.stderr = stderr


def output_lines(
    command: Sequence[str],
    started: Started | None = None,
    environment: Mapping[str, str] | None = None,
) -> Generator[str, None, None]:
    r"""Run a command, and yield the lines of its standard output as they come.

    The process is killed when the generator is closed.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    started : callable, optional
        Called with the process, so that the caller can end it.
    environment : mapping, optional
        Its environment variables; by default those of this process.

    Raises
    ------
    ProcessError
        If the exit code is not 0.

    Examples
    --------
    >>> import sys
    >>> list(output_lines([sys.executable, "-c", "print('a'); print('b')"]))
    ['a\n', 'b\n']
    """
    with (
        TemporaryFile("w+", encoding="utf-8", errors="replace") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
        ) as process,
    ):
        assert process.stdout is not None
        if started is not None:
            started(process)
        try:
            yield from process.stdout
            code = process.wait()
        finally:
            process.kill()
        if code:
            errors.seek(0)
            raise ProcessError(code, errors.read())
