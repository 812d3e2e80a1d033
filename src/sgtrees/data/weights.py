"""Weights of rows: ``sample_weight``, and the weights of their classes."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from sgtrees.data.columns import Coded

Weights = NDArray[np.float64]

# Between these no sum of a model overflows or vanishes: it holds squares of weights, and products
# with powers of targets.
LEAST_WEIGHT = 1e-50
GREATEST_WEIGHT = 1e50
_RANGE = f"0, or between {LEAST_WEIGHT:g} and {GREATEST_WEIGHT:g}"


def read_weights(sample_weight: Any, n_rows: int) -> Weights | None:
    """Check ``sample_weight``: for each row a number that is 0, or between 1e-50 and 1e50.

    Examples
    --------
    >>> read_weights([1, 2], 2)
    array([1., 2.])
    >>> read_weights([1, -2], 2)
    Traceback (most recent call last):
    ValueError: sample_weight[1] is -2.0; weights must be finite and not negative
    >>> read_weights([1, 1e-200], 2)
    Traceback (most recent call last):
    ValueError: sample_weight[1] is 1e-200; weights must be 0, or between 1e-50 and 1e+50; \
only their ratios matter, so multiply all of them by one number
    """
    if sample_weight is None:
        return None
    if np.isscalar(sample_weight):
        weights = np.full(n_rows, sample_weight, dtype=np.float64)
    else:
        weights = check_array(
            sample_weight,
            dtype=np.float64,
            order="C",
            ensure_2d=False,
            ensure_all_finite=False,
            input_name="sample_weight",
        )
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be one-dimensional, got shape {weights.shape}")
    if len(weights) != n_rows:
        raise ValueError(f"sample_weight has {len(weights)} values for {n_rows} rows")
    right = np.isfinite(weights) & (weights >= 0)
    if not right.all():
        row = int(right.argmin())
        raise ValueError(
            f"sample_weight[{row}] is {weights[row]}; weights must be finite and not negative"
        )
    check_size(weights, "sample_weight[{row}] is {weight}")
    return weights


def check_size(weights: Weights, what: str) -> None:
    """Refuse weights, all finite and not negative, that are too small or too large to be added up.

    Parameters
    ----------
    weights : ndarray
        The weights.
    what : str
        The beginning of the error's sentence, with places for ``row`` and ``weight``.
    """
    right = (weights == 0) | ((weights >= LEAST_WEIGHT) & (weights <= GREATEST_WEIGHT))
    if not right.all():
        row = int(right.argmin())
        raise ValueError(
            f"{what.format(row=row, weight=weights[row])}; weights must be {_RANGE}; only their "
            "ratios matter, so multiply all of them by one number"
        )


def check_weight(weight: Any) -> float:
    """Check the weight of one event.

    Examples
    --------
    >>> check_weight(2)
    2.0
    """
    if not isinstance(weight, Real):
        raise TypeError(f"w must be a number, got {weight!r}")
    number = float(weight)
    if not 0 <= number < np.inf:
        raise ValueError(f"w is {number}; a weight must be finite and not negative")
    if number:
        check_size(np.array([number]), "w is {weight}")
    return number


class ClassWeight:
    """The weight of each class: the parameter ``class_weight``.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        A weight for each label (1 for other labels); "balanced": weights that give all classes the
        same total.

    Examples
    --------
    >>> ClassWeight({"spam": 3.0}).of("spam"), ClassWeight({"spam": 3.0}).of("ham")
    (3.0, 1.0)
    """

    def __init__(self, class_weight: Any) -> None:
        self.balanced = isinstance(class_weight, str) and class_weight == "balanced"
        self.by_label: dict[Any, float] = {}
        if class_weight is None or self.balanced:
            return
        if not isinstance(class_weight, Mapping):
            raise ValueError(
                f"class_weight={class_weight!r} is not known; "
                "give a dictionary from labels to weights, 'balanced' or None"
            )
        for label, weight in class_weight.items():
            if not 0 <= weight < np.inf:
                raise ValueError(
                    f"class_weight gives the label {label!r} the weight {weight}; "
                    "weights must be finite and not negative"
                )
            self.by_label[label] = float(weight)

    def __bool__(self) -> bool:
        return self.balanced or bool(self.by_label)

    def of(self, label: Any) -> float:
        """Return a label's weight."""
        return self.by_label.get(label, 1.0)


# That of most models.
NO_CLASS_WEIGHT = ClassWeight(None)


def combine(weights: Weights | None, class_weight: ClassWeight, labels: Coded) -> Weights | None:
    """Multiply the rows' weights by those of their classes; "balanced" needs all rows at once.

    Examples
    --------
    >>> from sgtrees.targets.labels import code_labels
    >>> combine(None, ClassWeight("balanced"), code_labels(["a", "b", "b"]))
    array([1.5 , 0.75, 0.75])
    """
    if not class_weight:
        return weights
    if class_weight.balanced:
        totals = np.bincount(labels.codes, weights, minlength=len(labels.values))
        occur = totals > 0
        of_code = np.zeros(len(totals))
        of_code[occur] = totals.sum() / (occur.sum() * totals[occur])
    else:
        of_code = np.array([class_weight.of(label) for label in labels.values])
    of_row: Weights = of_code[labels.codes]
    combined = of_row if weights is None else of_row * weights
    check_size(combined, "row {row} has the weight {weight}, that of its class included")
    return combined
