"""What is told of a training while it goes on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RoundReport:
    """What is told after each round.

    Attributes
    ----------
    number : int
        Rounds so far in this call; those on the leader alone count too.
    rows : int
        Rows learned so far in this call.
    leaves : int
        Leaves of all trees.
    workers : int
        Workers that took part; 0 for the leader alone.
    error : float
        Mean error of the trees about the round's rows, before they were learned: the part of wrong
        labels, or the mean absolute error. NaN where nobody asked, or where the leader was alone.
    received, sent : int
        Bytes of partial statistics that came to the leader, and of trees that it sent out.
    seconds : float
        How long the round took.
    part : float
        The part of the partitions that has been learned.
    """

    number: int
    rows: int
    leaves: int
    workers: int
    error: float
    received: int
    sent: int
    seconds: float
    part: float
