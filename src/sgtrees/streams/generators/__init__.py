"""Streams that are made up: endless, seeded, and the same however they are cut into blocks."""

from sgtrees.streams.generators.agrawal import Agrawal
from sgtrees.streams.generators.drift import Drift
from sgtrees.streams.generators.flight_delays import FlightDelays
from sgtrees.streams.generators.friedman import Friedman
from sgtrees.streams.generators.generator import Generator
from sgtrees.streams.generators.hyperplane import Hyperplane
from sgtrees.streams.generators.led import Led
from sgtrees.streams.generators.random_rbf import RandomRbf
from sgtrees.streams.generators.sea import Sea

__all__ = [
    "Agrawal",
    "Drift",
    "FlightDelays",
    "Friedman",
    "Generator",
    "Hyperplane",
    "Led",
    "RandomRbf",
    "Sea",
]
