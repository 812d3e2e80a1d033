"""The exit codes of the commands, besides click's own.

0: success. 1: failure, such as a full disk. 2: wrong command line or configuration. 3: invalid
data. 4: invalid model file. 5: a part of the work could not be done. 128 and a signal's number:
stopped by it; 130 by Ctrl-C, 143 by SIGTERM, 141 because the reader of the output has gone.
"""

DATA_ERROR = 3
MODEL_ERROR = 4
PARTIAL = 5
INTERRUPTED = 130
BROKEN_PIPE = 141


def stopped_by(signal_number: int) -> int:
    """Return the exit code of a command that a signal stopped.

    Examples
    --------
    >>> stopped_by(15)
    143
    """
    return 128 + signal_number
