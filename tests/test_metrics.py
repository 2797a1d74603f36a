"""Each metric against another way to compute it, its bounds, and what it must not depend on."""

from __future__ import annotations

import inspect
import itertools
import pickle
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn import manifold
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import reference
from featmap import InvalidDataError, InvalidParameterError, explain, metrics
from featmap.kernels.ranks import count_before

least_stress = partial(metrics.normalized_stress, scale="best")
OF_RANKS = {"trustworthiness": metrics.trustworthiness, "continuity": metrics.continuity}
OF_PAIRS = {
    "shepard_goodness": metrics.shepard_goodness,
    "normalized_stress": metrics.normalized_stress,
    "scale_normalized_stress": least_stress,
}
OF_DENSITY = {"density_correlation": metrics.density_correlation, "density_slope": metrics.density_slope}
UNLABELLED = {**OF_RANKS, **OF_PAIRS, "random_triplet_accuracy": metrics.triplet_accuracy, **OF_DENSITY}
BENCHMARKED = UNLABELLED.keys() - {"density_slope"}  # a slope has no best value
THREADED = [*OF_RANKS.values(), metrics.triplet_accuracy, *OF_DENSITY.values(), metrics.arrow_fidelity]


@pytest.fixture(scope="module")
def blobs():
    """Four groups in six dimensions and their noisy first two coordinates, in steps that float32 holds exactly."""
    rng = np.random.default_rng(0)
    groups = rng.integers(4, size=240)
    X = rng.normal(size=(240, 6)) + 3 * rng.normal(size=(4, 6))[groups]
    X = np.round(X * 2**12) / 2**12
    return X, X[:, :2] + rng.normal(size=(240, 2)), groups


@pytest.fixture(scope="module")
def ten_digits():
    X, y = load_digits(return_X_y=True)
    return X, PCA(2, random_state=0).fit_transform(X), y


@pytest.fixture(scope="module")
def flat():
    """Data in a plane, and a rotation of the plane: a perfect map."""
    rng = np.random.default_rng(1)
    plane = rng.normal(size=(150, 2)) * np.exp(rng.normal(size=(150, 1)))
    basis = np.linalg.qr(rng.normal(size=(5, 2)))[0]
    rotated = plane @ np.linalg.qr(rng.normal(size=(2, 2)))[0]
    return plane @ basis.T, rotated


@pytest.mark.parametrize("k", [1, 5, 15, 119])
def test_ranks_are_scikit_learns(blobs, k):
    X, Y, _ = blobs
    ours = metrics.trustworthiness(X, Y, n_neighbors=k, n_sample=None)
    assert ours == pytest.approx(manifold.trustworthiness(X, Y, n_neighbors=k), abs=1e-9)
    ours = metrics.continuity(X, Y, n_neighbors=k, n_sample=None)
    assert ours == pytest.approx(manifold.trustworthiness(Y, X, n_neighbors=k), abs=1e-9)


def test_ranks_of_a_sample_are_among_all_points(blobs):
    """The mean of scikit-learn's penalty over the sampled points only, from a full order of all points."""
    X, Y, _ = blobs
    m, k, n_sample = len(X), 5, 40
    rows = np.random.default_rng(3).choice(m, n_sample, replace=False)
    in_data, on_map = (((A[:, None] - A) ** 2).sum(axis=2) for A in (X, Y))
    excess = 0
    for i in rows:
        order = [j for j in np.argsort(in_data[i]) if j != i]
        near = [j for j in np.argsort(on_map[i]) if j != i][:k]
        excess += sum(max(0, order.index(j) + 1 - k) for j in near)
    expected = 1 - 2 * excess / (n_sample * k * (2 * m - 3 * k - 1))
    ours = metrics.trustworthiness(X, Y, n_neighbors=k, n_sample=n_sample, random_state=3)
    assert ours == pytest.approx(expected, abs=1e-12)


def test_ranks_across_blocks_and_threads(blobs, monkeypatch):
    X, Y, _ = blobs
    whole = [metric(X, Y, n_jobs=1) for metric in OF_RANKS.values()]
    monkeypatch.setattr(metrics.ranks, "BYTES_OF_DISTANCES", 8 * len(X) * 7)
    assert [metric(X, Y, n_jobs=2) for metric in OF_RANKS.values()] == whole


def test_counts_before_with_ties():
    rng = np.random.default_rng(0)
    distances = rng.integers(4, size=(9, 30)).astype(float)
    columns = np.array([rng.choice(30, 6, replace=False) for _ in range(9)], dtype=np.int32)
    out = np.empty(columns.shape, np.int64)
    count_before(distances, columns, out)
    order = np.argsort(distances, axis=1, kind="stable")
    expected = [[list(row).index(column) for column in named] for row, named in zip(order, columns, strict=True)]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("k", [1, 2, 4, 8, 16, 32, 64])
def test_accuracy_is_scikit_learns(ten_digits, k):
    """Even numbers of neighbours, so that votes can be tied."""
    _, Y, labels = ten_digits
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    expected = cross_val_score(KNeighborsClassifier(k), Y, labels, cv=folds).mean()
    assert metrics.knn_accuracy(Y, labels, n_neighbors=k) == pytest.approx(expected, abs=1e-12)


def test_accuracies_of_many_k_are_averaged(ten_digits):
    _, Y, labels = ten_digits
    ks = (64, 2, 7, 2)
    alone = [metrics.knn_accuracy(Y, labels, n_neighbors=k, n_folds=5, random_state=1) for k in ks]
    assert metrics.knn_accuracy(Y, labels, n_neighbors=ks, n_folds=5, random_state=1) == np.mean(alone)


def test_accuracy_with_a_rare_class_and_named_labels(blobs):
    """A class in three of ten folds: no warning, and the same result as scikit-learn, which warns."""
    _, Y, groups = blobs
    names = np.array(["a", "b", "c", "d", "rare"])[groups]
    names[:3] = "rare"
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    with pytest.warns(UserWarning, match="least populated"):
        expected = cross_val_score(KNeighborsClassifier(4), Y, names, cv=folds).mean()
    assert metrics.knn_accuracy(Y, names, n_neighbors=4) == pytest.approx(expected, abs=1e-12)
    assert metrics.knn_accuracy(Y, names.astype(object), n_neighbors=4) == pytest.approx(expected, abs=1e-12)


def test_shepard_goodness_is_spearmans(blobs):
    X, Y, _ = blobs
    expected = spearmanr(pdist(X), pdist(Y)).statistic
    assert metrics.shepard_goodness(X, Y, n_sample=None) == pytest.approx(expected, abs=1e-9)


def test_stress_by_loops(blobs):
    X, Y, _ = blobs
    X, Y = X[:60], Y[:60]

    def stress(factor):
        above = below = 0.0
        for i, j in itertools.combinations(range(len(X)), 2):
            in_data, on_map = np.linalg.norm(X[i] - X[j]), factor * np.linalg.norm(Y[i] - Y[j])
            above += (in_data - on_map) ** 2
            below += in_data**2
        return above / below

    assert metrics.normalized_stress(X, Y, n_sample=None) == pytest.approx(stress(1), rel=1e-9)
    assert metrics.normalized_stress(X, Y, scale=3, n_sample=None) == pytest.approx(stress(3), rel=1e-9)
    least = least_stress(X, Y, n_sample=None)
    a, b = pdist(X), pdist(Y)
    assert least == pytest.approx(1 - (a @ b) ** 2 / ((a @ a) * (b @ b)), rel=1e-9)
    best = (a @ b) / (b @ b)
    assert least == pytest.approx(stress(best), rel=1e-9)
    assert least < min(stress(0.95 * best), stress(1.05 * best))


def test_centroid_triplets_by_loops(blobs):
    X, Y, groups = blobs
    in_data, on_map = ([A[groups == g].mean(axis=0) for g in range(4)] for A in (X, Y))
    kept = []
    for a in range(4):
        for b, c in itertools.combinations([g for g in range(4) if g != a], 2):
            nearer = [np.linalg.norm(A[a] - A[b]) < np.linalg.norm(A[a] - A[c]) for A in (in_data, on_map)]
            kept.append(nearer[0] == nearer[1])
    assert len(kept) == 12
    assert 0 < np.mean(kept) < 1  # else this data could not tell right from wrong
    assert metrics.triplet_accuracy(X, Y, groups) == np.mean(kept)
    assert metrics.triplet_accuracy(X, Y, np.array(list("wxyz"))[groups]) == np.mean(kept)


def test_random_triplets_approach_the_share_of_all(blobs):
    X, Y, _ = blobs
    X, Y = X[:40], Y[:40]
    in_data, on_map = (np.linalg.norm(A[:, None] - A, axis=2) for A in (X, Y))
    kept = [
        (in_data[i, j] < in_data[i, k]) == (on_map[i, j] < on_map[i, k])
        for i, j, k in itertools.permutations(range(40), 3)
    ]
    many = metrics.triplet_accuracy(X, Y, n_triplets=2000)
    assert many == pytest.approx(np.mean(kept), abs=4 * 0.5 / np.sqrt(40 * 2000))


def test_random_triplets_are_of_three_different_points():
    others = metrics.triplets.random_pairs(5, 400, 0)
    points = np.broadcast_to(np.arange(5)[:, None], others.shape[:2])
    assert (others[..., 0] != others[..., 1]).all()
    assert (others != points[..., None]).all()
    for i in range(5):  # all twelve ordered pairs of the other four, about equally often
        counts = np.unique(others[i], axis=0, return_counts=True)[1]
        assert len(counts) == 12
        assert counts.min() > 10


def test_density_by_loops(blobs):
    """Neighbours come in float32."""
    X, Y, _ = blobs
    x, y = (np.log(reference.distances_to(rows, 7)) for rows in (X, Y))
    assert metrics.density_correlation(X, Y, n_neighbors=7) == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-6)
    assert metrics.density_slope(X, Y, n_neighbors=7) == pytest.approx(np.polyfit(x, y, 1)[0], abs=1e-6)
    assert metrics.density_slope(X, X, n_neighbors=7) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_the_slope_of_density_is_the_power_of_distances(power):
    """Groups at scales of 1 to 100, drawn at these scales to a power."""
    rng = np.random.default_rng(0)
    shape, scales = rng.normal(size=(30, 2)), np.logspace(0, 2, 9)
    X = np.concatenate([1e4 * group + scale * shape for group, scale in enumerate(scales)])
    Y = np.concatenate([1e6 * group + scale**power * shape for group, scale in enumerate(scales)])
    exact = np.repeat(scales, 30)
    logs = np.log(reference.distances_to(shape, 5))
    expected = np.polyfit(np.tile(logs, 9) + np.log(exact), np.tile(logs, 9) + power * np.log(exact), 1)[0]
    assert metrics.density_slope(X, Y, n_neighbors=5) == pytest.approx(expected, abs=1e-4)
    assert expected == pytest.approx(power, abs=0.1)  # within a group both grow alike


def test_density_is_seen_where_neighbourhoods_are_torn(flat):
    """Every second row is moved far away, with a copy of its surroundings: all distances to the nearest stay."""
    X, Y = flat
    data, torn = np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0)
    data[1::2] += 1e-3
    torn[1::2] += 1000
    assert metrics.density_correlation(data, torn, n_neighbors=10) > 0.9


@pytest.mark.parametrize("name", OF_DENSITY)
def test_copies_have_no_distance(name, blobs):
    """Where all neighbours of a point are copies of it, it is left out rather than minus infinity."""
    metric, (X, Y, _) = OF_DENSITY[name], blobs
    far = np.linspace(1e6, 2e6, 18).reshape(9, 2)  # no copies on the map, and no neighbours of the others
    with_copies, embedding = np.vstack([X, np.repeat(X[:1] + 99, 9, axis=0)]), np.vstack([Y, far])
    expected = pytest.approx(metric(X, Y, n_neighbors=7), abs=1e-12)
    assert metric(with_copies, embedding, n_neighbors=7) == expected
    assert metric(np.ones((20, 2)), Y[:20], n_neighbors=3) == 0
    assert metric(X[:20], np.ones((20, 2)), n_neighbors=3) == 0


def test_a_perfect_map_is_perfect(flat):
    X, Y = flat
    groups = np.arange(len(X)) % 5
    assert [metric(X, Y) for metric in OF_RANKS.values()] == [1, 1]
    assert metrics.shepard_goodness(X, Y) == pytest.approx(1, abs=1e-6)
    assert metrics.normalized_stress(X, Y) == pytest.approx(0, abs=1e-12)
    assert least_stress(X, Y) == pytest.approx(0, abs=1e-12)
    assert metrics.triplet_accuracy(X, Y, groups) == metrics.triplet_accuracy(X, Y) == 1
    for metric in OF_DENSITY.values():
        assert metric(X, Y) == pytest.approx(1, abs=1e-7)  # distances to neighbours are float32
    assert metrics.knn_accuracy(np.repeat(np.eye(5), 30, axis=0), np.repeat(range(5), 30), n_neighbors=(1, 2)) == 1


def test_a_map_that_tells_nothing(blobs):
    X, _, groups = blobs
    noise = np.random.default_rng(5).normal(size=(len(X), 2))
    for metric in [*OF_RANKS.values(), metrics.triplet_accuracy]:
        assert metric(X, noise) == pytest.approx(0.5, abs=0.06)
    for metric in (metrics.shepard_goodness, metrics.density_correlation):
        assert metric(X, noise) == pytest.approx(0, abs=0.2)
    assert metrics.knn_accuracy(noise, groups) < 0.4
    assert metrics.shepard_goodness(X, np.zeros((len(X), 2))) == 0
    assert metrics.normalized_stress(X, np.zeros((len(X), 2))) == 1
    assert least_stress(X, np.zeros((len(X), 2))) == 1


def test_size_position_and_rotation_of_the_map_do_not_matter(blobs):
    X, Y, groups = blobs
    rotation = np.linalg.qr(np.random.default_rng(2).normal(size=(2, 2)))[0]
    moved = 17 * Y @ rotation + 100
    for name, metric in UNLABELLED.items():
        if name != "normalized_stress":
            assert metric(X, moved) == pytest.approx(metric(X, Y), abs=1e-9), name
    stress = metrics.normalized_stress(X, Y)
    assert metrics.normalized_stress(X, Y @ rotation + 100) == pytest.approx(stress, abs=1e-9)
    assert metrics.normalized_stress(X, moved) > 2 * stress
    assert metrics.triplet_accuracy(X, moved, groups) == metrics.triplet_accuracy(X, Y, groups)
    assert metrics.knn_accuracy(moved, groups) == metrics.knn_accuracy(Y, groups)


@pytest.mark.parametrize("name", [*UNLABELLED, "centroid_triplet_accuracy"])
def test_the_form_of_the_data_does_not_matter(ten_digits, name):
    """Integers, float32, CSR, large offsets; and nothing that came in is changed."""
    X, Y, labels = (part[:400] for part in ten_digits)
    score = UNLABELLED.get(name, partial(metrics.triplet_accuracy, labels=labels))
    before = X.copy(), Y.copy()
    expected = score(X, Y)
    assert isinstance(expected, float)
    assert score(X, Y) == expected
    assert score(X.astype(np.uint8), Y) == expected
    assert score(X.astype(np.float32), Y) == expected
    assert score(X + 1e6, Y) == pytest.approx(expected, abs=1e-9)
    assert score(sp.csr_matrix(X), Y) == pytest.approx(expected, abs=1e-9)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(Y, before[1])


@pytest.mark.parametrize("name", [*OF_RANKS, *OF_PAIRS])
def test_a_sample_is_drawn_from_the_seed_and_stands_for_all(ten_digits, name):
    metric, (X, Y, _) = UNLABELLED[name], ten_digits
    everything = metric(X, Y, n_sample=None)
    samples = [metric(X, Y, n_sample=500, random_state=seed) for seed in (0, 0, 1)]
    assert samples[0] == samples[1] != samples[2]
    assert samples == pytest.approx([everything] * 3, abs=0.02)
    assert metric(X, Y, n_sample=10**6) == everything


def test_triplets_and_folds_are_drawn_from_the_seed(blobs):
    X, Y, groups = blobs
    for score in (partial(metrics.triplet_accuracy, X, Y), partial(metrics.knn_accuracy, Y, groups)):
        first, again, other = (score(random_state=seed) for seed in (0, 0, 1))
        assert first == again != other


def test_benchmark_is_the_functions_together(ten_digits):
    X, Y, labels = ten_digits
    options = {"n_neighbors": 10, "n_sample": 300, "random_state": 4}
    benchmark = metrics.Benchmark(X, labels, **options)
    for embedding in (Y, Y[:, ::-1] ** 3):
        scores = benchmark.score(embedding)
        expected = {
            "centroid_triplet_accuracy": metrics.triplet_accuracy(X, embedding, labels),
            "knn_accuracy": metrics.knn_accuracy(embedding, labels, random_state=4),
        }
        for name in BENCHMARKED:
            metric = UNLABELLED[name]
            known = inspect.signature(metric).parameters
            expected[name] = metric(X, embedding, **{key: options[key] for key in options if key in known})
        assert scores == pytest.approx(expected, abs=1e-12)
    assert metrics.Benchmark(X, n_sample=300).score(Y).keys() == BENCHMARKED
    two = metrics.Benchmark(X, labels > 4, n_sample=300).score(Y)
    assert set(two) - BENCHMARKED == {"knn_accuracy"}


def test_benchmark_can_be_kept_and_scores_the_same_on_any_number_of_threads(blobs):
    X, Y, groups = blobs
    one, two = (metrics.Benchmark(X, groups, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert pickle.loads(pickle.dumps(one)).score(Y) == one.score(Y) == two.score(Y)


def test_arrow_fidelity_is_the_median_of_the_explanation(blobs):
    X, Y, _ = blobs
    ours = metrics.arrow_fidelity(X, Y, kind="map", n_neighbors=40, n_sample=None)
    assert ours == np.median(explain(X, Y).fidelity(kind="map", n_neighbors=40))
    first, second = (metrics.arrow_fidelity(X, Y, kind="map", n_sample=50, random_state=seed) for seed in (0, 1))
    assert first != second


ARGUMENT_ERRORS = [
    (metrics.trustworthiness, {"n_neighbors": 120}, r"trustworthiness\(n_neighbors=120\).* 1 to 119"),
    (metrics.continuity, {"n_neighbors": 0}, r"continuity\(n_neighbors=0\)"),
    (metrics.trustworthiness, {"n_neighbors": 2.5}, r"n_neighbors=2.5"),
    (metrics.shepard_goodness, {"n_sample": 1}, r"^shepard_goodness\(n_sample=1\).*None"),
    *(
        (metrics.normalized_stress, {"scale": scale}, r"^normalized_stress\(scale=")
        for scale in (0, -1.0, np.inf, np.nan, True, "least", None, 10**400)
    ),
    (metrics.density_correlation, {"n_neighbors": 240}, r"n_neighbors=240\).* 1 to 239"),
    (metrics.density_slope, {"n_neighbors": 0}, r"^density_slope\(n_neighbors=0\)"),
    (metrics.triplet_accuracy, {"n_triplets": 0}, r"n_triplets=0\)"),
    (metrics.knn_accuracy, {"n_neighbors": (2, 217)}, r"n_neighbors=217\).* 1 to 216"),
    (metrics.knn_accuracy, {"n_neighbors": ()}, r"at least one"),
    (metrics.knn_accuracy, {"n_folds": 1}, r"^knn_accuracy\(n_folds=1\)"),
    (metrics.knn_accuracy, {"labels": np.arange(240)}, r"no label has more than 1 rows"),
    (metrics.Benchmark, {"n_neighbors": 120}, r"Benchmark\(n_neighbors=120\)"),
    (metrics.Benchmark, {"X": np.eye(60), "labels": np.arange(60) % 4}, r"Benchmark: knn_accuracy\(n_neighbors=64\)"),
]


@pytest.mark.parametrize(("metric", "options", "message"), ARGUMENT_ERRORS)
def test_arguments_out_of_bounds(blobs, metric, options, message):
    known = inspect.signature(metric).parameters
    usual = {name: part for name, part in zip(("X", "Y", "labels"), blobs, strict=True) if name in known}
    with pytest.raises(InvalidParameterError, match=message):
        metric(**{**usual, **options})


ROWS_MISSING = r"Y must have one row for each of the 240 rows of X; got 239$"
ONE_LABEL = r"one label per row, shape \(240,\)"
MISSING = r"labels are missing; leave those"
DATA_ERRORS = [
    (lambda X, Y, g: metrics.trustworthiness(X, Y[1:]), rf"^trustworthiness\(Y\): {ROWS_MISSING}"),
    (lambda X, Y, g: metrics.Benchmark(X).score(Y[1:]), rf"^Benchmark.score\(Y\): {ROWS_MISSING}"),
    (lambda X, Y, g: metrics.continuity(np.where(X > 2, np.nan, X), Y), r"^continuity\(X\): .*NaN.*SimpleImputer"),
    (lambda X, Y, g: metrics.continuity(X, sp.csr_matrix(Y)), r"^continuity\(Y\): .*toarray"),
    (lambda X, Y, g: metrics.shepard_goodness(X, Y + np.inf), r"^shepard_goodness\(Y\): .*infinity.*replace"),
    (lambda X, Y, g: metrics.shepard_goodness(X * 0, Y), "all sampled rows of X are equal"),
    (lambda X, Y, g: metrics.density_correlation(X[:, 0], Y), r"^density_correlation\(X\): .*reshape"),
    (lambda X, Y, g: metrics.triplet_accuracy(X, Y, g > 1), "at least 3 groups"),
    (
        lambda X, Y, g: metrics.triplet_accuracy(X, Y, g[1:]),
        rf"^triplet_accuracy\(labels=…\): .*{ONE_LABEL}; got .*239",
    ),
    (lambda X, Y, g: metrics.triplet_accuracy(X[:2], Y[:2]), "at least 3 rows"),
    (lambda X, Y, g: metrics.knn_accuracy(Y, None), rf"^knn_accuracy\(labels=…\): .*{ONE_LABEL}"),
    (lambda X, Y, g: metrics.knn_accuracy(Y, np.where(g > 1, np.nan, g)), rf"\d+ {MISSING}"),
    (lambda X, Y, g: metrics.knn_accuracy(Y, ["a", None] * 120), f"120 {MISSING}"),
    (lambda X, Y, g: metrics.knn_accuracy(Y, ["a", float("nan")] * 120), f"120 {MISSING}"),
    (lambda X, Y, g: metrics.knn_accuracy(Y, np.ma.masked_array(g, g > 1)), r"\d+ labels are missing"),
    (
        lambda X, Y, g: metrics.knn_accuracy(Y, np.array([1, "a"] * 120, object)),
        "cannot be compared.*all of them strings",
    ),
    (lambda X, Y, g: metrics.knn_accuracy(Y, [[1], [1, 2]] * 120), "labels cannot be compared.*one label"),
    (lambda X, Y, g: metrics.Benchmark(X, g[1:]), r"^Benchmark\(labels=…\): "),
]


@pytest.mark.parametrize(("call", "message"), DATA_ERRORS)
def test_data_that_cannot_be_used(blobs, call, message):
    with pytest.raises(InvalidDataError, match=message):
        call(*blobs)


# The metrics refuse what FeatMAP refuses.
REFUSED = {
    "masked": lambda table: np.ma.masked_array(table, table > 1),
    "dates": lambda table: (table * 1e9).astype("M8[ns]"),
    "durations": lambda table: (table * 1e9).astype("m8[ns]"),
    "objects": lambda table: np.full(table.shape, object()),
    "texts": lambda table: table.astype(str),
    "complex": lambda table: table + 0j,
    "beyond float64": lambda table: table.astype(np.longdouble) * np.longdouble("1e4000"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_of_numbers_is_refused(case, blobs):
    X, Y, groups = blobs
    spoil = REFUSED[case]
    for call, name in (
        (lambda: metrics.trustworthiness(spoil(X), Y), r"trustworthiness\(X\)"),
        (lambda: metrics.Benchmark(spoil(X)), r"Benchmark\(X\)"),
        (lambda: metrics.trustworthiness(X, spoil(Y)), r"trustworthiness\(Y\)"),
        (lambda: metrics.knn_accuracy(spoil(Y), groups), r"knn_accuracy\(Y\)"),
    ):
        with pytest.raises(InvalidDataError, match=f"^{name}: .*; "):
            call()


@pytest.mark.parametrize("metric", THREADED)
@pytest.mark.parametrize("n_jobs", [0, 1.5, "all"])
def test_threads_are_counted_by_the_rule_of_featmap(metric, n_jobs, blobs):
    X, Y, _ = blobs
    with pytest.raises(InvalidParameterError, match=rf"^{metric.__name__}\(n_jobs=.*-1 for all cores"):
        metric(X, Y, n_jobs=n_jobs)
    with pytest.raises(InvalidParameterError, match=r"^Benchmark\(n_jobs="):
        metrics.Benchmark(X, n_jobs=n_jobs)
