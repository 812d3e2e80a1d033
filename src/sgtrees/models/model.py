"""A learned model: the core's learner together with what its numbers stand for."""

import copy
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from math import inf
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.schema import Additions, Categories, Declaration, Feature, Schema
from sgtrees.data.weights import ClassWeight, Weights
from sgtrees.losses.adapter import adapt_loss
from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BuiltInLoss
from sgtrees.losses.built_in.binary import LogLoss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.errors import LearnedRows
from sgtrees.losses.links import read_link
from sgtrees.losses.parameter import read_loss
from sgtrees.losses.quick_check import quick_check
from sgtrees.models.linear_leaves import check_linear_leaves
from sgtrees.models.merging import (
    check_base,
    check_class_weights,
    check_features,
    check_labels,
    check_loss,
    check_outputs,
    check_settings,
    number_categories,
)
from sgtrees.models.predicted import Predicted
from sgtrees.models.two_classes import TwoClasses
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.features import (
    declaration_from_document,
    declaration_to_document,
    schema_from_document,
    schema_to_document,
)
from sgtrees.persistence.losses import is_own, loss_from_document, loss_to_document
from sgtrees.persistence.model_file import Contents, from_buffer, to_bytes
from sgtrees.persistence.options import options_from_document, options_to_document
from sgtrees.persistence.targets import (
    class_weight_from_document,
    class_weight_to_document,
    labels_from_document,
    labels_to_document,
    outputs_from_document,
    outputs_to_document,
)
from sgtrees.targets.labels import Label, Labels
from sgtrees.targets.outputs import Outputs

ClassifierCore: TypeAlias = _core.ClassLearner | TwoClasses
Core = TypeVar("Core", ClassifierCore, _core.LossLearner)
State: TypeAlias = Mapping[str, NDArray[np.generic]]


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

    # What it is called in files.
    kind: ClassVar[str]
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
        self._prepare()
        if self.options.get("linear_leaves"):
            check_linear_leaves(self.schema, self.loss, self.options["reg_lambda"])
        self.core = self._new_core(_core.Options(**self.options), ranges)

    # ---- what a subclass adds -------------------------------------------------------------------

    def _new_core(self, options: _core.Options, ranges: Floats | None) -> Core:
        raise NotImplementedError

    def _core_from(self, options: _core.Options, state: State) -> Core:
        raise NotImplementedError

    @property
    def predicted(self) -> Predicted:
        """What is predicted: the labels or targets."""
        raise NotImplementedError

    @property
    def learner(self) -> _core.Learner:
        """The core's learner, which holds the trees."""
        # Any: a `TwoClasses` is none, and has a learner of its own.
        core: Any = self.core
        learner: _core.Learner = core
        return learner

    # ---- making ---------------------------------------------------------------------------------

    def _prepare(self) -> None:
        self.lock = threading.RLock()
        # Where `learn_one` writes an event; whoever predicts brings a row of their own.
        self.row = np.empty(len(self.schema))
        # The very objects that the schema keeps up to date, one step away for `learn_one`.
        self.index = self.schema.index
        self.category_numbers = self.schema.category_numbers
        self.link = read_link(self.loss.link)
        self.core_loss, self.asked = adapt_loss(self.loss, for_classes=self.for_classes)
        self._tried = False

    def without_rows(self) -> Self:
        """Return a model of the same kind and columns that has learned nothing."""
        model = type(self).__new__(type(self))
        model.__dict__.update(self.__dict__)
        features = [
            Feature(f.name, Categories() if f.nominal else None) for f in self.schema.features
        ]
        model.schema = Schema(features, named=self.schema.named)
        model.loss = copy.deepcopy(self.loss)
        model._prepare()
        model.core = model._new_core(_core.Options(**self.options), None)
        return model

    # ---- saving and loading ---------------------------------------------------------------------

    def saved(self, inference_only: bool = False) -> tuple[Document, State]:
        """Return the whole state, as it is between two calls: a document, and the core's arrays."""
        with self.lock:
            return self._document(), self.core.state(inference_only)

    @classmethod
    def restored(cls, fields: Fields, state: State, own_loss: Any = None) -> Self:
        """Return the model of a document and the core's arrays.

        Parameters
        ----------
        fields : Fields
            The document.
        state : mapping from str to ndarray
            The arrays.
        own_loss : Loss or callable, optional
            The loss, where it is code that the document does not hold.
        """
        model = cls.__new__(cls)
        model._restore(fields, state, own_loss)
        return model

    def _document(self) -> Document:
        return schema_to_document(self.schema) | {
            "kind": self.kind,
            "options": options_to_document(self.options),
            "categorical_features": declaration_to_document(self.declaration),
            "loss": loss_to_document(self.loss),
        }

    def _restore(self, fields: Fields, state: State, own_loss: Any) -> None:
        self._restore_parts(fields, own_loss)
        fields.finish()
        self._prepare()
        nominal = np.array(self.schema.nominal, dtype=np.uint8)
        if not np.array_equal(state.get("features/nominal", ()), nominal):
            raise ModelFileError("its document and its arrays disagree on the features")
        categories = [0 if c is None else len(c) for c in self.category_numbers]
        known = {"features/categories": np.array(categories, dtype=np.int64)}
        try:
            self.core = self._core_from(_core.Options(**self.options), {**state, **known})
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"its arrays are no model: {error}") from None
        self._check_restored()

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        self.options = options_from_document(fields.fields("options"))
        self.schema = schema_from_document(fields)
        self.declaration = declaration_from_document(fields.fields("categorical_features"))
        loss = loss_from_document(fields.take("loss"), fields.place("loss"), own_loss)
        try:
            self.loss = copy.deepcopy(read_loss(loss, for_classes=self.for_classes))
        except ValueError as error:
            raise ModelFileError(
                f"{fields.where} has a loss that does not suit it: {error}"
            ) from None

    def _check_restored(self) -> None:
        """Refuse a core that does not fit the rest."""

    def __getstate__(self) -> dict[str, Any]:
        # The very bytes of a model file; only a loss that is code is left to pickle.
        document, state = self.saved()
        own_loss = self.loss if is_own(self.loss) else None
        return {"file": to_bytes(Contents(document, state)), "own_loss": own_loss}

    def __setstate__(self, state: dict[str, Any]) -> None:
        contents = from_buffer(state["file"])
        fields = Fields(contents.document, "model")
        fields.text("kind", [self.kind])
        self._restore(fields, contents.arrays, state["own_loss"])

    # ---- merging --------------------------------------------------------------------------------

    def merge(self, other: Self, base: Self | None) -> None:
        """Add what another model has gathered since ``base``; MergeError where they do not fit."""
        models = {id(model): model for model in (self, other, base) if model is not None}
        with ExitStack() as locks:
            # In an order that is the same for all who take several of them.
            for _, model in sorted(models.items()):
                locks.enter_context(model.lock)
            self._check_merge(other)
            if base is not None:
                self._check_merge(base)
                check_base(base.schema, self.schema, other.schema)
            codes, additions = number_categories(self.schema, other.schema)
            # Of one kind, if they fit together.
            core: Any = self.core
            core.merge(other.core, codes, None if base is None else base.core)
            self.schema.apply(additions)

    def _check_merge(self, other: Self) -> None:
        check_settings(self.options, other.options)
        check_loss(self.loss, other.loss)
        check_features(self.schema, other.schema)

    # ---- learning -------------------------------------------------------------------------------

    @property
    def fitted(self) -> bool:
        """Whether any row has come."""
        return self.core.n_rows > 0

    def require_learning(self) -> None:
        """Refuse to learn where the model was saved to predict only."""
        if self.core.inference_only:
            raise ValueError(
                "this model was saved with inference_only=True: it predicts, but cannot learn on; "
                "fit starts a new one"
            )

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
            quick_check(self.loss, y, weights, for_classes=self.for_classes)
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

    kind = "classes"
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

    def without_rows(self) -> Self:
        """Return a model of the same kind and columns that has learned nothing."""
        model = super().without_rows()
        model.labels = Labels()
        return model

    @property
    def predicted(self) -> Predicted:
        """What is predicted: the labels."""
        return Predicted(
            self.takes_many_classes, tuple(self.labels.seen), tuple(self.classes.tolist())
        )

    @property
    def learner(self) -> _core.Learner:
        """The core's learner, which holds the trees."""
        return self.core.learner if isinstance(self.core, TwoClasses) else self.core

    @property
    def takes_many_classes(self) -> bool:
        """Whether there may be more than two classes."""
        return type(self.loss) is LogLoss

    @property
    def _has_vector_leaves(self) -> bool:
        return self.multiclass == "vector"

    def _new_core(self, options: _core.Options, ranges: Floats | None) -> ClassifierCore:
        if self.takes_many_classes:
            return _core.ClassLearner(
                options, self.schema.nominal, ranges, vector_leaves=self._has_vector_leaves
            )
        tree = _core.LossLearner(options, self.schema.nominal, ranges, self.core_loss)
        return TwoClasses(tree, self.link)

    def _core_from(self, options: _core.Options, state: State) -> ClassifierCore:
        if self.takes_many_classes:
            return _core.ClassLearner.from_state(
                options, state, vector_leaves=self._has_vector_leaves
            )
        return TwoClasses.from_state(options, state, self.core_loss, self.link)

    def _document(self) -> Document:
        return super()._document() | {
            "labels": labels_to_document(self.labels),
            "class_weight": class_weight_to_document(self.class_weight),
            "multiclass": self.multiclass,
        }

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        super()._restore_parts(fields, own_loss)
        self.labels = labels_from_document(fields.fields("labels"))
        self.class_weight = class_weight_from_document(fields.fields("class_weight"))
        self.multiclass = fields.text("multiclass", ("committee", "vector"))

    def _check_restored(self) -> None:
        if self.core.n_classes > len(self.labels):
            raise ModelFileError("its trees have more classes than there are labels")

    def merge(self, other: Self, base: Self | None) -> None:
        """Add what another model has gathered since ``base``; MergeError where they do not fit."""
        super().merge(other, base)
        self.labels.declare(list(other.labels.declared), other.labels.kind)

    def _check_merge(self, other: Self) -> None:
        super()._check_merge(other)
        check_labels(self.labels, other.labels)
        check_class_weights(self.class_weight, other.class_weight)

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


class RegressorModel(Model[_core.LossLearner]):
    """A model that predicts a number, or several of them.

    Parameters
    ----------
    options, schema, ranges, declaration, loss
        As for any `Model`.
    outputs : Outputs, optional
        What is predicted, where rows of y hold several numbers; None where y is one number.
    """

    kind = "numbers"

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
    def predicted(self) -> Predicted:
        """What is predicted: the targets, where y has columns."""
        return Predicted(targets=None if self.outputs is None else tuple(self.outputs.keys))

    @property
    def n_outputs(self) -> int:
        """How many numbers are predicted."""
        return 1 if self.outputs is None else self.outputs.count

    def _document(self) -> Document:
        return super()._document() | {"outputs": outputs_to_document(self.outputs)}

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        super()._restore_parts(fields, own_loss)
        self.outputs = outputs_from_document(fields)

    def _check_merge(self, other: Self) -> None:
        super()._check_merge(other)
        check_outputs(self.outputs, other.outputs)

    def _prepare(self) -> None:
        super()._prepare()
        # Finite targets above this one need no further checks, nor the guard (for `learn_one`).
        self.domain_above = inf
        if self.asked is None and isinstance(self.loss, BuiltInLoss) and self.outputs is None:
            self.domain_above = self.loss.domain_above

    def _new_core(self, options: _core.Options, ranges: Floats | None) -> _core.LossLearner:
        nominal = self.schema.nominal
        return _core.LossLearner(options, nominal, ranges, self.core_loss, self.n_outputs)

    def _core_from(self, options: _core.Options, state: State) -> _core.LossLearner:
        # Before the core makes room for as many outputs as the document says.
        if len(state.get("loss_scale", ())) != self.n_outputs:
            raise ValueError("there is not one loss_scale for each output")
        return _core.LossLearner.from_state(options, state, self.core_loss, self.n_outputs)

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
