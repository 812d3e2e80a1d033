"""The error for what is not there but could be: a program, a package, a file."""


class AbsentError(RuntimeError):
    """Something that a piece of work needs is not here; the message says what, and what to do.

    Whoever has other work to do reports it and goes on.

    Examples
    --------
    >>> raise AbsentError("no Java here: install a JDK")
    Traceback (most recent call last):
    ...
    sgtrees_experiments.absent.AbsentError: no Java here: install a JDK
    """
