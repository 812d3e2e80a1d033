"""`SGTRegressor`: one stochastic gradient tree under any loss."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from sgtrees._core import encode_event
from sgtrees.data.weights import GREATEST_WEIGHT, LEAST_WEIGHT
from sgtrees.estimators.event_estimator import EventEstimator
from sgtrees.losses.links import read_link
from sgtrees.losses.parameter import read_loss
from sgtrees.models.model import Start
from sgtrees.models.regressor_model import RegressorModel
from sgtrees.parameters.constructors import documented
from sgtrees.parameters.table.targets import RegressorParameters
from sgtrees.targets.numbers import (
    GREATEST_TARGET,
    check_target,
    check_targets,
    read_targets,
)
from sgtrees.targets.outputs import Columns, Outputs, is_several


@documented
class SGTRegressor(RegressorParameters, RegressorMixin, EventEstimator[RegressorModel]):
    """A stochastic gradient tree for regression.

    The tree learns row by row, as those of `SGTClassifier` do, whose notes on parameters, errors
    and threads hold here too.

    Parameters
    ----------
    **parameters
        ``help(SGTRegressor)`` and ``docs/parameters.md`` describe them.

    Attributes
    ----------
    n_features_in_, feature_names_in_, n_nodes_, n_leaves_, depth_, n_updates_, n_splits_
        As for `SGTClassifier`.
    range_updates_ : list of RangeUpdate
        As for `SGTClassifier`.
    n_outputs_ : int
        The number of targets of each row.
    target_names_ : ndarray
        The targets' names, if they have some.
    loss_scale_ : float or ndarray
        The scale that the loss took from the warm-up, or was given; 0 for a loss without one. One
        for each target if there are several.

    See Also
    --------
    SGTClassifier : The same for classes.
    sgtrees.losses : Losses, and how to write and check your own.

    Notes
    -----
    y may have several columns, with a target each: an array of two dimensions, a list of lists, or
    a data frame whose columns name the targets. One tree predicts them all, with a value for each
    in every leaf. A loss acts on each target by itself, with its own start and scale, and
    their sum is minimised, so targets on a larger scale count for more; your own loss may also be
    one of all targets of a row together (``Loss.is_joint``). The first row determines how many
    targets there are.

    References
    ----------
    H. Gouk, B. Pfahringer, E. Frank: Stochastic Gradient Trees. ACML 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from sgtrees import SGTRegressor
    >>> X = np.linspace(0, 1, 2000).reshape(-1, 1)
    >>> y = 10.0 * (X[:, 0] > 0.5)
    >>> model = SGTRegressor(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    The median in place of the mean, then counts, whose predictions are above 0:

    >>> model = SGTRegressor(loss="absolute_error").partial_fit([[1.0]] * 3, [1.0, 2.0, 60.0])
    >>> model.predict([[1.0]])
    array([2.])
    >>> SGTRegressor(loss="poisson").partial_fit([[1.0]] * 3, [0, 0, 1]).predict([[1.0]]).round(3)
    array([0.333])

    Event by event, with features that have names:

    >>> model = SGTRegressor()
    >>> model.predict_one({"size": 3.5})
    0.0
    >>> model.learn_one({"size": 3.5}, 20.0).predict_one({"size": 3.5})
    20.0

    Several targets, with names:

    >>> model = SGTRegressor().learn_one({"size": 3.5}, {"price": 20.0, "days": 2.0})
    >>> model.learn_one({"size": 1.5}, {"price": 10.0, "days": 4.0}).predict_one({"size": 2.5})
    {'price': 15.0, 'days': 3.0}
    """

    _model_classes = (RegressorModel,)

    def _new_model(self, start: Start, outputs: Outputs | None) -> RegressorModel:
        loss = read_loss(self.loss, for_classes=False)
        return RegressorModel(start, loss, outputs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @property
    def n_outputs_(self) -> int:
        """The number of targets of each row."""
        return self._known("n_outputs_").n_outputs

    @property
    def target_names_(self) -> NDArray[np.object_]:
        """The targets' names; defined only if they have some."""
        outputs = self._known("target_names_").outputs
        if outputs is None or outputs.names is None:
            raise AttributeError("the targets have no names")
        names = np.empty(outputs.count, dtype=object)
        names[:] = outputs.names
        return names

    @property
    def loss_scale_(self) -> float | NDArray[np.float64]:
        """The scale that the loss took from the warm-up, or was given; 0 for one without.

        An array with one for each target if there are several.
        """
        model = self._known("loss_scale_")
        scales = model.core.loss_scales
        return float(scales[0]) if model.outputs is None else scales

    # ---- learning -------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a block of rows, in their order, once.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        SGTRegressor
            The estimator itself.

        Examples
        --------
        >>> SGTRegressor().partial_fit([[1.0], [2.0]], [3.0, 5.0]).predict([[1.5]])
        array([4.])
        """
        self._learn(X, y, sample_weight)
        return self

    def learn_predict(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[np.float64]:
        """Learn a block and return what was predicted for each row just before it was learned.

        This is test-then-train evaluation in a single pass.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`; a row of weight 0 is predicted, but not learned.

        Returns
        -------
        ndarray of the shape of y
            The predictions; for the first row of all that of a raw score of 0.

        Examples
        --------
        >>> SGTRegressor().learn_predict([[1.0], [2.0], [3.0]], [3.0, 5.0, 7.0])
        array([0., 3., 4.])
        """
        return self._learn_predict(X, y, sample_weight)

    def _read_y(self, y: Any, classes: Any = None) -> NDArray[np.float64] | Columns:  # noqa: ARG002
        return read_targets(y)

    # It is described in the base class. What follows is all that a usual event takes.
    def learn_one(self, x: Mapping[Any, object], y: Any, w: float = 1.0) -> Self:  # noqa: D102
        model = self._model
        if model is None:
            self._learn_event(x, y, w)
            return self
        with model.lock:
            if (
                type(y) is float
                and model.domain_above < y <= GREATEST_TARGET
                and type(w) is float
                and LEAST_WEIGHT <= w <= GREATEST_WEIGHT
                and type(x) is dict
                and encode_event(x, model.index, model.category_numbers, model.row)
            ):
                if model.core.learn_one(model.row, y, w):
                    model.log_range_updates()
            else:
                self._learn_event(x, y, w)
        return self

    def _read_event_y(self, y: Any) -> NDArray[np.float64] | Columns:
        several = is_several(y)
        known = None if self._model is None else self._model.outputs
        if self._model is not None and several != (known is not None):
            expected = (
                "a number" if known is None else f"{known.count} numbers, by name or in order"
            )
            raise TypeError(f"y must be {expected}, as in the rows so far, got {y!r}")
        return Columns(*check_targets(y, known)) if several else np.array([check_target(y)])

    def _prediction_before_rows(self) -> float:
        return read_link(read_loss(self.loss, for_classes=False).link).of_one(0.0)
