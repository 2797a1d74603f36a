"""The one loop: sum the forces' gradients, take a step, until the epochs are over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels.layout import adam_step
from ..parallel import Workers
from ..progress import Progress
from ..values import FloatArray
from .forces import Force

LEARNING_RATE = 1.0
DECAY = 0.9
SQUARE_DECAY = 0.99
EPSILON = 1e-7


@dataclass
class State:
    """Where a descent is: resuming from it gives the same bytes as never having stopped."""

    coordinates: FloatArray  # (d', m)
    gradient_mean: FloatArray
    gradient_square: FloatArray
    epoch: int = 0

    @classmethod
    def start(cls, embedding: FloatArray) -> State:
        coordinates = np.ascontiguousarray(embedding.T, dtype=np.float32)
        return cls(coordinates, np.zeros_like(coordinates), np.zeros_like(coordinates))

    @property
    def embedding(self) -> FloatArray:
        return np.ascontiguousarray(self.coordinates.T)


def descend(
    state: State,
    forces: Sequence[Force],
    until: int,
    n_epochs: int,
    workers: Workers,
    progress: Progress,
    keep: Callable[[], object] = lambda: None,
) -> bool:
    """Run the epochs up to ``until`` out of ``n_epochs``; false if the callback stopped them.

    ``keep`` is called after every epoch, when the state is one from which to resume.
    """
    gradient, moved = np.zeros_like(state.coordinates), np.empty_like(state.coordinates)
    while state.epoch < until:
        _run_epoch(state, forces, _rate(state.epoch, n_epochs), gradient, moved, workers)
        state.coordinates, moved = moved, state.coordinates
        state.epoch += 1
        keep()
        if progress.step(state.epoch):
            return False
    return True


def _run_epoch(
    state: State,
    forces: Sequence[Force],
    rate: float,
    gradient: FloatArray,
    moved: FloatArray,
    workers: Workers,
) -> None:
    """Sum the forces and move, block by block: the others are read where they were when the epoch began."""
    prepared = [force.prepare(state.coordinates, state.epoch, workers) for force in forces]

    def task(start: int, stop: int) -> None:
        for add_gradient in prepared:
            add_gradient(start, stop, gradient)
        adam_step(
            state.coordinates,
            gradient,
            state.gradient_mean,
            state.gradient_square,
            np.float32(rate),
            np.float32(DECAY),
            np.float32(SQUARE_DECAY),
            np.float32(EPSILON),
            start,
            stop,
            moved,
        )

    workers.over_rows(state.coordinates.shape[1], task)


def _rate(epoch: int, n_epochs: int) -> float:
    """The learning rate falls linearly to zero; Adam's correction for its cold start comes with it."""
    steps = epoch + 1
    correction = np.sqrt(1 - SQUARE_DECAY**steps) / (1 - DECAY**steps)
    return float(LEARNING_RATE * (1 - epoch / n_epochs) * correction)
