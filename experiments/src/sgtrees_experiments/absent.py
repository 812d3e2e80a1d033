"""The error for a program, a package or a file that is missing."""


class AbsentError(RuntimeError):
    """Something is missing that a run needs; the message names it and how to get it.

    The caller reports it and continues with other runs.

    Examples
    --------
    >>> raise AbsentError("no Java here: install a JDK")
    Traceback (most recent call last):
    ...
    sgtrees_experiments.absent.AbsentError: no Java here: install a JDK
    """
