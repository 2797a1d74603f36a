"""What is run, in this order: jobs that are compared with each other follow each other."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .data import GAUSSIAN, SURVEY, TFIDF

FIRST_EVER = "first ever"  # nothing compiled yet
FIRST_LARGE = "first large"  # after digits in the same process, and nothing else compiled yet
FRESH = "fresh process"  # compiled before, nothing imported yet
WARM = "warm"  # after a small fit in the same process
ALL_CORES = -1
EQUAL_EPOCHS = 500  # where methods are given the same number
WITH_FRAMES = "featMAP (with frames)"  # the map, and what the first question about its geometry makes

WITH_QUALITY = ("mnist", "digits")
SIZES = (1_000, 10_000, 100_000, 300_000, 1_000_000, 3_000_000)
LARGEST = 10_000_000
JUST_LARGE = "12000"  # above 10,000 rows featMAP searches approximately
MINUTES = {"digits": 3, "1000": 5, "10000": 5, JUST_LARGE: 5, SURVEY: 5, TFIDF: 5, str(LARGEST): 90}
OTHER_MINUTES = 15


@dataclass(frozen=True)
class Job:
    """One process to run: a method on data that `data.load` knows by name, for the method's own epochs if None."""

    method: str
    data: str
    epochs: int | None = None
    jobs: int = ALL_CORES
    start: str = WARM
    round: int = 1

    @property
    def key(self) -> str:
        epochs = "default" if self.epochs is None else self.epochs
        threads = "all cores" if self.jobs == ALL_CORES else f"{self.jobs} threads"
        return f"{self.method} | {self.data} | {epochs} epochs | {threads} | {self.start} | round {self.round}"

    @property
    def is_ours(self) -> bool:
        return self.method.startswith("featMAP")

    @property
    def file_name(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.key.lower()).strip("-") + ".npy"

    @property
    def minutes(self) -> int:
        """After these it is ended."""
        return MINUTES.get(self.data, OTHER_MINUTES)


def full_plan() -> list[Job]:
    first = [*starts("featMAP", rounds=3), *with_frames(), first_large(), *starts("UMAP", rounds=3)]
    return first + mnist() + sizes() + hard_data()


def quick_plan() -> list[Job]:
    """Peers compile half a minute in every process, so they have few here; what matters least is last."""
    small = [Job("featMAP", data) for data in ("1000", "4000", "16000", f"{GAUSSIAN} 20000")]
    hard = [Job("featMAP", data) for data in (SURVEY, TFIDF)]
    last = [*with_frames(), first_large(), Job("densMAP", "digits"), Job("UMAP", "digits", start=FIRST_EVER)]
    return [*starts("featMAP", rounds=1), Job("UMAP", "digits"), *small, Job("PaCMAP", "digits"), *hard, *last]


def on_request() -> list[Job]:
    """Jobs that run only if they are asked for by name."""
    return [Job("featMAP", str(LARGEST))]


def chosen(jobs: list[Job], texts: list[str]) -> list[Job]:
    """The jobs whose key contains one of the texts as whole words: "1000" is not in "10000"."""
    patterns = [rf"(?<!\w){re.escape(text)}(?!\w)" for text in texts]
    return [job for job in jobs if any(re.search(pattern, job.key) for pattern in patterns)]


def starts(method: str, rounds: int) -> list[Job]:
    """The first fit ever, the first of a process, and one after it, on digits."""
    fresh = [Job(method, "digits", start=FRESH, round=number) for number in range(1, rounds + 1)]
    return [Job(method, "digits", start=FIRST_EVER), *fresh, Job(method, "digits")]


def with_frames() -> list[Job]:
    return [Job(WITH_FRAMES, "digits", start=start) for start in (FIRST_EVER, WARM)]


def first_large() -> Job:
    return Job("featMAP", JUST_LARGE, start=FIRST_LARGE)


def mnist() -> list[Job]:
    """Ours before and after umap-learn, so that a slow hour of the machine meets both; then the other peers."""
    peers = ("h-NNE", "PaCMAP", "TriMap", "openTSNE", "featuremap (authors)")
    return [
        *ours_on_mnist(1),
        Job("UMAP", "mnist"),
        Job("UMAP", "mnist", EQUAL_EPOCHS),
        *ours_on_mnist(2),
        Job("UMAP (seeded)", "mnist", jobs=1),  # umap-learn takes no more with a seed
        Job("densMAP", "mnist"),
        *(Job(method, "mnist") for method in peers),
    ]


def ours_on_mnist(number: int) -> list[Job]:
    return [
        Job("featMAP", "mnist", jobs=1, round=number),
        Job("featMAP", "mnist", jobs=2, round=number),
        Job("featMAP", "mnist", round=number),
        Job(WITH_FRAMES, "mnist", round=number),
        Job("featMAP (unseeded)", "mnist", round=number),
        Job("featMAP", "mnist", EQUAL_EPOCHS, round=number),
    ]


def sizes() -> list[Job]:
    """Sheets of all sizes. A peer has no job that would take many times the limit."""
    return [Job(method, str(rows)) for rows in SIZES for method in methods_at(rows)]


def methods_at(rows: int) -> list[str]:
    methods = ["featMAP", WITH_FRAMES]
    if rows <= 1_000_000:
        methods += ["UMAP"]
    if rows <= 300_000:
        methods += ["PaCMAP"]
    if rows <= 100_000:
        methods += ["h-NNE", "densMAP", "TriMap", "openTSNE"]
    return methods


def hard_data() -> list[Job]:
    """Data whose neighbours are hard to find."""
    shared = (f"{GAUSSIAN} 100000", SURVEY, TFIDF)
    both = [Job(method, data) for data in shared for method in ("featMAP", "UMAP")]
    return [*both, Job("featMAP", f"{GAUSSIAN} 1000000")]
