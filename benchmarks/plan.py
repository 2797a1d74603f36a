"""What is run, in this order: jobs that are compared with each other follow each other."""

from __future__ import annotations

import re
from dataclasses import dataclass

FIRST_EVER = "first ever"  # nothing compiled yet
FRESH = "fresh process"  # compiled before, nothing imported yet
WARM = "warm"  # after a small fit in the same process
ALL_CORES = -1

WITH_QUALITY = ("mnist", "digits")
SIZES = (1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Job:
    """One process to run: a method on a data set (a number is that many rows of the manifold)."""

    method: str
    data: str
    epochs: int = 500
    jobs: int = ALL_CORES
    start: str = WARM
    round: int = 1

    @property
    def key(self) -> str:
        threads = "all cores" if self.jobs == ALL_CORES else f"{self.jobs} threads"
        return f"{self.method} | {self.data} | {self.epochs} epochs | {threads} | {self.start} | round {self.round}"

    @property
    def is_ours(self) -> bool:
        return self.method.startswith("featMAP")

    @property
    def file_name(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.key.lower()).strip("-") + ".npy"


def full_plan() -> list[Job]:
    return starts("featMAP", rounds=3) + starts("UMAP", rounds=3) + mnist() + sizes()


def quick_plan() -> list[Job]:
    """Peers compile half a minute in every process, so they have few here; what matters least is last."""
    peers = [Job(method, "digits") for method in ("UMAP", "PaCMAP")]
    small = [Job("featMAP", str(rows), epochs=200) for rows in (1_000, 4_000, 16_000)]
    last = [Job("densMAP", "digits"), Job("UMAP", "digits", start=FIRST_EVER)]
    return starts("featMAP", rounds=1) + peers + small + last


def starts(method: str, rounds: int) -> list[Job]:
    """The first fit ever, the first of a process, and one after it, on digits."""
    fresh = [Job(method, "digits", start=FRESH, round=number) for number in range(1, rounds + 1)]
    return [Job(method, "digits", start=FIRST_EVER), *fresh, Job(method, "digits")]


def mnist() -> list[Job]:
    """Ours before and after umap-learn, so that a slow hour of the machine meets both; then the other peers."""
    peers = ("h-NNE", "PaCMAP", "TriMap", "openTSNE", "featuremap (authors)")
    return [
        *ours_on_mnist(1),
        Job("UMAP", "mnist"),
        Job("UMAP (seeded)", "mnist", jobs=1),  # umap-learn takes no more with a seed
        Job("densMAP", "mnist"),
        *ours_on_mnist(2),
        *(Job(method, "mnist") for method in peers),
    ]


def ours_on_mnist(number: int) -> list[Job]:
    return [
        Job("featMAP", "mnist", jobs=1, round=number),
        Job("featMAP", "mnist", jobs=2, round=number),
        Job("featMAP", "mnist", round=number),
        Job("featMAP (unseeded)", "mnist", round=number),
    ]


def sizes() -> list[Job]:
    """Peers that would take many times the limit on a million rows end at 100,000."""
    plan = []
    for rows in SIZES:
        methods = ["featMAP", "UMAP", "PaCMAP", "h-NNE"]
        if rows <= 100_000:
            methods += ["densMAP", "TriMap", "openTSNE"]
        plan += [Job(method, str(rows), epochs=200) for method in methods]
    return plan
