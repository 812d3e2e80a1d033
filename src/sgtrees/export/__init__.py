"""Export of models: ONNX, treelite, Python and C source, JSON.

All of them send every row to the leaf where the estimator sends it: thresholds are the same float64
numbers, and missing values and unknown categories take the same branches. Raw scores are the sum of
what the trees add, as in the estimator.
"""

from sgtrees.export.c.source import c_header, to_c
from sgtrees.export.numbers import as_numbers
from sgtrees.export.onnx.exporter import to_onnx
from sgtrees.export.python.source import to_python
from sgtrees.export.treelite import to_treelite
from sgtrees.inspection import to_json

__all__ = ["as_numbers", "c_header", "to_c", "to_json", "to_onnx", "to_python", "to_treelite"]
