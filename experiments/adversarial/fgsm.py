"""The fast gradient sign method (Goodfellow et al. 2014): one step of ε in every pixel, up the classifier's loss."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from .lenet import as_images


def losses(network: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The negative log-probability of each image's label."""
    return functional.nll_loss(network(images), labels, reduction="none")


def fast_gradient_sign(network: nn.Module, rows: np.ndarray, labels: np.ndarray, epsilon: float) -> np.ndarray:
    """The attacked images, in [0, 1]; the network has to be in evaluation mode."""
    digits = torch.from_numpy(np.asarray(labels, np.int64))
    parts = zip(as_images(rows).split(1000), digits.split(1000), strict=True)
    return np.concatenate([_step(network, images, part, epsilon) for images, part in parts]).reshape(len(rows), -1)


def _step(network: nn.Module, images: torch.Tensor, labels: torch.Tensor, epsilon: float) -> np.ndarray:
    images = images.clone().requires_grad_()
    (slope,) = torch.autograd.grad(losses(network, images, labels).sum(), images)
    return (images.detach() + epsilon * slope.sign()).clamp(0, 1).numpy()
