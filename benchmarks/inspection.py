"""Speed of explanations and of exported models: writes docs/inspection_figures.md.

`python benchmarks/inspection.py`, with the interpreter that has sgtrees and its extras for tests.
A committee learns Covertype, shuffled; then its rows are explained and predicted, by sgtrees and by
other runtimes. CPU time of one thread, best of several runs.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import datasets, machine  # noqa: E402
from sgtrees import SGTClassifier  # noqa: E402
from sgtrees.export import to_c, to_onnx, to_python, to_treelite  # noqa: E402
from sgtrees.inspection import TreeView, shap_values, to_json, view_model  # noqa: E402

REPEATS = 3
ROWS, ROWS_OF_SHAP, ROWS_OF_PYTHON = 20_000, 200, 2_000
LOOP = """
void predict_all(const double *x, long n, double *out) {
    long i;
    for (i = 0; i < n; ++i)
        model_predict_proba(x + i * MODEL_N_FEATURES, out + i * MODEL_N_CLASSES);
}
"""


def rows_per_second(n_rows: int, action: Callable[[], Any]) -> float:
    seconds = []
    for _ in range(REPEATS):
        begin = time.process_time()
        action()
        seconds.append(time.process_time() - begin)
    return n_rows / min(seconds)


def main() -> None:
    table = datasets.frame("covtype", shuffled=True)
    y = table.pop("target").to_numpy()
    X = np.ascontiguousarray(table.to_numpy(dtype=np.float64))
    # All columns as numbers, so that every tree is a binary one, which shap can be given.
    model = SGTClassifier(categorical_features=None).partial_fit(X, y)
    rows = X[:ROWS]
    sys.stderr.write(f"learned: {model.n_leaves_} leaves\n")
    figures = {"shap": explanations(model, rows), "exports": predictions(model, rows)}
    page = render(model, figures)
    (ROOT / "docs" / "inspection_figures.md").write_text(page, encoding="utf-8")
    sys.stdout.write(page)


# ---- explanations -------------------------------------------------------------------------------


def explanations(model: Any, rows: Any) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap  # noqa: PLC0415

        explainers = [
            shap.TreeExplainer(
                {"trees": [as_shap_tree(tree)], "internal_dtype": np.float64},
                feature_perturbation="tree_path_dependent",
            )
            for tree in view_model(model).trees
        ]
    few = rows[:ROWS_OF_SHAP]

    def theirs() -> Any:
        return [e.shap_values(few, check_additivity=False) for e in explainers]

    ours = shap_values(model, few).values
    view = view_model(model)
    for tree, values in zip(view.trees, theirs(), strict=True):
        place = view.classes.index(view.labels[tree.outputs[0]])
        np.testing.assert_allclose(ours[:, :, place], values.reshape(few.shape), atol=1e-9)
    return {
        "sgtrees": rows_per_second(ROWS, lambda: shap_values(model, rows)),
        "shap": rows_per_second(ROWS_OF_SHAP, theirs),
    }


def as_shap_tree(tree: TreeView) -> dict[str, Any]:
    ends = [node.children or (-1, -1) for node in tree.nodes]
    left, right = np.array(ends, dtype=np.int32).T
    splits = [node.split for node in tree.nodes]
    return {
        "children_left": left,
        "children_right": right,
        "children_default": np.array(
            [s.default_child if s else -1 for s in splits], dtype=np.int32
        ),
        "features": np.array([s.feature.number if s else -2 for s in splits], dtype=np.int32),
        "thresholds": np.array([s.threshold if s else 0.0 for s in splits], dtype=np.float64),
        "values": np.array([node.values for node in tree.nodes]),
        "node_sample_weight": np.array([node.cover for node in tree.nodes]),
    }


# ---- predictions --------------------------------------------------------------------------------


def predictions(model: Any, rows: Any) -> list[tuple[str, float, int | None]]:
    """Name, rows a second (probabilities of all classes), and bytes of what is exported."""
    import onnxruntime  # noqa: PLC0415
    import treelite  # noqa: PLC0415

    expected = model.predict_proba(rows)
    figures: list[tuple[str, float, int | None]] = [
        ("sgtrees itself", rows_per_second(ROWS, lambda: model.predict_proba(rows)), None)
    ]
    graph = to_onnx(model).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def by_onnx() -> Any:
        return session.run(["probabilities"], {"X": rows})[0]

    check(by_onnx(), expected)
    figures.append(("ONNX, onnxruntime", rows_per_second(ROWS, by_onnx), len(graph)))

    exported = to_treelite(model)

    def by_treelite() -> Any:
        return treelite.gtil.predict(exported, rows, nthread=1)[:, 0]

    check(by_treelite(), expected, 1e-6)
    size = len(exported.serialize_bytes())
    figures.append(("treelite, GTIL", rows_per_second(ROWS, by_treelite), size))
    figures += by_source(model, rows, expected)
    figures.append(("JSON", float("nan"), len(to_json(model))))
    return figures


def by_source(model: Any, rows: Any, expected: Any) -> list[tuple[str, float, int | None]]:
    figures: list[tuple[str, float, int | None]] = []
    source = to_c(model) + LOOP
    compiler = shutil.which("cc")
    if compiler:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "model.c").write_text(source, encoding="utf-8")
            command = [compiler, "-O2", "-shared", "-fPIC", "model.c", "-o", "model.so", "-lm"]
            subprocess.run(command, cwd=folder, check=True)
            library = ctypes.CDLL(str(Path(folder, "model.so")))
        out = np.zeros_like(expected)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (rows, out)]

        def by_c() -> Any:
            library.predict_all(pointers[0], ctypes.c_long(len(rows)), pointers[1])
            return out

        check(by_c(), expected)
        figures.append(("C, -O2", rows_per_second(ROWS, by_c), len(source)))
    text = to_python(model)
    module: dict[str, Any] = {}
    exec(text, module)
    few = rows[:ROWS_OF_PYTHON].tolist()

    def by_python() -> Any:
        return [list(module["predict_proba"](row).values()) for row in few]

    check(by_python(), expected[:ROWS_OF_PYTHON])
    figures.append(("Python source", rows_per_second(ROWS_OF_PYTHON, by_python), len(text)))
    return figures


def check(found: Any, expected: Any, digits: float = 1e-14) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=digits)


# ---- the page -----------------------------------------------------------------------------------


def render(model: Any, figures: dict[str, Any]) -> str:
    ours, theirs = figures["shap"]["sgtrees"], figures["shap"]["shap"]
    lines = [
        "# Inspection and export, measured",
        "",
        (
            "Generated by `python benchmarks/inspection.py`. The model: a committee that has "
            "learned Covertype (581,012 x 54, 7 classes, all columns as numbers), "
            f"{len(view_model(model).trees)} trees, {model.n_leaves_:,} leaves, depth "
            f"{model.depth_}."
        ),
        "",
        "| SHAP values of all classes, one thread | rows/s |",
        "|---|---|",
        f"| `sgtrees.inspection.shap_values` | {ours:,.0f} |",
        f"| the package shap, on the same trees (the values agree to 1e-9) | {theirs:,.0f} |",
        "",
        f"{ours / theirs:,.0f} times as fast.",
        "",
        "| probabilities of all classes, one thread | rows/s | bytes exported |",
        "|---|---|---|",
    ]
    for name, speed, size in figures["exports"]:
        shown = "" if np.isnan(speed) else f"{speed:,.0f}"
        lines.append(f"| {name} | {shown} | {'' if size is None else f'{size:,}'} |")
    lines += ["", "Measured on:", ""]
    lines += [
        f"- {name}: {value}" for name, value in machine.describe().items() if "peer" not in name
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
