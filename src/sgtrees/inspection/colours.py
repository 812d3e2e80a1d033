"""Colours for predictions: told apart by those who see no red or green too."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from sgtrees.inspection.view import Output, TreeView

# From low to high through the middle: blue, nearly white, orange.
_LOW, _MIDDLE, _HIGH = (0x2F, 0x6D, 0xB3), (0xF4, 0xF4, 0xF2), (0xD9, 0x6B, 0x1E)
_DARK_INK, _LIGHT_INK = "#1b1b1b", "#ffffff"


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of predictions between a low and a high one, with a neutral one in between."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, tree: TreeView, means: Sequence[float]) -> Self:
        """Return the palette of a tree with these mean predictions.

        Neutral is the mean over all rows, and for log odds an even chance.
        """
        middle = 0.0 if tree.output is Output.SCORE else means[0]
        return cls(min(*means, middle), middle, max(*means, middle))

    def colours(self, value: float) -> tuple[str, str]:
        """Return the colour of a box with this prediction, and that of the text in it.

        Examples
        --------
        >>> Palette(0.0, 0.5, 1.0).colours(0.5)
        ('#f4f4f2', '#1b1b1b')
        >>> Palette(0.0, 0.5, 1.0).colours(0.0)
        ('#2f6db3', '#ffffff')
        """
        end, width = (
            (_LOW, self.middle - self.low)
            if value < self.middle
            else (_HIGH, self.high - self.middle)
        )
        amount = abs(value - self.middle) / width if width > 0.0 else 0.0
        red, green, blue = (round(m + (e - m) * amount) for m, e in zip(_MIDDLE, end, strict=True))
        # How bright the eye finds it.
        is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 140.0
        return f"#{red:02x}{green:02x}{blue:02x}", _LIGHT_INK if is_dark else _DARK_INK
