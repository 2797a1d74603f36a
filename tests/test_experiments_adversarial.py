"""The attack of the experiments: a step that stays within its bounds, from weights that come from the seed."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits

from featmap import MissingExtraError

EPSILON = 0.3
ROUNDING = 1e-6  # of a float32 sum of values up to 1
TRAINING = {"n_epochs": 6, "learning_rate": 0.02, "momentum": 0.9, "batch": 32}


@pytest.fixture(scope="module")
def digits():
    """Handwritten digits of 8 × 8 pixels, enlarged to 24 × 24 on a margin of 2."""
    images, labels = load_digits(return_X_y=True)
    enlarged = np.kron(images.reshape(-1, 8, 8) / 16, np.ones((3, 3)))
    return np.pad(enlarged, ((0, 0), (2, 2), (2, 2))).reshape(len(images), -1).astype(np.float32), labels


@pytest.fixture(scope="module")
def network(digits):
    pytest.importorskip("torch", reason="the attack needs torch: pip install 'featmap[experiments]'")
    return trained(digits, seed=0)


def trained(digits, seed, n_rows=None):
    from experiments.adversarial.lenet import reproducible, train

    images, labels = digits
    with reproducible(seed):
        return train(images[:n_rows], labels[:n_rows], **TRAINING)


def weights_of(network):
    return b"".join(values.numpy().tobytes() for values in network.state_dict().values())


def losses_of(network, images, labels):
    import torch

    from experiments.adversarial.fgsm import losses
    from experiments.adversarial.lenet import as_images

    with torch.no_grad():
        return losses(network, as_images(images), torch.from_numpy(labels)).numpy()


def test_the_network_reads_digits(network, digits):
    from experiments.adversarial.lenet import classify

    images, labels = digits
    assert np.mean(classify(network, images) == labels) > 0.9


def test_an_attack_stays_within_epsilon_and_the_range_of_pixels(network, digits):
    from experiments.adversarial.fgsm import fast_gradient_sign

    images, labels = digits
    attacked = fast_gradient_sign(network, images, labels, EPSILON)
    assert attacked.shape == images.shape
    assert attacked.dtype == np.float32
    assert np.abs(attacked - images).max() == pytest.approx(EPSILON, abs=ROUNDING)
    assert attacked.min() >= 0
    assert attacked.max() <= 1


def test_an_attack_raises_the_loss_of_nearly_all_images(network, digits):
    from experiments.adversarial.fgsm import fast_gradient_sign

    images, labels = digits
    attacked = fast_gradient_sign(network, images, labels, EPSILON)
    before, after = (losses_of(network, rows, labels) for rows in (images, attacked))
    assert np.mean(after > before) > 0.98


def test_an_image_is_attacked_the_same_in_any_batch(network, digits):
    from experiments.adversarial.fgsm import fast_gradient_sign

    images, labels = digits
    attacked = fast_gradient_sign(network, images, labels, EPSILON)
    alone = fast_gradient_sign(network, images[7:8], labels[7:8], EPSILON)
    assert np.mean(attacked[7] == alone[0]) > 0.99  # a slope next to 0 may round to the other side


def test_one_seed_one_network_whatever_torch_did_before(network, digits):
    import torch

    threads = torch.get_num_threads()
    first = weights_of(trained(digits, seed=3, n_rows=300))
    torch.rand(5)
    torch.set_num_threads(2)
    assert weights_of(trained(digits, seed=3, n_rows=300)) == first
    assert weights_of(trained(digits, seed=4, n_rows=300)) != first
    assert torch.get_num_threads() == 2
    torch.set_num_threads(threads)


def test_what_was_made_is_read(monkeypatch, tmp_path):
    from experiments.adversarial import attack

    made = []

    def arrays(settings):
        made.append(settings)
        return {"data": np.full((2, 784), 0.5, np.float32), "target": np.array([1, 8])}

    monkeypatch.setattr(attack, "CACHE", tmp_path)
    monkeypatch.setattr(attack, "attack", arrays)
    first, second = attack.attacked(quick=True), attack.attacked(quick=True)
    assert made == [attack.QUICK]
    np.testing.assert_array_equal(first.data, second.data)
    assert first.image_shape == (28, 28)
    assert len(first.feature_names) == 784
    attack.attacked()
    assert made == [attack.QUICK, attack.FULL]


def test_without_torch_the_error_names_the_extra(monkeypatch, tmp_path):
    from experiments.adversarial import attack

    monkeypatch.setattr(attack, "CACHE", tmp_path)
    for module in ("experiments.adversarial.lenet", "experiments.adversarial.fgsm"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"featmap\[experiments\]"):
        attack.attacked(quick=True)
