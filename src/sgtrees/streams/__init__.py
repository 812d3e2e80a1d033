"""Where rows come from: everything here yields blocks of labelled rows, one after the other."""

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators import FlightDelays

__all__ = ["Block", "Column", "FlightDelays"]
