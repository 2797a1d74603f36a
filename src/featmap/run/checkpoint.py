"""Where results of stages are kept while a fit runs, so that a killed fit can be resumed: by default nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Checkpoint:
    """Keeps nothing, so that every stage makes its result. `store.checkpoints` has one that keeps them in a file."""

    def kept(self, name: str, make: Callable[[], Any], **given: Any) -> Any:
        """The result that ``make`` makes. Fields of it that are ``given`` need not be kept."""
        return make()

    def keep(self) -> None:
        """Write the results so far, if it is time. To be called where a fit could be resumed from them."""

    def finish(self) -> None:
        """Remove what was kept. To be called when the fit has ended."""


NO_CHECKPOINT = Checkpoint()
