"""A model's trees as a drawing that notebooks show."""

from dataclasses import dataclass
from pathlib import Path

from sgtrees.atomic_file import write_atomically
from sgtrees.inspection.dot import to_dot
from sgtrees.inspection.extraction import Estimator, as_view
from sgtrees.inspection.model_view import ModelView
from sgtrees.inspection.svg import to_svg


@dataclass(frozen=True)
class Drawing:
    """A drawing of trees, which notebooks show as a picture.

    Attributes
    ----------
    source : str
        The trees in Graphviz's DOT language.
    svg : str
        The picture, which needs no other program.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0], [2.0]] * 200, [10.0, 20.0] * 200
    >>> drawing = draw(SGTRegressor(warm_up=50, epochs=1).fit(X, y))
    >>> str(drawing).splitlines()[0]
    'digraph sgtrees {'
    """

    source: str
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.source

    def save(self, path: str | Path) -> Path:
        """Write the picture, or the source if the file's extension is .dot or .gv.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
            The file.
        """
        file = Path(path)
        is_source = file.suffix.lower() in (".dot", ".gv")
        write_atomically(file, [(self.source if is_source else self.svg).encode()])
        return file


def draw(model: Estimator | ModelView, *, max_depth: int | None = None) -> Drawing:
    """Draw a model's trees.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model.
    max_depth : int, optional
        The depth of the deepest nodes.

    Returns
    -------
    Drawing
        The drawing.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0], [2.0]] * 200, [10.0, 20.0] * 200
    >>> drawing = draw(SGTRegressor(warm_up=50, epochs=1).fit(X, y))
    >>> drawing.source.splitlines()[0], drawing.svg[:4]
    ('digraph sgtrees {', '<svg')
    """
    view = as_view(model)
    return Drawing(to_dot(view, max_depth=max_depth), to_svg(view, max_depth=max_depth))
