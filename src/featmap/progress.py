"""Tell the user how far a fit is: a callback, a bar on stderr, and a report of every stage."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from .errors import FitStopped, InvalidParameterError

Callback = Callable[[str, int, int], object]

BAR_WIDTH = 24
SECONDS_BETWEEN_UPDATES = 0.1


@dataclass(frozen=True)
class StageReport:
    """What one stage of a fit took."""

    stage: str
    seconds: float
    cpu_seconds: float
    peak_memory_mb: float

    def __str__(self) -> str:
        return (
            f"{self.stage:<12} {self.seconds:8.2f} s  {self.cpu_seconds:8.2f} CPU s  "
            f"{self.peak_memory_mb:8.0f} MB peak"
        )


class Progress:
    """Counts the steps of each stage and passes them on."""

    def __init__(self, callback: Callback | None = None, verbose: bool = False, stream: TextIO | None = None) -> None:
        if callback is not None and not callable(callback):
            raise InvalidParameterError(f"fit(callback={callback!r}): must be a function of stage, done and total")
        self.reports: list[StageReport] = []
        self._callback = callback
        self._bar = _Bar(stream or sys.stderr) if verbose else None
        self._has_map = False
        self._stage = ""
        self._total = 0

    @contextmanager
    def stage(self, name: str, n_steps: int | None = None) -> Iterator[None]:
        """Time a stage that reports ``n_steps`` steps of its own. One of None is counted by its beginning and end."""
        self._stage, self._total = name, 1 if n_steps is None else n_steps
        self._has_map = self._has_map or n_steps is not None  # the stage with steps of its own is the layout
        wall, cpu = time.perf_counter(), time.process_time()
        if self._bar:
            self._bar.start(name)
        try:
            if self.step(0) and not self._has_map:
                raise FitStopped(f"the callback stopped the fit at the stage {name!r}, before there was a map")
            yield
            if n_steps is None and self.step(1) and not self._has_map:
                raise FitStopped(f"the callback stopped the fit after the stage {name!r}, before there was a map")
            report = StageReport(name, time.perf_counter() - wall, time.process_time() - cpu, _peak_memory_mb())
            self.reports.append(report)
            if self._bar:
                self._bar.finish(report)
        finally:
            if self._bar:
                self._bar.end()

    def step(self, done: int) -> bool:
        """Report ``done`` steps of the current stage; true when the callback asks to stop."""
        if self._bar:
            self._bar.show(done, self._total)
        return self._callback is not None and self._callback(self._stage, done, self._total) is True


class _Bar:
    """One line per stage; redrawn in place on a terminal, written once elsewhere."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._name, self._began, self._drawn, self._line = "", 0.0, 0.0, ""

    def start(self, name: str) -> None:
        self._name, self._began, self._drawn = name, time.perf_counter(), 0.0

    def show(self, done: int, total: int) -> None:
        now = time.perf_counter()
        elapsed = now - self._began
        filled = BAR_WIDTH * done // total
        left = f"{elapsed / done * (total - done):6.1f} s left" if 0 < done < total else " " * 13
        self._line = f"{self._name:<12} |{'█' * filled}{' ' * (BAR_WIDTH - filled)}| {elapsed:6.1f} s {left}"
        if self._live and (done == total or now - self._drawn > SECONDS_BETWEEN_UPDATES):
            self._drawn = now
            self._write("\r" + self._line)

    def finish(self, report: StageReport) -> None:
        """The last state of the line: what the stage took."""
        self._line = str(report)
        if self._live:
            self._write("\r" + self._line.ljust(BAR_WIDTH + 40))

    def end(self) -> None:
        self._write("\n" if self._live else self._line + "\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _peak_memory_mb() -> float:
    """The most memory this process has held so far, or NaN where no system call tells.

    Linux is asked by /proc: what getrusage says there is inherited from the parent process.
    """
    try:
        return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 2**10
    except (OSError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
