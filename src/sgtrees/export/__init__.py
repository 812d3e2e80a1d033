"""Leaving for other runtimes: ONNX, treelite, Python and C source, JSON.

All of them send every row to the leaf where the estimator sends it: thresholds are the same float64
numbers, missing values and categories that were never seen go the same way.
"""

from sgtrees.export.c_source import c_header, to_c
from sgtrees.export.numbers import as_numbers
from sgtrees.export.onnx import to_onnx
from sgtrees.export.python_source import to_python
from sgtrees.export.treelite import to_treelite
from sgtrees.inspection import to_json

__all__ = ["as_numbers", "c_header", "to_c", "to_json", "to_onnx", "to_python", "to_treelite"]
