"""Optional packages, which name themselves and how to get them where they are missing."""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtraError


def pandas_for(caller: str) -> Any:
    """The package pandas."""
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError(f"{caller} needs pandas: pip install pandas") from error
    return pandas
