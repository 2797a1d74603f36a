"""Progress of a run: passed to a callback, shown by a bar, and summed up in a report of every stage."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..checks.arguments import pandas_for
from ..errors import FitStopped, InvalidParameterError
from ..values import SearchReport

Callback = Callable[[str, int, int], object]

LAYOUT, COARSE_LAYOUT, LISTS = "layout", "coarse layout", "lists"
# Roughly the share of each stage in the time of a fit (MNIST, two threads). The bar of the whole fit goes by them.
SHARES = {"scaling": 0.04, "neighbors": 0.3, "graph": 0.03, "start": 0.1, LAYOUT: 0.53}
# Of what the first question about tangent spaces or frames makes.
SHARES_OF_GEOMETRY = {"tangents": 0.5, "alignment": 0.4, "frames": 0.1}
# Of the layout of the coarse graph, where there is one.
SHARES_OF_COARSE = {COARSE_LAYOUT: 0.08}
# Of a comparison of groups.
SHARES_OF_CONTRAST = {"importance": 0.3, "permutations": 0.7}
STEPS_OF_BAR = 1000
SECONDS_BETWEEN_UPDATES = 0.1
SECONDS_BETWEEN_LINES = 10.0  # of a bar that goes to a file
BAR = "{desc:<10} {percentage:3.0f}%|{bar}| {elapsed} so far, {remaining} left"


@dataclass(frozen=True)
class StageReport:
    """Time and memory of one stage of a fit."""

    stage: str
    seconds: float
    cpu_seconds: float
    peak_memory_mb: float

    def __str__(self) -> str:
        return (
            f"{self.stage:<12} {self.seconds:8.2f} s  {self.cpu_seconds:8.2f} CPU s  "
            f"{self.peak_memory_mb:8.0f} MB peak"
        )


@dataclass(repr=False)
class FitReport(Sequence[StageReport]):
    """Seconds, CPU seconds and peak memory of each stage of a fit, in order, and how neighbours were searched.

    `FeatMAP.fit_report_` is one. It prints as a table. The peak is that of the process so far.

    Parameters
    ----------
    stages : sequence of StageReport, default=()
        Time and memory of each stage.
    search : SearchReport or None, default=None
        How neighbours were searched. None if they were given, or taken from a checkpoint.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> report = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data).fit_report_
    >>> [stage.stage for stage in report]
    ['scaling', 'neighbors', 'graph', 'start', 'layout']
    >>> report.recall
    1.0
    """

    stages: Sequence[StageReport] = ()
    search: SearchReport | None = None

    def __post_init__(self) -> None:
        self.stages = tuple(self.stages)

    def __len__(self) -> int:
        return len(self.stages)

    def __getitem__(self, number: Any) -> Any:
        return self.stages[number]

    @property
    def recall(self) -> float | None:
        """The part of the true neighbours that the search found, measured on 200 rows; 1 if the search was exact.

        None if neighbours were given, or taken from a checkpoint.
        """
        return None if self.search is None else self.search.recall

    @property
    def total(self) -> StageReport:
        """All stages together."""
        peaks = [stage.peak_memory_mb for stage in self]
        return StageReport(
            "total",
            sum(stage.seconds for stage in self),
            sum(stage.cpu_seconds for stage in self),
            max(peaks, default=float("nan")),
        )

    def to_frame(self) -> Any:
        """Give the report as a pandas DataFrame.

        Returns
        -------
        DataFrame of shape (n_stages, 3)
            One line for each stage, with the columns seconds, cpu_seconds and peak_memory_mb.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.fit_report_.to_frame().shape
        (5, 3)
        """
        names = [field.name for field in fields(StageReport)]
        return pandas_for("to_frame").DataFrame([astuple(stage) for stage in self], columns=names).set_index("stage")

    def __repr__(self) -> str:
        lines = [*self, self.total] if len(self) else []
        return "\n".join(str(line) for line in (*lines, *self._of_search)) or "FitReport()"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{stage.stage}</th><td>{stage.seconds:.2f}</td><td>{stage.cpu_seconds:.2f}</td>"
            f"<td>{stage.peak_memory_mb:.0f}</td></tr>"
            for stage in (*self, self.total)
        )
        head = "<tr><th>stage</th><th>seconds</th><th>CPU seconds</th><th>peak memory (MB)</th></tr>"
        return f"<table>{head}{rows}</table>{''.join(f'<p>{line}</p>' for line in self._of_search)}"

    @property
    def _of_search(self) -> tuple[SearchReport, ...]:
        return () if self.search is None else (self.search,)


class Progress:
    """Passes the steps of each stage on to a callback and to a bar, and measures what the stage takes."""

    def __init__(
        self,
        callback: Callback | None = None,
        verbose: bool = False,
        stages: Iterable[str] = tuple(SHARES),
        stream: TextIO | None = None,
    ) -> None:
        if callback is not None and not callable(callback):
            raise InvalidParameterError(
                f"fit(callback={callback!r}): callback must be a function of stage, done and total"
            )
        self._callback = callback
        self._make_bar = partial(_Bar, stages, stream) if verbose else None
        self._bar: _Bar | None = None  # made by the first stage: a fit may be refused before it
        self._reports: list[StageReport] = []
        self._stage = ""
        self._has_steps = False
        self._has_map = False
        self._stop = False

    @property
    def report(self) -> FitReport:
        """The stages that have ended."""
        return FitReport(self._reports)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage. A stage that reports no steps counts as one step."""
        self._stage, self._has_steps = name, False
        self._has_map = self._has_map or name == LAYOUT
        wall, cpu = time.perf_counter(), time.process_time()
        if self._make_bar and not self._bar:
            self._bar = self._make_bar()
        self._stop = self._tell(0, 1)
        yield
        if not self._has_steps:
            self._tell(1, 1)
        report = StageReport(name, time.perf_counter() - wall, time.process_time() - cpu, _peak_memory_mb())
        self._reports.append(report)
        if self._bar:
            self._bar.end_stage(report)

    def step(self, done: int, total: int) -> bool:
        """Report ``done`` of ``total`` steps of the current stage; true when the callback asks to stop."""
        self._has_steps = True
        return self._tell(done, total) or self._stop

    def close(self) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.close()

    def _tell(self, done: int, total: int) -> bool:
        if self._bar:
            self._bar.show(self._stage, done / total)
        answer = None if self._callback is None else self._callback(self._stage, done, total)
        stop = isinstance(answer, bool | np.bool_) and bool(answer)  # any other value does not stop the fit
        if stop and not self._has_map:
            raise FitStopped(f"the callback stopped the fit in the stage {self._stage!r}, before there was a map")
        return stop


class _Bar:
    """One bar for all stages, by tqdm: in terminals, notebooks and files."""

    def __init__(self, stages: Iterable[str], stream: TextIO | None) -> None:
        shares = {
            stage: (SHARES | SHARES_OF_GEOMETRY | SHARES_OF_COARSE | SHARES_OF_CONTRAST)[stage] for stage in stages
        }
        # It is not known before the fit whether lists will be filled again, so they have no share.
        self._shares = {LISTS: 0.0} | {stage: share / sum(shares.values()) for stage, share in shares.items()}
        kind = _bar_class(stream)
        in_notebook = any(base.__module__ == "tqdm.notebook" for base in kind.__mro__)
        is_live = in_notebook or getattr(stream or sys.stderr, "isatty", lambda: False)()
        self._bar = kind(
            total=STEPS_OF_BAR,
            file=stream,
            bar_format=BAR,
            mininterval=SECONDS_BETWEEN_UPDATES if is_live else SECONDS_BETWEEN_LINES,
            miniters=1,  # otherwise tqdm goes by the pace of the stage before, and a slow stage seems to stand still
        )
        self._before = 0.0  # the share of the stages that have ended

    def show(self, stage: str, part: float) -> None:
        self._bar.set_description_str(stage, refresh=False)
        position = min(round(STEPS_OF_BAR * (self._before + self._shares[stage] * part)), STEPS_OF_BAR)
        self._bar.update(max(position - self._bar.n, 0))

    def end_stage(self, report: StageReport) -> None:
        self._before += self._shares[report.stage]
        self._bar.write(str(report), file=self._bar.fp)

    def close(self) -> None:
        self._bar.close()


def _bar_class(stream: TextIO | None) -> Any:
    """tqdm's class for a terminal, a notebook or a stream, without its monitor, a thread that outlives the fit."""
    if stream is None:
        from tqdm.auto import tqdm
    else:
        from tqdm import tqdm
    return type("Bar", (tqdm,), {"monitor_interval": 0})


def _peak_memory_mb() -> float:
    """The most memory this process has held so far, or NaN where no system call tells.

    On Linux it is read from /proc, because getrusage reports there what was inherited from the parent process.
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
