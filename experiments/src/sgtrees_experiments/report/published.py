"""The figures that the paper gives in its tables 2 to 4, by data set and learner."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedStream:
    """A learner's figures on a stream.

    Attributes
    ----------
    loss : float
        Classification error in per cent, or mean absolute error.
    nodes : float
        Model size.
    seconds : float
        Run time, on the authors' machine.
    """

    loss: float
    nodes: float
    seconds: float


@dataclass(frozen=True)
class PublishedBags:
    """A learner's figures on bags.

    Attributes
    ----------
    accuracy : float
        In per cent, under 10-fold cross-validation.
    rank : int
        Among the three learners.
    mark : int
        1 and -1 if the learner is significantly better or worse than SGT, else 0.
    """

    accuracy: float
    rank: int
    mark: int = 0


def _streams(
    names: tuple[str, ...], figures: dict[str, tuple[tuple[float, float, float], ...]]
) -> dict[tuple[str, str], PublishedStream]:
    return {
        (name, learner): PublishedStream(*triple)
        for learner, triples in figures.items()
        for name, triple in zip(names, triples, strict=True)
    }


# Table 2 and table 3: (error or MAE, nodes, seconds).
STREAM_FIGURES: dict[tuple[str, str], PublishedStream] = _streams(
    ("higgs", "hepmass", "kdd99", "covtype"),
    {
        "sgt": (
            (30.10, 1933.2, 384.13),
            (14.66, 1289.0, 290.46),
            (0.27, 446.3, 466.26),
            (26.94, 620.8, 32.56),
        ),
        "vfdt": (
            (30.25, 8081.4, 115.68),
            (14.81, 7256.0, 108.11),
            (0.73, 160.0, 33.15),
            (32.54, 91.8, 3.04),
        ),
        "efdt": (
            (31.46, 38535.1, 512.32),
            (15.22, 24760.2, 425.49),
            (0.07, 913.8, 97.61),
            (22.05, 3261.4, 47.23),
        ),
    },
) | _streams(
    ("airline", "aws", "zurich", "msd"),
    {
        "sgt-squared": (
            (20.86, 39287.0, 22.76),
            (0.27, 3316.3, 79.96),
            (61.59, 763.1, 33.18),
            (7.20, 235.8, 58.23),
        ),
        "fimtdd": (
            (21.14, 30060.4, 22.43),
            (0.58, 165660.6, 80.89),
            (65.80, 21756.2, 29.71),
            (13.52, 2264.4, 70.75),
        ),
        "orto": (
            (20.41, 33584.8, 50.16),
            (0.58, 177929.0, 42.66),
            (65.78, 23769.0, 22.16),
            (21.76, 2466.8, 37.17),
        ),
    },
)

# Table 4: SGT, QDDI, MITI.
_BAGS: dict[str, tuple[PublishedBags, PublishedBags, PublishedBags]] = {
    "atoms": (PublishedBags(73.36, 2), PublishedBags(69.18, 3), PublishedBags(84.06, 1, 1)),
    "bonds": (PublishedBags(75.58, 2), PublishedBags(72.43, 3), PublishedBags(81.93, 1)),
    "chains": (PublishedBags(81.99, 2), PublishedBags(78.22, 3), PublishedBags(88.42, 1)),
    "component": (
        PublishedBags(91.92, 1),
        PublishedBags(88.08, 3, -1),
        PublishedBags(89.49, 2, -1),
    ),
    "elephant": (PublishedBags(77.00, 2), PublishedBags(81.00, 1), PublishedBags(76.50, 3)),
    "fox": (PublishedBags(55.00, 3), PublishedBags(58.50, 2), PublishedBags(60.00, 1)),
    "function": (PublishedBags(95.75, 1), PublishedBags(92.35, 3, -1), PublishedBags(94.85, 2)),
    "musk1": (PublishedBags(82.22, 2), PublishedBags(77.00, 3), PublishedBags(82.56, 1)),
    "musk2": (PublishedBags(71.64, 3), PublishedBags(75.64, 1), PublishedBags(74.64, 2)),
    "process": (PublishedBags(96.42, 1), PublishedBags(94.19, 3, -1), PublishedBags(96.17, 2)),
    "tiger": (PublishedBags(77.00, 1), PublishedBags(69.00, 3), PublishedBags(76.00, 2)),
    "thioredoxin": (PublishedBags(87.08, 2), PublishedBags(88.58, 1), PublishedBags(80.87, 3)),
}
BAG_FIGURES: dict[tuple[str, str], PublishedBags] = {
    (name, learner): figures
    for name, row in _BAGS.items()
    for learner, figures in zip(("sgt-bags", "qddi", "miti"), row, strict=True)
}
