"""The HTML page of a report."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from sgtrees.atomic_file import write_atomically
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.evaluation import Evaluation
from sgtrees.report.observations import Observations
from sgtrees.report.page_data import page_data
from sgtrees.report.page_text import escape, subtitle, tiles, verdict
from sgtrees.report.tables import metrics_table, parameters_table, run_table

# In the order in which they use each other; the last one draws the page.
_SCRIPTS = (
    "elements",
    "chart",
    "curve",
    "members",
    "tree_list",
    "tree_diagram",
    "sections",
    "page",
)


@dataclass(frozen=True)
class Page:
    """The content of a report.

    Attributes
    ----------
    evaluation : Evaluation
        The evaluation of the model and of others to compare it with; the model comes first.
    estimator : SGTClassifier or SGTRegressor
        The model.
    target : str
        The name of the target.
    sources : list of str
        The files or streams of the rows.
    seconds : float
        The total time.
    skipped : int
        The number of rows that were left out.
    observations : Observations or None
        Statistics of single predictions.
    command : str
        The command that made the report.
    own_defaults : mapping
        Parameters whose values are nobody's choice, though an estimator would have others: what the
        command sets by itself.
    """

    evaluation: Evaluation
    estimator: SGTClassifier | SGTRegressor
    target: str
    sources: list[str] = field(default_factory=list)
    seconds: float = 0.0
    skipped: int = 0
    observations: Observations | None = None
    command: str = ""
    own_defaults: Mapping[str, object] = field(default_factory=dict)


def write_report(page: Page, path: str | Path) -> Path:
    """Write a report as one self-contained HTML file.

    Parameters
    ----------
    page : Page
        The content.
    path : path
        The file.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.evaluation import MajorityClass, prequential
    >>> from sgtrees.streams import Sea
    >>> model = SGTClassifier()
    >>> result = prequential(Sea().head(5_000), {"tree": model, "majority": MajorityClass()})
    >>> with TemporaryDirectory() as folder:
    ...     path = write_report(Page(result, model, "group"), Path(folder, "report.html"))
    ...     "<html" in path.read_text(encoding="utf-8")
    True
    """
    place = Path(path)
    write_atomically(place, [_html(page).encode()])
    return place


def _html(page: Page) -> str:
    found, estimator, seen = page.evaluation, page.estimator, page.observations
    data = json.dumps(
        page_data(found, estimator, page.target, seen), separators=(",", ":"), allow_nan=False
    )
    parts = {
        "css": _asset("page.css"),
        "js": "\n".join(_asset(f"{name}.js") for name in _SCRIPTS),
        # Text in the data must not end the element that holds it.
        "data": data.replace("<", "\\u003c"),
        "title": escape(f"Model of {page.target}"),
        "subtitle": escape(subtitle(found, estimator, page.sources)),
        "verdict": verdict(found),
        "tiles": tiles(found, estimator, page.seconds),
        "metrics": metrics_table(found, seen),
        "parameters": parameters_table(estimator, page.own_defaults),
        "run": run_table(found, page.command, page.seconds, page.skipped),
    }
    # In one pass: what is inserted may contain anything, and is not searched for marks itself.
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files("sgtrees.report") / "assets" / name).read_text(encoding="utf-8")
