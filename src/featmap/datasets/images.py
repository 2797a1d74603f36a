"""What the sets of images share: their training and test parts, and the names of their pixels."""

from __future__ import annotations

from ..errors import InvalidParameterError

PARTS = {"all": ("train", "test"), "train": ("train",), "test": ("test",)}


def parts_of(loader: str, subset: str) -> tuple[str, ...]:
    """Return the parts of a data set that a subset consists of, in their order."""
    if not isinstance(subset, str) or subset not in PARTS:
        raise InvalidParameterError(f"{loader}(subset={subset!r}): subset must be 'all', 'train' or 'test'")
    return PARTS[subset]


def pixel_names(height: int, width: int, channels: tuple[str, ...] = ("",)) -> list[str]:
    """Return r2c3 for the pixel in row 2 and column 3, followed by the channel if there are several."""
    return [f"r{row}c{column}{channel}" for row in range(height) for column in range(width) for channel in channels]
