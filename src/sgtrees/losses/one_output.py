"""One output of a joint loss, seen as a loss by itself while the other scores stand still."""

import numpy as np

from sgtrees.losses.answers import Floats, read_pair
from sgtrees.losses.base import Loss, has_value


class OneOutput(Loss):
    """A joint loss as a function of one output's raw score.

    Its "targets" are row numbers: of the rows whose targets and other raw scores it holds.

    Parameters
    ----------
    loss : Loss
        The joint loss.
    y, raw : ndarray of shape (n, n_outputs)
        Targets, and raw scores of the outputs that stand still.
    output : int
        The output that does not.
    """

    def __init__(self, loss: Loss, y: Floats, raw: Floats, output: int) -> None:
        self.loss = loss
        self.link = loss.link
        self.hessian_is_exact = loss.hessian_is_exact
        self._y = y
        self._raw = raw
        self._output = output

    def gradient_hessian(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return the derivatives with respect to the one raw score."""
        targets, scores = self._rows(y, raw)
        g, h = read_pair(self.loss.gradient_hessian(targets, scores), scores.shape)
        return g[:, self._output], h[:, self._output]

    def _rows(self, numbers: Floats, raw: Floats) -> tuple[Floats, Floats]:
        rows = numbers.astype(np.intp)
        scores = self._raw[rows]
        scores[:, self._output] = raw
        return self._y[rows], scores


class OneOutputWithValue(OneOutput):
    """The same for a loss that defines its value."""

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the joint loss."""
        return self.loss.value(*self._rows(y, raw))


def one_output(loss: Loss, y: Floats, raw: Floats, output: int) -> Loss:
    """Return one output of a joint loss.

    Examples
    --------
    >>> from sgtrees import losses
    >>> product = losses.from_derivatives(lambda y, raw: (raw[:, ::-1], 0 * raw), joint=True)
    >>> first = one_output(product, np.zeros((1, 2)), np.array([[1.0, 5.0]]), 0)
    >>> first.gradient_hessian(np.array([0.0]), np.array([2.0]))[0]
    array([5.])
    """
    view = OneOutputWithValue if has_value(loss) else OneOutput
    return view(loss, y, raw, output)
