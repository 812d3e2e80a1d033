"""Colours of predictions, which can be distinguished with red-green colour blindness too."""

from dataclasses import dataclass
from typing import Self, TypeAlias

from sgtrees.inspection.predictions import Floats
from sgtrees.inspection.tree_view import TreeView, ValueKind

_Colour: TypeAlias = tuple[int, int, int]

# From low to high through the middle: blue, nearly white, orange.
_LOW: _Colour = (0x2F, 0x6D, 0xB3)
_MIDDLE: _Colour = (0xF4, 0xF4, 0xF2)
_HIGH: _Colour = (0xD9, 0x6B, 0x1E)
# One for each label, and grey for those beyond (the palette of Okabe and Ito, without black).
_LABELS: tuple[_Colour, ...] = (
    (0x00, 0x72, 0xB2),
    (0xE6, 0x9F, 0x00),
    (0x00, 0x9E, 0x73),
    (0xCC, 0x79, 0xA7),
    (0x56, 0xB4, 0xE9),
    (0xD5, 0x5E, 0x00),
    (0xF0, 0xE4, 0x42),
)
_OTHER: _Colour = (0x8A, 0x8A, 0x8A)
_DARK_INK, _LIGHT_INK = "#1b1b1b", "#ffffff"


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a tree's predictions.

    One number has a colour between a low and a high end, with a neutral one in between. For several
    probabilities it is the colour of the most probable label, stronger for a higher probability.
    """

    low: float
    middle: float
    high: float
    by_label: bool = False

    @classmethod
    def of(cls, tree: TreeView, means: Floats) -> Self:
        """Return the palette of a tree with these mean predictions.

        The neutral colour is that of the mean over all rows, and of 0 for scores.
        """
        several = means.shape[1] > 1 and tree.value_kind in (ValueKind.CLASSES, ValueKind.LABELS)
        first = means[:, 0]
        is_score = tree.value_kind in (ValueKind.SCORE, ValueKind.CONTRIBUTION)
        middle = 0.0 if is_score else float(first[0])
        return cls(min(first.min(), middle), middle, max(first.max(), middle), several)

    def colours(self, prediction: Floats) -> tuple[str, str]:
        """Return the colour of a box with this prediction, and that of the text in it.

        Examples
        --------
        >>> import numpy as np
        >>> Palette(0.0, 0.5, 1.0).colours(np.array([0.5]))
        ('#f4f4f2', '#1b1b1b')
        >>> Palette(0.0, 0.5, 1.0).colours(np.array([0.0]))
        ('#2f6db3', '#ffffff')
        """
        if self.by_label:
            best = int(prediction.argmax())
            end = _LABELS[best] if best < len(_LABELS) else _OTHER
            amount = float(prediction[best])
        else:
            value = float(prediction[0])
            is_low = value < self.middle
            end = _LOW if is_low else _HIGH
            width = self.middle - self.low if is_low else self.high - self.middle
            amount = abs(value - self.middle) / width if width > 0.0 else 0.0
        return _mixed(end, amount)


def _mixed(end: _Colour, amount: float) -> tuple[str, str]:
    """Mix a colour into the neutral one; return it with a text colour that can be read on it."""
    red, green, blue = (round(m + (e - m) * amount) for m, e in zip(_MIDDLE, end, strict=True))
    # Perceived brightness.
    is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 140.0
    return f"#{red:02x}{green:02x}{blue:02x}", _LIGHT_INK if is_dark else _DARK_INK
