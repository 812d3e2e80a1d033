"""Losses of one output, row by row and in plain Python, written from their formulas.

Sources: the section "Losses" of ``docs/algorithm.md``. Nothing here is shared with the package.
A loss takes what it needs from the warm-up (:meth:`Loss.see`), gives g and h of a row, and knows
the best constant for some rows. For following leaves it gives the loss itself, and how far a row
moves an offset.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

Rows = Sequence[tuple[float, float]]
"""Targets with their weights."""


def mean(rows: Rows) -> float:
    return math.fsum(w * y for y, w in rows) / math.fsum(w for _, w in rows)


def quantile(rows: Rows, alpha: float) -> float:
    """The lowest target at or below which a share alpha of the weight lies."""
    wanted = alpha * math.fsum(w for _, w in rows)
    below: list[float] = []
    for y, w in sorted(rows):
        below.append(w)
        if math.fsum(below) >= wanted:
            return y
    return max(y for y, _ in rows)


def expected_quantile(rows: Rows, alpha: float) -> float | None:
    """Where a new target lies below with probability alpha; None where so few rows cannot tell."""
    if not rows:
        return None
    weight = math.fsum(w for _, w in rows)
    n = weight**2 / math.fsum(w * w for _, w in rows)
    if n * min(alpha, 1 - alpha) < 1 - 1e-9:
        return None
    ordered = sorted(rows)
    below = np.cumsum([0.0] + [w for _, w in ordered[:-1]])
    middles = [b + w / 2 for b, (_, w) in zip(below, ordered, strict=True)]
    place = alpha * weight + (alpha - 0.5) * weight / n
    return float(np.interp(place, middles, [y for y, _ in ordered]))


def spread(rows: Rows) -> float:
    """The mean distance from the median; 1 where that is no more than 1e-50."""
    median = quantile(rows, 0.5)
    distance = mean([(abs(y - median), w) for y, w in rows])
    return distance if distance > 1e-50 else 1.0


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function changes its sign, by bisection to the last digit."""
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return middle
        low, high = (low, middle) if function(middle) > 0 else (middle, high)


def mean_of(raw: float) -> float:
    """exp(raw), as large as exp(230) at most."""
    return math.exp(min(raw, 230.0))


def one_in(raw: float) -> float:
    """exp(-raw), as large as exp(115) at most."""
    return math.exp(-max(raw, -115.0))


class Loss:
    lowest_offset = -math.inf
    is_of_classes = False

    def see(self, rows: Rows) -> None:
        """Take a scale from the targets of the warm-up."""

    def derivatives(self, y: float, raw: float) -> tuple[float, float]:
        raise NotImplementedError

    def value(self, y: float, raw: float) -> float:
        """The loss l of a row; no probability counts as less than 1e-9."""
        raise NotImplementedError

    def error(self, y: float, raw: float) -> float:
        """What a detector of change sees: the distance of prediction and target."""
        return abs(y - raw)

    def averaged(self, h: float) -> float:
        """What of a row's h the mean of recent rows is taken of."""
        return h

    def move(self, y: float, raw: float, rho: float, recent: float) -> float:
        """By how much a row moves an offset; ``recent`` is the mean over the recent rows."""
        g, _ = self.derivatives(y, raw)
        return -rho * g / recent if recent > 0 else math.nan

    def constant(self, rows: Rows) -> float:
        raise NotImplementedError


class SquaredError(Loss):
    """l = (raw - y)^2 / 2."""

    def derivatives(self, y: float, raw: float) -> tuple[float, float]:
        return raw - y, 1.0

    def value(self, y: float, raw: float) -> float:
        return (raw - y) * (raw - y) / 2

    def move(self, y: float, raw: float, rho: float, recent: float) -> float:
        return rho * (y - raw)

    def constant(self, rows: Rows) -> float:
        return mean(rows)


def rounded(r: float, scale: float) -> float:
    """|r|, or its touching parabola below the scale."""
    return (r * r / scale + scale) / 2 if abs(r) < scale else abs(r)


class Scaled(Loss):
    share: float

    def __init__(self, scale: float | None = None) -> None:
        self.given = scale
        self.scale = 1.0 if scale is None else scale

    def scale_of(self, rows: Rows) -> float:
        return self.share * spread(rows) if self.given is None else self.given

    def see(self, rows: Rows) -> None:
        self.scale = self.scale_of(rows)

    def averaged(self, h: float) -> float:
        return 1 / h

    def move(self, y: float, raw: float, rho: float, recent: float) -> float:
        g, _ = self.derivatives(y, raw)
        return -rho * g * recent


class AbsoluteError(Scaled):
    """l = |raw - y|; its parabola at r is r^2 / (2 |r|), no sharper than at the scale."""

    share = 0.1

    def derivatives(self, y: float, raw: float) -> tuple[float, float]:
        r = raw - y
        size = max(abs(r), self.scale)
        return r / size, 1 / size

    def value(self, y: float, raw: float) -> float:
        return rounded(raw - y, self.scale)

    def constant(self, rows: Rows) -> float:
        return quantile(rows, 0.5)


class Quantile(Scaled):
    """l = alpha (y - raw) below the target, (1 - alpha) (raw - y) above it.

    h is that of the parabola, at a residual that is larger by the scale.
    """

    share = 0.3

    def __init__(self, alpha: float = 0.5, scale: float | None = None) -> None:
        super().__init__(scale)
        self.alpha = alpha

    def derivatives(self, y: float, raw: float) -> tuple[float, float]:
        return self.at(raw - y)

    def at(self, r: float) -> tuple[float, float]:
        """g and h at a residual."""
        sign = int(r > 0) - int(r < 0)
        return (sign + 1 - 2 * self.alpha) / 2, 1 / (2 * (abs(r) + self.scale))

    def residual(self, g: float, h: float) -> float:
        """The residual that has this g and h."""
        size = max(1 / (2 * h) - self.scale, 0.0)
        sign = round(2 * g - (1 - 2 * self.alpha))
        return sign * size

    def value(self, y: float, raw: float) -> float:
        r = raw - y
        return self.alpha * -r if r < 0 else (1 - self.alpha) * r

    def error(self, y: float, raw: float) -> float:
        return self.value(y, raw)

    def constant(self, rows: Rows) -> float:
        return quantile(rows, self.alpha)


class Robust(Scaled):
    """g = s psi(r / s); h = g / r, the touching parabola's."""

    def psi(self, z: float) -> float:
        raise NotImplementedError

    def derivatives(self, y: float, raw: float) -> tuple[float, float]:
        z = (raw - y) / self.scale
        return self.scale * self.psi(z), self.weight(z)

    def weight(self, z: float) -> float:
        return 1.0 if z == 0 else self.psi(z) / z

    def constant(self, rows: Rows) -> float:
        """From the median on, means in which each target counts by its parabola.

        To a 1e-12th of the scale, in at most 100 steps: the best constant need not be the only one.
        """
        unit = self.scale_of(rows)
        constant = quantile(rows, 0.5)
        for _ in range(100):
            shares = [(y - constant, w * self.weight((constant - y) / unit)) for y, w in rows]
            step = mean(shares)
            if abs(step) <= 1e-12 * unit:
                break
            constant += step
        return constant


class Huber(Robust):
    """Squares up to 1.35 standard deviations; a normal one is sqrt(pi / 2) mean distances."""

    share = 1.35 * math.sqrt(math.pi / 2)

    def psi(self, z: float) -> float:
        return max(-1.0, min(1.0, z))

    def value(self, y: float, raw: float) -> float:
        r, c = abs(raw - y), self.scale
        return r * r / 2 if r <= c else c * r - c * c / 2


class LogCosh(Robust):
    """l = s^2 log cosh(r / s)."""

    share = math.sqrt(math.pi / 2)

    def psi(self, z: float) -> float:
        return math.tanh(z)

    def value(self, y: float, raw: float) -> float:
        """With log cosh(z) = |z| + log((1 + exp(-2 |z|)) / 2)."""
        z = abs(raw - y) / self.scale
        return self.scale**2 * (z + math.log1p(math.exp(-2 * z)) - math.log(2))


class LogMean(Loss):
    """The prediction is exp(raw); the best one is the mean, or half a unit over all rows.

    Where g = a - b, (a + b) / 2 stands for the hessian. An offset moves the mean to y.
    """

    lowest_offset = math.log(0.001)

    def terms(self, y: float, raw: float) -> tuple[float, float]:
        """Return a and b."""
        raise NotImplementedError

    def derivatives(self, y: float, raw: float) -> tuple[float, float]:
        a, b = self.terms(y, raw)
        return a - b, (a + b) / 2

    def error(self, y: float, raw: float) -> float:
        return abs(y - mean_of(raw))

    def move(self, y: float, raw: float, rho: float, recent: float) -> float:
        return math.log(max(1 - rho + rho * y * one_in(raw), 0.001))

    def constant(self, rows: Rows) -> float:
        return math.log(max(mean(rows), 0.5 / len(rows)))


class Poisson(LogMean):
    """l = exp(raw) - y raw."""

    def terms(self, y: float, raw: float) -> tuple[float, float]:
        return mean_of(raw), y

    def value(self, y: float, raw: float) -> float:
        return mean_of(raw) - y * raw


class Gamma(LogMean):
    """l = raw + y exp(-raw)."""

    def terms(self, y: float, raw: float) -> tuple[float, float]:
        return 1.0, y * one_in(raw)

    def value(self, y: float, raw: float) -> float:
        return raw + y * one_in(raw)


class Tweedie(LogMean):
    """With m = exp(raw): l = m^(2 - p) / (2 - p) - y m^(1 - p) / (1 - p)."""

    def __init__(self, power: float = 1.5) -> None:
        self.power = power

    def terms(self, y: float, raw: float) -> tuple[float, float]:
        return mean_of(raw) ** (2 - self.power), y * one_in(raw) ** (self.power - 1)

    def value(self, y: float, raw: float) -> float:
        p = self.power
        return mean_of(raw) ** (2 - p) / (2 - p) + y * one_in(raw) ** (p - 1) / (p - 1)


def logistic(raw: float) -> float:
    return 1 / (1 + math.exp(-raw)) if raw > 0 else math.exp(raw) / (1 + math.exp(raw))


LEAST_PROBABILITY = 1e-9
LEAST_VARIANCE = 0.1


def log_loss_move(y: float, raw: float, rho: float) -> float:
    """-rho g / max(p (1 - p), 0.1)."""
    p, q = logistic(raw), logistic(-raw)
    return -rho * (-q if y == 1 else p) / max(p * q, LEAST_VARIANCE)


def log_odds(rows: Rows) -> float:
    """log(W_1 / W_0); a class that has no row gets half the mean weight of one."""
    weights = [math.fsum(w for y, w in rows if y == k) for k in (0, 1)]
    half = math.fsum(w for _, w in rows) / len(rows) / 2
    return math.log((weights[1] or half) / (weights[0] or half))


class OfClasses(Loss):
    """y is 0 or 1; class 1 is predicted where raw is above 0."""

    is_of_classes = True

    def error(self, y: float, raw: float) -> float:
        return float((raw > 0) != (y == 1))


class LogLoss(OfClasses):
    """l = -log p of the true class."""

    def derivatives(self, y: float, raw: float) -> tuple[float, float]:
        p, q = logistic(raw), logistic(-raw)
        return -q if y == 1 else p, p * q

    def value(self, y: float, raw: float) -> float:
        return -math.log(max(logistic(raw if y == 1 else -raw), LEAST_PROBABILITY))

    def move(self, y: float, raw: float, rho: float, recent: float) -> float:
        return log_loss_move(y, raw, rho)

    def constant(self, rows: Rows) -> float:
        return log_odds(rows)


class Focal(OfClasses):
    """l = -q^gamma log p, p the true class's probability, q the other's."""

    def __init__(self, gamma: float = 2.0) -> None:
        self.gamma = gamma

    def derivatives(self, y: float, raw: float) -> tuple[float, float]:
        sign = 1 if y == 1 else -1
        p, q = logistic(sign * raw), logistic(-sign * raw)
        log_p = -math.log1p(q / p)
        # d/d(margin): p' = p q, q' = -p q, (log p)' = q
        slope = self.gamma * q**self.gamma * p * log_p - q ** (self.gamma + 1)
        bound = q**self.gamma * p * (q + 2 * self.gamma * q - self.gamma**2 * p * log_p)
        return sign * slope, bound

    def value(self, y: float, raw: float) -> float:
        margin = raw if y == 1 else -raw
        p = max(logistic(margin), LEAST_PROBABILITY)
        return -(min(logistic(-margin), 1 - LEAST_PROBABILITY) ** self.gamma) * math.log(p)

    def constant(self, rows: Rows) -> float:
        """Where the summed gradient is 0, no farther out than the log odds."""
        most = abs(log_odds(rows))

        def slope(raw: float) -> float:
            return math.fsum(w * self.derivatives(y, raw)[0] for y, w in rows)

        return max(-most, min(most, root(slope, -30.0, 30.0)))


class Exponential(OfClasses):
    """l = exp(-raw) for class 1, exp(raw) for class 0."""

    def derivatives(self, y: float, raw: float) -> tuple[float, float]:
        sign = 1 if y == 1 else -1
        return -sign * one_in(sign * raw), one_in(sign * raw)

    def value(self, y: float, raw: float) -> float:
        return math.exp(-max(raw if y == 1 else -raw, -10.36))

    def move(self, y: float, raw: float, rho: float, recent: float) -> float:
        return log_loss_move(y, 2 * raw, rho) / 2

    def constant(self, rows: Rows) -> float:
        return log_odds(rows) / 2


LOSSES: dict[str, type[Loss]] = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "quantile": Quantile,
    "huber": Huber,
    "log_cosh": LogCosh,
    "poisson": Poisson,
    "gamma": Gamma,
    "tweedie": Tweedie,
    "log_loss": LogLoss,
    "focal": Focal,
    "exponential": Exponential,
}

# Parameters of the losses, of which a random configuration has some.
PARAMETERS: dict[str, dict[str, tuple[float, ...]]] = {
    "absolute_error": {"scale": (0.01, 0.3)},
    "quantile": {"alpha": (0.05, 0.25, 0.9), "scale": (0.1,)},
    "huber": {"scale": (0.2, 2.0)},
    "log_cosh": {"scale": (0.2, 2.0)},
    "poisson": {},
    "gamma": {},
    "tweedie": {"power": (1.1, 1.3, 1.9)},
    "log_loss": {},
    "focal": {"gamma": (0.0, 0.5, 3.0)},
    "exponential": {},
    "squared_error": {},
}
