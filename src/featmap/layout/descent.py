"""The loop of the layout: in every epoch sum the gradients of the forces and take a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

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

    embedding: Annotated[FloatArray, "(m, d')"]
    gradient_mean: Annotated[FloatArray, "(m, d')"]
    gradient_square: Annotated[FloatArray, "(m, d')"]
    epoch: int = 0

    @classmethod
    def start(cls, embedding: FloatArray) -> State:
        own = np.array(embedding, np.float32, order="C")
        return cls(own, np.zeros_like(own), np.zeros_like(own))

    def begin_again(self, embedding: FloatArray) -> None:
        """Become the state at the start of another descent, where a checkpoint keeps this one."""
        vars(self).update(vars(State.start(embedding)))


def descend(
    state: State, forces: Sequence[Force], until: int, n_epochs: int, run: Run, before: int = 0, after: int = 0
) -> bool:
    """Run the epochs up to ``until`` of ``n_epochs``. Return False if the user stopped them.

    Epochs of other descents, ``before`` and ``after`` it in the same stage, count in what is reported.
    """
    gradient, moved = np.zeros_like(state.embedding), np.empty_like(state.embedding)
    while state.epoch < until:
        _run_epoch(state, forces, _rate(state.epoch, n_epochs), gradient, moved, run)
        state.embedding, moved = moved, state.embedding
        state.epoch += 1
        run.keep()  # a fit can resume from this state
        if run.step(before + state.epoch, before + n_epochs + after):
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
    arrays = (state.embedding, gradient, state.gradient_mean, state.gradient_square)
    dim, flat = moved.shape[1], [array.reshape(-1) for array in arrays]
    prepared = [force.prepare(state.embedding, state.epoch, run) for force in forces]

    def task(start: int, stop: int) -> None:
        for add_gradient in prepared:
            add_gradient(start, stop, gradient)
        adam_step(
            *flat,
            np.float32(rate),
            np.float32(DECAY),
            np.float32(SQUARE_DECAY),
            np.float32(EPSILON),
            start * dim,
            stop * dim,
            moved.reshape(-1),
        )

    run.over_rows(len(moved), task)


def _rate(epoch: int, n_epochs: int) -> float:
    """The learning rate, which falls linearly to zero, times Adam's bias correction."""
    steps = epoch + 1
    correction = np.sqrt(1 - SQUARE_DECAY**steps) / (1 - DECAY**steps)
    return float(LEARNING_RATE * (1 - epoch / n_epochs) * correction)
