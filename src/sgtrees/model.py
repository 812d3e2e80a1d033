"""A learned model: the core's learner together with what its numbers stand for."""

import copy
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import inf
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.declaration import Declaration
from sgtrees.labels import Label, Labels
from sgtrees.losses.answers import Floats
from sgtrees.losses.asking import ask
from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BuiltInLoss, LogLoss
from sgtrees.losses.failing import LearnedRows
from sgtrees.losses.links import read_link
from sgtrees.losses.trying import try_loss
from sgtrees.outputs import Outputs
from sgtrees.schema import Additions, Schema
from sgtrees.two_classes import TwoClasses
from sgtrees.weights import ClassWeight, Weights

ClassifierCore: TypeAlias = _core.Classifier | _core.VectorClassifier | TwoClasses
Core = TypeVar("Core", ClassifierCore, _core.Regressor)
State: TypeAlias = dict[str, NDArray[np.generic]]


class Model(Generic[Core]):
    """A core learner, its loss and the schema of its columns.

    Whoever learns holds ``lock``. Whoever predicts needs no lock: the core sees to itself, and the
    schema only grows.

    Parameters
    ----------
    options : mapping
        The arguments of ``_core.Options``.
    schema : Schema
        The features.
    ranges : ndarray of shape (n_features, 2) or None
        The features' ranges, where they are known beforehand.
    declaration : Declaration
        Which features that come later are nominal.
    loss : Loss
        The loss.
    """

    for_classes: ClassVar[bool] = False
    core: Core

    def __init__(
        self,
        options: Mapping[str, Any],
        schema: Schema,
        ranges: Floats | None,
        declaration: Declaration,
        loss: Loss,
    ) -> None:
        self.options = dict(options)
        self.schema = schema
        self.declaration = declaration
        # A copy: what becomes of the estimator's own parameter is none of this model's business.
        self.loss = copy.deepcopy(loss)
        if loss.is_joint and self.n_outputs == 1:
            raise ValueError(
                f"loss={loss!r} is a joint one, of several outputs of a row together; but y has a "
                "single value for each row"
            )
        self._prepare()
        self.core = self._new_core(_core.Options(**self.options), ranges)

    # ---- what a subclass adds -------------------------------------------------------------------

    def _new_core(self, options: _core.Options, ranges: Floats | None) -> Core:
        raise NotImplementedError

    def _core_from(self, options: _core.Options, state: State) -> Core:
        raise NotImplementedError

    @property
    def n_outputs(self) -> int:
        """How many raw scores the loss of a row is one of."""
        return 1

    # ---- making ---------------------------------------------------------------------------------

    def _prepare(self) -> None:
        self.lock = threading.RLock()
        # Where `learn_one` writes an event; whoever predicts brings a row of their own.
        self.row = np.empty(len(self.schema))
        # The very objects that the schema keeps up to date, one step away for `learn_one`.
        self.index = self.schema.index
        self.category_numbers = self.schema.category_numbers
        self.link = read_link(self.loss.link)
        self.core_loss, self.asked = ask(self.loss, for_classes=self.for_classes)
        self._tried = False

    def __getstate__(self) -> dict[str, Any]:
        # A copy, because the caller writes it when the lock has been given back.
        with self.lock:
            return copy.deepcopy(self._parts()) | {"core": self.core.state()}

    def _parts(self) -> dict[str, Any]:
        names = ("options", "schema", "declaration", "loss")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        core_state = state.pop("core")
        self.__dict__.update(state)
        self._prepare()
        self.core = self._core_from(_core.Options(**self.options), core_state)

    # ---- learning -------------------------------------------------------------------------------

    @property
    def fitted(self) -> bool:
        """Whether any row has come."""
        return self.core.n_rows > 0

    def apply(self, additions: Additions) -> None:
        """Add new features and categories to the core and the schema."""
        if additions.features:
            # In this order a reader in another thread never knows more columns than the core has,
            # nor more than its row holds.
            self.core.add_features([feature.nominal for feature in additions.features])
            self.row = np.empty(len(self.schema) + len(additions.features))
        self.schema.apply(additions)

    def guard(self, rows: LearnedRows) -> AbstractContextManager[None]:
        """Learn inside; where the loss fails the error says for which of these rows."""
        return nullcontext() if self.asked is None else self.asked.guard(self.core, rows)

    def _try_loss(self, y: Floats, weights: Weights | None) -> None:
        """Try a loss that is written in Python on the first rows, before any is learned."""
        if self.asked is not None and not self._tried and not self.fitted:
            try_loss(self.loss, y, weights, for_classes=self.for_classes)
            self._tried = True


class ClassifierModel(Model[ClassifierCore]):
    """A model that predicts classes; it knows their labels and weights too.

    Under log loss it is a committee of trees, or one tree with a score for each class in every
    leaf; under another loss it is one tree for two classes.

    Parameters
    ----------
    options, schema, ranges, declaration, loss
        As for any `Model`.
    class_weight : ClassWeight
        The weight of each label.
    multiclass : {"committee", "vector"}
        Which of the two it is under log loss.
    """

    for_classes = True

    def __init__(
        self,
        options: Mapping[str, Any],
        schema: Schema,
        ranges: Floats | None,
        declaration: Declaration,
        loss: Loss,
        class_weight: ClassWeight,
        multiclass: str,
    ) -> None:
        self.multiclass = multiclass
        super().__init__(options, schema, ranges, declaration, loss)
        self.labels = Labels()
        self.class_weight = class_weight

    @property
    def takes_many_classes(self) -> bool:
        """Whether there may be more than two classes."""
        return type(self.loss) is LogLoss

    @property
    def _class_learner(self) -> type[_core.Classifier | _core.VectorClassifier]:
        return _core.VectorClassifier if self.multiclass == "vector" else _core.Classifier

    def _new_core(self, options: _core.Options, ranges: Floats | None) -> ClassifierCore:
        if self.takes_many_classes:
            return self._class_learner(options, self.schema.nominal, ranges)
        tree = _core.Regressor(options, self.schema.nominal, ranges, self.core_loss)
        return TwoClasses(tree, self.link)

    def _core_from(self, options: _core.Options, state: State) -> ClassifierCore:
        if self.takes_many_classes:
            return self._class_learner.from_state(options, state)
        return TwoClasses.from_state(options, state, self.core_loss, self.link)

    def _parts(self) -> dict[str, Any]:
        names = ("labels", "class_weight", "multiclass")
        return super()._parts() | {name: getattr(self, name) for name in names}

    @property
    def classes(self) -> NDArray[Any]:
        """All labels seen or declared, sorted."""
        return self.labels.ordering.classes

    def check_labels(self, labels: Sequence[Label]) -> None:
        """Refuse labels that would make more classes than the loss takes, and a wrong loss."""
        if self.takes_many_classes:
            return
        known: list[Label] = [*self.labels.seen, *self.labels.unseen]
        more = [label for label in dict.fromkeys(labels) if label not in known]
        if len(known) + len(more) > 2:
            third = [*known, *more][2]
            raise ValueError(
                f"loss={self.loss!r} tells two classes apart, and {third!r} is a third label after "
                f"{[*known, *more][:2]}; loss='log_loss' takes any number"
            )
        self._try_loss(np.zeros(1), None)

    def predict(self, rows: Any) -> NDArray[Any]:
        """Return the most probable label of each row."""
        ordering = self.labels.ordering
        labels: NDArray[Any] = ordering.by_number[self.core.predict_labels(rows, ordering.rank)]
        return labels

    def predict_proba(self, rows: Any) -> Floats:
        """Return the probability of each label for each row."""
        return self.in_order_of_classes(self.core.predict_proba(rows))

    def in_order_of_classes(self, probabilities: Floats) -> Floats:
        """Put the core's columns, which are by class number, into the order of ``classes``."""
        # Taken after the core's answer: by now every class in it has its label.
        ordering = self.labels.ordering
        result = np.zeros((len(probabilities), len(ordering.classes)))
        result[:, ordering.rank[: probabilities.shape[1]]] = probabilities
        return result


class RegressorModel(Model[_core.Regressor]):
    """A model that predicts a number, or several of them.

    Parameters
    ----------
    options, schema, ranges, declaration, loss
        As for any `Model`.
    outputs : Outputs, optional
        What is predicted, where rows of y hold several numbers; None where y is one number.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        schema: Schema,
        ranges: Floats | None,
        declaration: Declaration,
        loss: Loss,
        outputs: Outputs | None = None,
    ) -> None:
        self.outputs = outputs
        super().__init__(options, schema, ranges, declaration, loss)

    @property
    def n_outputs(self) -> int:
        """How many numbers are predicted."""
        return 1 if self.outputs is None else self.outputs.count

    def _parts(self) -> dict[str, Any]:
        return super()._parts() | {"outputs": self.outputs}

    def _prepare(self) -> None:
        super()._prepare()
        # Finite targets above this one need no further checks, nor the guard (for `learn_one`).
        self.domain_above = inf
        if self.asked is None and isinstance(self.loss, BuiltInLoss) and self.outputs is None:
            self.domain_above = self.loss.domain_above

    def _new_core(self, options: _core.Options, ranges: Floats | None) -> _core.Regressor:
        nominal = self.schema.nominal
        return _core.Regressor(options, nominal, ranges, self.core_loss, self.n_outputs)

    def _core_from(self, options: _core.Options, state: State) -> _core.Regressor:
        return _core.Regressor.from_state(options, state, self.core_loss, self.n_outputs)

    def check_targets(self, targets: Floats, weights: Weights | None) -> None:
        """Refuse targets outside the loss's domain, and a wrong loss."""
        if self.outputs is None or self.loss.is_joint:
            self.loss.check_y(targets)
        else:
            self._check_columns(targets, self.outputs)
        self._try_loss(targets, weights)

    def _check_columns(self, targets: Floats, outputs: Outputs) -> None:
        # A loss of one output is asked about each by itself.
        for place, column in enumerate(targets.T):
            try:
                self.loss.check_y(column)
            except ValueError as error:
                raise ValueError(f"{outputs.title(place)} of y: {error}") from None

    def predict(self, rows: Any) -> Floats:
        """Return the prediction for each row, of the shape that y has."""
        return self._predictions(self.core.predict(rows))

    def learn_predict(self, rows: Any, y: Floats, weights: Weights | None) -> Floats:
        """Learn rows, and return what was predicted for each just before it was learned."""
        return self._predictions(self.core.learn_predict(rows, y, weights))

    def _predictions(self, raw: Floats) -> Floats:
        predictions = self.link(raw)
        # The core has no columns where there is only one.
        return predictions if self.outputs is None else predictions.reshape(-1, self.n_outputs)

    # ---- one row, several outputs ---------------------------------------------------------------

    def learn_row(self, row: Floats, y: Floats, weight: float) -> None:
        """Learn one row, whose y has the shape (1, n_outputs)."""
        self.core.learn(row.reshape(1, -1), y, np.array([weight]))

    def predict_row(self, row: Floats) -> list[float]:
        """Return the predictions for one row, in the order of the outputs."""
        predictions: list[float]
        (predictions,) = self._predictions(self.core.predict(row.reshape(1, -1))).tolist()
        return predictions
