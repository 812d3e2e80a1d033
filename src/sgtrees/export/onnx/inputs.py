"""The inputs of a graph, joined into one block of numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from onnx import TensorProto

from sgtrees.data.columns import Kind
from sgtrees.export.numbers import numbers_of
from sgtrees.export.onnx.graph import ML_DOMAIN, PREFIX, GraphWriter, tensor
from sgtrees.export.onnx.outputs import OUTPUTS
from sgtrees.inspection import FeatureView, ModelView


@dataclass(frozen=True)
class Inputs:
    """The form of the rows; see `to_onnx`."""

    by_column: bool | None
    float32: bool
    missing_string: str

    def add_to(self, graph: GraphWriter, view: ModelView) -> str:
        """Add the inputs to a graph; return the block of numbers."""
        strings = [feature.name for feature in view.features if feature.kind is Kind.STRING]
        by_column = bool(strings) if self.by_column is None else self.by_column
        if not by_column:
            if strings:
                raise ValueError(
                    f"by_column=False needs features that are numbers, but feature {strings[0]!r} "
                    "holds strings; with by_column=None there is an input for each feature"
                )
            return self._add_numbers(graph, "X", len(view.features))
        _check_names([feature.name for feature in view.features])
        columns = [
            self._add_strings(graph, feature)
            if feature.kind is Kind.STRING
            else self._add_numbers(graph, feature.name, 1)
            for feature in view.features
        ]
        return graph.add("Concat", *columns, axis=1)

    def _add_numbers(self, graph: GraphWriter, name: str, width: int) -> str:
        if not self.float32:
            return graph.input(name, TensorProto.DOUBLE, width)
        # Exact: every float32 is a float64.
        numbers = graph.input(name, TensorProto.FLOAT, width)
        return graph.add("Cast", numbers, to=TensorProto.DOUBLE)

    def _add_strings(self, graph: GraphWriter, feature: FeatureView) -> str:
        numbers = numbers_of(feature)
        if self.missing_string in numbers:
            raise ValueError(
                f"missing_string={self.missing_string!r} is a category of feature "
                f"{feature.name!r}; choose another string"
            )
        keys = [str(category).encode() for category in (*numbers, self.missing_string)]
        values = [*numbers.values(), float("nan")]
        return graph.add(
            "LabelEncoder",
            graph.input(feature.name, TensorProto.STRING, 1),
            domain=ML_DOMAIN,
            keys_tensor=tensor("keys", TensorProto.STRING, keys),
            values_tensor=tensor("values", TensorProto.DOUBLE, values),
            default_tensor=tensor("unseen", TensorProto.DOUBLE, [-1.0]),
        )


def _check_names(names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        if not name or name in names[:place]:
            raise ValueError(
                f"feature {place} is named {name!r}, but inputs by column need names that are not "
                "empty and differ from each other"
            )
        if name in OUTPUTS or name.startswith(PREFIX):
            raise ValueError(
                f"feature {place} is named {name!r}, which is the name of something else in the "
                "graph; rename it for the export: to_onnx(view_model(model, feature_names=...))"
            )
