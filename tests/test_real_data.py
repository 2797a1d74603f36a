"""What is claimed on real data, measured beside umap-learn in the same run. Needs FEATMAP_DATA."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from quality import (
    cross_validated_accuracy,
    data_neighbors,
    held_out_accuracy,
    isotropic_correlation,
    sampled_trustworthiness,
)

from featmap import FeatMAP
from featmap.data.scaling import scale_data
from featmap.layout.density import exact_map_radii
from featmap.neighbors.exact import ExactSearch
from featmap.neighbors import find_neighbors, make_search
from featmap.run import Run
from featmap.pipeline import Curve
from featmap.layout.radii import correlation, log_radii
from featmap.values import Frames

pytestmark = pytest.mark.slow

EPOCHS = 500


def both_parts(file):
    return np.concatenate([file["X_train"], file["X_test"]]), np.concatenate([file["y_train"], file["y_test"]])


def umap_map(umap, X, **parameters):
    return umap.UMAP(n_epochs=EPOCHS, random_state=0, n_jobs=1, **parameters).fit_transform(X.astype(np.float32))


def our_model(X, weight):
    return FeatMAP(n_epochs=EPOCHS, density_weight=weight, random_state=0).fit(X)


@pytest.fixture(scope="module")
def mnist(data_set):
    return both_parts(data_set("mnist"))


@pytest.fixture(scope="module")
def mnist_neighbors(mnist):
    return data_neighbors(mnist[0])


@pytest.fixture(scope="module")
def digit_one(mnist):
    X, y = mnist
    return X[y == 1]


def test_recall_of_true_neighbors(mnist):
    X, _ = mnist
    rows = np.random.default_rng(0).choice(len(X), 1000, replace=False)
    with Run(-1) as run:
        features = scale_data(X)
        found = find_neighbors(make_search(features, X, "euclidean", run), features.matrix, 14, run)
        exact, _ = ExactSearch(features.matrix).nearest(features.matrix[rows], 15, run)
    recall = np.mean([len(set(true) & set(found.indices[row])) / 14 for row, true in zip(rows, exact, strict=True)])
    print(f"\nrecall of 14 neighbours on MNIST: {recall:.4f}")
    assert recall >= 0.97


@pytest.mark.parametrize("name", ["mnist", "fashion_mnist"])
def test_without_density_it_ties_umap(name, data_set, umap):
    X, y = both_parts(data_set(name))
    ours, theirs = our_model(X, 0).embedding_, umap_map(umap, X)
    accuracy = held_out_accuracy(ours, y), held_out_accuracy(theirs, y)
    trust = sampled_trustworthiness(X, ours), sampled_trustworthiness(X, theirs)
    print(f"\n{name}: accuracy {accuracy[0]:.4f} (UMAP {accuracy[1]:.4f}), trust {trust[0]:.4f} ({trust[1]:.4f})")
    assert accuracy[0] >= accuracy[1] - 0.003
    assert trust[0] >= trust[1] - 0.003


def test_without_density_it_ties_umap_on_coil20(data_set, umap):
    file = data_set("coil20")
    X, y = file["X"].reshape(1440, -1), file["y"]
    ours, theirs = our_model(X, 0).embedding_, umap_map(umap, X)
    accuracy = cross_validated_accuracy(ours, y), cross_validated_accuracy(theirs, y)
    trust = sampled_trustworthiness(X, ours), sampled_trustworthiness(X, theirs)
    print(f"\ncoil20: accuracy {accuracy[0]:.4f} (UMAP {accuracy[1]:.4f}), trust {trust[0]:.4f} ({trust[1]:.4f})")
    assert accuracy[0] >= accuracy[1] - 0.02
    assert trust[0] >= trust[1] - 0.003


def test_density_at_the_default_weight(mnist, mnist_neighbors):
    X, y = mnist
    Y = our_model(X, 0.5).embedding_
    accuracy, trust = held_out_accuracy(Y, y), sampled_trustworthiness(X, Y)
    radii = isotropic_correlation(mnist_neighbors, Y)
    print(f"\nMNIST at 0.5: accuracy {accuracy:.4f}, trustworthiness {trust:.4f}, radii {radii:.4f}")
    assert accuracy >= 0.960
    assert trust >= 0.937
    assert radii >= 0.74


def test_density_at_weight_two_is_ahead_of_densmap(mnist, mnist_neighbors, umap):
    """In radii, and in trustworthiness. DensMAP's accuracy differs by 0.015 between seeds, on both sides of ours."""
    X, y = mnist
    ours, theirs = our_model(X, 2.0).embedding_, umap_map(umap, X, densmap=True)
    accuracy = held_out_accuracy(ours, y), held_out_accuracy(theirs, y)
    trust = sampled_trustworthiness(X, ours), sampled_trustworthiness(X, theirs)
    radii = isotropic_correlation(mnist_neighbors, ours), isotropic_correlation(mnist_neighbors, theirs)
    print(
        f"\nMNIST at 2 (densMAP): accuracy {accuracy[0]:.4f} ({accuracy[1]:.4f}), "
        f"trustworthiness {trust[0]:.4f} ({trust[1]:.4f}), radii {radii[0]:.4f} ({radii[1]:.4f})"
    )
    assert accuracy[0] >= 0.94
    assert trust[0] > trust[1]
    assert radii[0] > radii[1]


def test_digit_one_keeps_its_density(digit_one, umap):
    """Along both directions, against UMAP's map measured with the same frames-and-radii recipe."""
    models = {weight: our_model(digit_one, weight) for weight in (0, 0.25, 0.5, 0.75, 1.0, 1.25)}
    along = {weight: model.density_correlation_ for weight, model in models.items()}
    theirs = radii_correlation_of(models[0], umap_map(umap, digit_one))
    print(f"\ndigit 1: { ({weight: values.round(3).tolist() for weight, values in along.items()}) }")
    print(f"UMAP {theirs.round(3).tolist()}")
    assert (along[0.5] >= 0.8).all()
    assert (theirs < 0.4).all()
    means = np.array([along[weight].mean() for weight in sorted(along)])
    assert (np.diff(means) > -0.01).all()


def test_arrows_are_true_on_mnist(mnist):
    """Medians over 1,000 rows, K = 300: tangent arrows reach most of what linear arrows can."""
    model = our_model(mnist[0], 0.5)
    rows = np.sort(np.random.default_rng(0).choice(70_000, 1000, replace=False))
    found = {kind: float(np.median(model.fidelity(rows, kind))) for kind in ("random", "frame", "tangent", "map")}
    print(f"\nfidelity on MNIST: { ({kind: round(value, 3) for kind, value in found.items()}) }")
    assert abs(found["random"]) < 0.02
    assert found["tangent"] >= 0.7 * found["map"]
    assert found["map"] > 0.15


def radii_correlation_of(model, Y):
    """density_correlation_ of another map of the same data: frames fitted to it, radii along them."""
    from featmap.tangents.alignment import connect
    from featmap.frames import fit_frames

    fitted = model._points.mapped.manifold
    with Run(-1) as run:
        connection = connect(fitted.features, fitted.tangents, fitted.graph, 2, run)
        frames: Frames = fit_frames("aligned", Y.astype(np.float32), fitted.graph, connection, 15, 0, run)
        on_map = log_radii(exact_map_radii(Y, fitted.graph, frames, Curve.fit(0.1, 1.0), run))
    return correlation(model.radii_, on_map)


FIT_IN_ITS_OWN_PROCESS = """
    import json, time
    import numpy as np
    {imports}

    def resident(key):
        status = open("/proc/self/status").read()
        return int(status.split(key + ":")[1].split()[0]) / 2**20

    file = np.load({path!r})
    X = np.empty((70000, 784), np.float32)
    X[:60000], X[60000:] = file["X_train"], file["X_test"]
    {make}.fit(X[:5000, ::16])
    before, cpu = resident("VmRSS"), time.process_time()
    {make}.fit(X)
    print(json.dumps({{"cpu": time.process_time() - cpu, "gigabytes": resident("VmHWM") - before}}))
"""


def cost_of(imports, make):
    path = os.path.join(os.environ["FEATMAP_DATA"], "mnist.npz")
    code = textwrap.dedent(FIT_IN_ITS_OWN_PROCESS).format(imports=imports, make=make, path=path)
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    return json.loads(result.stdout.splitlines()[-1])


def test_costs_less_than_umap(data_set):
    """CPU seconds of both, each in its own process, compiled before; memory beyond what was there with the data."""
    data_set("mnist")
    ours = cost_of("from featmap import FeatMAP", "FeatMAP(random_state=0)")
    theirs = cost_of("from umap import UMAP", "UMAP(n_epochs=500)")
    print(f"\nMNIST 70,000: featMAP {ours}, UMAP {theirs}")
    assert ours["cpu"] < theirs["cpu"]
    assert ours["gigabytes"] < 1.5
