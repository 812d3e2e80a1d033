"""A model that predicts a number, or several of them, for each row."""

from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.bags import Indices
from sgtrees.data.columns import Block
from sgtrees.data.weights import Weights
from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BuiltInLoss
from sgtrees.losses.built_in.residual import Quantile
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.values import losses_of_rows
from sgtrees.models.merging import check_outputs
from sgtrees.models.model import Model, Start, Targets
from sgtrees.models.predicted import Predicted
from sgtrees.models.saved_model import State
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.targets import outputs_from_document, outputs_to_document
from sgtrees.targets.numbers import arrange_targets
from sgtrees.targets.outputs import Outputs


class RegressorModel(Model[_core.LossLearner]):
    """A model that predicts a number, or several of them.

    Parameters
    ----------
    start, loss
        As for any `Model`.
    outputs : Outputs, optional
        What is predicted, if rows of y hold several numbers; None if y is one number.
    """

    kind = "numbers"

    def __init__(self, start: Start, loss: Loss, outputs: Outputs | None = None) -> None:
        self.outputs = outputs
        super().__init__(start, loss)

    @property
    def n_outputs(self) -> int:
        """How many numbers are predicted."""
        return 1 if self.outputs is None else self.outputs.count

    @property
    def predicted(self) -> Predicted:
        """What is predicted: the targets, if y has columns."""
        return Predicted(targets=None if self.outputs is None else tuple(self.outputs.keys))

    # ---- core -----------------------------------------------------------------------------------

    def _prepare_targets(self) -> None:
        super()._prepare_targets()
        # For `learn_one`: finite targets above this one need no further checks, nor the guard.
        self.domain_above = inf
        if (
            self.loss_adapter is None
            and isinstance(self.loss, BuiltInLoss)
            and self.outputs is None
        ):
            self.domain_above = self.loss.domain_above

    def _new_core(self, options: _core.Options, ranges: Floats | None) -> _core.LossLearner:
        nominal = self.schema.nominal
        return _core.LossLearner(options, nominal, ranges, self.core_loss, self.n_outputs)

    def core_from(self, options: _core.Options, state: State) -> _core.LossLearner:
        """Return the core's learner of a saved state."""
        # Before the core allocates memory for the number of outputs in the document.
        if len(state.get("loss_scale", ())) != self.n_outputs:
            raise ValueError("there is not one loss_scale for each output")
        return _core.LossLearner.from_state(options, state, self.core_loss, self.n_outputs)

    # ---- saving and merging ---------------------------------------------------------------------

    def _document(self) -> Document:
        return super()._document() | {"outputs": outputs_to_document(self.outputs)}

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        super()._restore_parts(fields, own_loss)
        self.outputs = outputs_from_document(fields)

    def _check_merge(self, other: Self) -> None:
        super()._check_merge(other)
        check_outputs(self.outputs, other.outputs)

    # ---- learning -------------------------------------------------------------------------------

    def _targets(
        self,
        y: Any,
        weights: Weights | None,
        classes: Any,  # noqa: ARG002 - there are none
        order: Indices | None,  # noqa: ARG002 - targets have no numbers
        is_whole: bool,  # noqa: ARG002 - nor weights of classes
    ) -> Targets:
        """Arrange the targets in the order of the outputs, and check them."""
        targets = arrange_targets(y, self.outputs)
        self._check_targets(targets, weights)
        return targets, weights, None

    def _check_targets(self, targets: Floats, weights: Weights | None) -> None:
        """Refuse targets outside the loss's domain, and a wrong loss."""
        if self.outputs is None or self.loss.is_joint:
            self.loss.check_y(targets)
        else:
            self._check_columns(targets, self.outputs)
        self._try_loss(targets, weights)

    def _check_columns(self, targets: Floats, outputs: Outputs) -> None:
        # A loss of one output acts on each by itself.
        for place, column in enumerate(targets.T):
            try:
                self.loss.check_y(column)
            except ValueError as error:
                raise ValueError(f"{outputs.title(place)} of y: {error}") from None

    def learn_predict(
        self, rows: Block, y: NDArray[Any], weights: Weights | None, method: str = "predict"
    ) -> NDArray[Any]:
        """Learn rows, and return what was predicted for each just before it was learned."""
        return self._predictions(self.core.learn_predict(rows, y, weights), method)

    @property
    def settles_leaves(self) -> bool:
        """Whether it is one tree under the quantile loss, which overfits repeated rows."""
        return isinstance(self.loss, Quantile) and self.core.n_trees == 1

    def settle_leaves(
        self, nodes: NDArray[np.uint32], y: NDArray[Any], weights: Weights | None
    ) -> None:
        """Let each leaf predict the quantile of its rows, each of them counted once."""
        self.core.settle_quantiles(np.ascontiguousarray(nodes[:, 0]), y, weights)

    # ---- predicting -----------------------------------------------------------------------------

    def row_errors(self, rows: Block, y: NDArray[Any]) -> Floats:
        """Return the mean absolute error of each row's outputs."""
        errors = np.abs(self.link(self.core.predict(rows)) - y)
        return np.asarray(errors.reshape(len(y), -1).mean(axis=1))

    def row_losses(self, rows: Block, y: NDArray[Any], members: int | None = None) -> Floats:
        """Return the loss of each row, summed over its outputs."""
        raw = self.core.predict(rows, members)
        return losses_of_rows(self.loss, y, raw, self.core.loss_scales)

    def predict(self, rows: Block, members: int | None = None) -> NDArray[Any]:
        """Return the prediction for each row, of the shape that y has."""
        return self._predictions(self.core.predict(rows, members))

    def _predictions(self, raw: Floats, method: str = "predict") -> NDArray[Any]:  # noqa: ARG002
        predictions = self.link(raw)
        # The core has no columns if there is only one.
        return predictions if self.outputs is None else predictions.reshape(-1, self.n_outputs)

    def predict_one(self, row: Floats) -> Any:
        """Return the prediction for one row: a number, or several as a dictionary or list."""
        if self.outputs is None:
            return self.link.of_one(self.core.predict_one(row))
        (predictions,) = self._predictions(self.core.predict(row.reshape(1, -1))).tolist()
        if self.outputs.names is None:
            return predictions
        return dict(zip(self.outputs.names, predictions, strict=True))
