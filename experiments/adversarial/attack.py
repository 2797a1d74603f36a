"""MNIST's test images after an attack on a LeNet that was trained here; made once and kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from featmap import MissingExtraError
from lab.data.images import load_images
from lab.files import replacing

from ..report import CACHE

N_TRAIN = 60_000  # of MNIST, which come before the images to test


@dataclass(frozen=True)
class Settings:
    """Everything but the data that the attacked images depend on."""

    n_train: int = N_TRAIN
    n_test: int = 10_000
    n_epochs: int = 10
    learning_rate: float = 0.01
    momentum: float = 0.5
    batch: int = 64
    epsilon: float = 0.3
    seed: int = 0

    @property
    def file(self) -> Path:
        return CACHE / "adversarial" / (", ".join(f"{name} {value}" for name, value in asdict(self).items()) + ".npz")


FULL = Settings()
# Larger steps, or one epoch of so few images would not teach it to read.
QUICK = Settings(n_train=5_000, n_test=1_000, n_epochs=1, learning_rate=0.05, momentum=0.9, batch=32)


def attacked(quick: bool = False) -> Bunch:
    """The attacked images, with their labels, the classifier's before and after, and the images as they were."""
    return attacked_with(QUICK if quick else FULL)


def other_settings(quick: bool) -> list[Settings]:
    """Settings of further classifiers, trained for a shorter time from other seeds."""
    if quick:
        return [replace(QUICK, seed=1)]
    return [replace(FULL, n_epochs=3, seed=seed) for seed in (1, 2)]


def attacked_with(settings: Settings) -> Bunch:
    """The attacked images, made now or read from the file of an earlier run."""
    if not settings.file.exists():
        keep(settings.file, attack(settings))
    with np.load(settings.file) as arrays:
        kept = dict(arrays)
    names = [f"r{row}c{column}" for row in range(28) for column in range(28)]
    return Bunch(**kept, image_shape=(28, 28), feature_names=names)


def attack(settings: Settings) -> dict[str, np.ndarray]:
    """Train, then attack all images to test, also those that were misread before."""
    try:
        from .fgsm import fast_gradient_sign
        from .lenet import classify, reproducible, train
    except ImportError as error:
        raise MissingExtraError("the attack needs torch: pip install 'featmap[experiments]'") from error
    mnist = load_images("MNIST")
    images, labels = mnist.data / 255, mnist.target
    clean, target = (part[N_TRAIN : N_TRAIN + settings.n_test] for part in (images, labels))
    with reproducible(settings.seed):
        network = train(
            images[: settings.n_train],
            labels[: settings.n_train],
            n_epochs=settings.n_epochs,
            learning_rate=settings.learning_rate,
            momentum=settings.momentum,
            batch=settings.batch,
        )
        data = fast_gradient_sign(network, clean, target, settings.epsilon)
        before, after = classify(network, clean), classify(network, data)
    return {"data": data, "target": target, "predicted": after, "predicted_before": before, "clean": clean}


def keep(path: Path, arrays: dict[str, np.ndarray]) -> None:
    with replacing(path) as temporary:
        np.savez_compressed(temporary, **arrays)
