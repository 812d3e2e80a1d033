"""The data sets of the paper: what they are, where they are, and what there is of them here."""

from sgtrees_experiments.datasets.bag_sets import BAGS
from sgtrees_experiments.datasets.dataset import (
    Bags,
    Data,
    PaperSet,
    Shape,
    Status,
    Task,
    Version,
)
from sgtrees_experiments.datasets.locating import Found, locate
from sgtrees_experiments.datasets.stream_sets import STREAMS

__all__ = [
    "BAGS",
    "STREAMS",
    "Bags",
    "Data",
    "Found",
    "PaperSet",
    "Shape",
    "Status",
    "Task",
    "Version",
    "locate",
]
