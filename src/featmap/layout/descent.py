"""The loop of the layout: in every epoch sum the gradients of the forces and take a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels.layout import adam_step
from ..run import Run
from ..values import FloatArray
from .forces import Force

LEARNING_RATE = 1.0
DECAY = 0.9
SQUARE_DECAY = 0.99
EPSILON = 1e-7


@dataclass
class State:
    """The state of a descent. Resuming from it gives the same bytes as a descent that never stopped."""

    transposed: FloatArray  # (d', m) the embedding, by columns for the kernels
    gradient_mean: FloatArray
    gradient_square: FloatArray
    axes: FloatArray  # (m, d', d') the frames that density acts along, the identity before it begins
    epoch: int = 0

    @classmethod
    def start(cls, embedding: FloatArray) -> State:
        transposed = np.ascontiguousarray(embedding.T, dtype=np.float32)
        axes = np.tile(np.eye(len(transposed), dtype=np.float32), (transposed.shape[1], 1, 1))
        return cls(transposed, np.zeros_like(transposed), np.zeros_like(transposed), axes)

    @property
    def embedding(self) -> FloatArray:
        return np.ascontiguousarray(self.transposed.T)


def descend(state: State, forces: Sequence[Force], until: int, n_epochs: int, run: Run) -> bool:
    """Run the epochs up to ``until`` of ``n_epochs``. Return False if the user stopped them."""
    gradient, moved = np.zeros_like(state.transposed), np.empty_like(state.transposed)
    while state.epoch < until:
        _run_epoch(state, forces, _rate(state.epoch, n_epochs), gradient, moved, run)
        state.transposed, moved = moved, state.transposed
        state.epoch += 1
        run.keep()  # a fit can resume from this state
        if run.step(state.epoch, n_epochs):
            return False
    return True


def _run_epoch(
    state: State,
    forces: Sequence[Force],
    rate: float,
    gradient: FloatArray,
    moved: FloatArray,
    run: Run,
) -> None:
    """Sum the forces and move the points, block by block. Forces read the embedding as the epoch found it."""
    prepared = [force.prepare(state.transposed, state.epoch, run) for force in forces]

    def task(start: int, stop: int) -> None:
        for add_gradient in prepared:
            add_gradient(start, stop, gradient)
        adam_step(
            state.transposed,
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

    run.over_rows(state.transposed.shape[1], task)


def _rate(epoch: int, n_epochs: int) -> float:
    """The learning rate, which falls linearly to zero, times Adam's bias correction."""
    steps = epoch + 1
    correction = np.sqrt(1 - SQUARE_DECAY**steps) / (1 - DECAY**steps)
    return float(LEARNING_RATE * (1 - epoch / n_epochs) * correction)
