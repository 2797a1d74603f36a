"""A small LeNet, as in PyTorch's example for MNIST of 2022: two convolutions, two dense layers, dropout between.

Training runs on one thread from one seed: the same machine gives the same weights, whatever else it is doing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import nn
from torch.nn import functional

SIDE = 28


class LeNet(nn.Module):
    """Images (n, 1, 28, 28) in [0, 1] to log-probabilities of ten digits."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(320, 50)
        self.fc1_drop = nn.Dropout()
        self.fc2 = nn.Linear(50, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        strokes = functional.relu(functional.max_pool2d(self.conv1(images), 2))
        parts = functional.relu(functional.max_pool2d(self.conv2_drop(self.conv2(strokes)), 2))
        hidden = self.fc1_drop(functional.relu(self.fc1(parts.flatten(1))))
        return functional.log_softmax(self.fc2(hidden), dim=1)


@contextmanager
def reproducible(seed: int) -> Iterator[None]:
    """Within, torch has this seed, one thread and deterministic algorithms only; then its settings are restored."""
    threads, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
            torch.use_deterministic_algorithms(deterministic)


def as_images(rows: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(rows, np.float32)).reshape(-1, 1, SIDE, SIDE)


def train(
    rows: np.ndarray, labels: np.ndarray, *, n_epochs: int, learning_rate: float, momentum: float, batch: int
) -> LeNet:
    """Stochastic gradient descent; every epoch takes all images in a new random order."""
    images, digits = as_images(rows), torch.from_numpy(np.asarray(labels, np.int64))
    network = LeNet().train()
    descent = torch.optim.SGD(network.parameters(), lr=learning_rate, momentum=momentum)
    for _ in range(n_epochs):
        for chosen in torch.randperm(len(images)).split(batch):
            descent.zero_grad()
            functional.nll_loss(network(images[chosen]), digits[chosen]).backward()
            descent.step()
    return network.eval()


def classify(network: LeNet, rows: np.ndarray) -> np.ndarray:
    """The most probable digit of each image."""
    with torch.no_grad():
        return np.concatenate([network(part).argmax(dim=1).numpy() for part in as_images(rows).split(1000)])
