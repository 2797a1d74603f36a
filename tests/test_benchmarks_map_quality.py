"""How maps are measured beside those of other methods: pieces, shape, outliers, kept maps, rules of a default."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.utils import Bunch

from benchmarks import large_sets, map_quality
from benchmarks.map_rules import above_densmap, beside_the_best, margins, outliers_kept, verdicts
from benchmarks.peer_maps import COMPARED, METHODS, wanted
from experiments.maps import DENSMAP_WEIGHTS, densmap_at, featmap_at
from lab.clusters import outlier_share
from lab.kept_maps import KeptMaps
from lab.map_scores import OUTLIERS, PIECES, TRUST
from lab.peers import PEERS
from lab.pieces import extent, linked, mean_pieces, pieces_per_class
from lab.quality import DENSITY, TEN_NEIGHBORS
from lab.shape import Shapes

WHOLE, BROKEN = "whole", "broken"


@pytest.fixture
def clouds(rng):
    """One class in one cloud, another in two, with three points astray."""
    centers = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [5.0, 5.0]], [100, 60, 40, 3], axis=0)
    labels = np.repeat([WHOLE, BROKEN, BROKEN, BROKEN], [100, 60, 40, 3])
    return centers + rng.uniform(-0.5, 0.5, centers.shape), labels


def test_pieces_of_planted_classes(clouds):
    embedding, labels = clouds
    assert pieces_per_class(embedding, labels) == {BROKEN: 2, WHOLE: 1}
    assert mean_pieces(embedding, labels) == 1.5
    assert pieces_per_class(1e3 * embedding + 7, labels) == {BROKEN: 2, WHOLE: 1}


def test_a_chain_is_one_piece_unless_a_step_is_too_long():
    chain = np.c_[np.arange(0, 100, 4.0), np.zeros(25)]  # steps of 4 % of the extent
    assert pieces_per_class(chain, np.zeros(25)) == {0: 1}
    assert pieces_per_class(np.delete(chain, 12, axis=0), np.zeros(24)) == {0: 2}


def test_few_points_far_away_do_not_lengthen_the_steps(clouds):
    embedding, labels = clouds
    assert extent(np.vstack([embedding, [1e4, 0.0]])) < 1.2 * extent(embedding)
    assert pieces_per_class(np.vstack([embedding, [1e4, 0.0]]), np.append(labels, WHOLE)) == {BROKEN: 2, WHOLE: 1}


def test_pieces_of_degenerate_maps():
    assert pieces_per_class(np.zeros((4, 2)), np.array([0, 0, 0, 1])) == {0: 1, 1: 1}


def test_linked_points_are_the_components_of_the_graph_of_short_steps(rng):
    points = rng.uniform(size=(200, 2))
    for step in (0.02, 0.05, 0.08):
        components = connected_components(cdist(points, points) < step)[1]
        groups = linked(points, step)
        assert ((groups[:, None] == groups) == (components[:, None] == components)).all()


def strip(rng):
    """Rows along a bent strip that is thirty times as long as wide around every point, in a space of four."""
    along, across = rng.uniform(0, 60, 900), rng.normal(0, 0.1, 900)
    angle = along / 20
    flat = np.c_[(20 + across) * np.cos(angle), (20 + across) * np.sin(angle)]
    return flat @ np.linalg.qr(rng.normal(size=(4, 2)))[0].T, flat


def test_a_map_that_equals_the_data_keeps_their_shape(rng):
    X, flat = strip(rng)
    shape = Shapes(X, n_rows=200).of(flat)
    assert shape.n_points == 200
    assert shape.correlation == pytest.approx(1, abs=1e-6)
    assert shape.elongation == pytest.approx(shape.elongation_of_data, abs=1e-6)
    assert shape.elongation_of_data > 1
    assert max(shape.angle, shape.median_angle) < 3
    assert shape.correlation_floor < 0.5
    assert shape.elongation_floor < 0.6 * shape.elongation
    assert shape.angle_floor > 15


def test_a_map_that_exchanges_long_and_short_is_told(rng):
    """Rows in a box, long along one axis; the map stretches the other."""
    X = rng.normal(size=(900, 2)) * [1.0, 0.05]
    shape = Shapes(X, n_rows=200).of(X * [1.0, 400.0])
    assert shape.elongation_of_data > 1
    assert shape.elongation < -1
    assert shape.angle > 60


def test_a_random_map_has_the_shape_of_its_floor(rng):
    X, _ = strip(rng)
    shape = Shapes(X).of(rng.normal(size=(900, 2)))
    assert shape.correlation == pytest.approx(0, abs=0.1)
    assert shape.elongation == pytest.approx(shape.elongation_floor, abs=0.05)
    assert shape.angle == pytest.approx(shape.angle_floor, abs=3)


def test_shape_does_not_depend_on_rotation_and_size_of_the_map(rng):
    X, flat = strip(rng)
    shapes = Shapes(X, n_rows=100)
    rotation = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    noisy = flat + rng.normal(size=flat.shape)
    assert asdict(shapes.of(7 * noisy @ rotation - 3)) == pytest.approx(asdict(shapes.of(noisy)))


def test_points_without_a_second_direction_have_no_shape(rng):
    line = np.c_[rng.uniform(size=300), np.zeros(300)]
    X = np.vstack([line, rng.normal(100, 1, (300, 2))])
    assert Shapes(X).of(X).n_points == 300


def test_outliers_are_what_lies_between_clusters(rng):
    clusters = rng.normal(0, 0.1, (200, 2)) + np.repeat([[0, 0], [50, 50]], 100, axis=0)
    astray = rng.uniform(-2000, 2000, (10, 2))
    assert outlier_share(clusters) < 0.2
    assert outlier_share(np.vstack([clusters, astray])) > 10 / 210 - 1e-9


def test_kept_maps_are_made_once_with_their_cost(tmp_path):
    calls = []

    def make(X, settings):
        calls.append(settings.seed)
        return X[:, :2] + settings.seed

    method = replace(PEERS["UMAP"], make=make)
    kept = KeptMaps(tmp_path, {"a method": method}, lambda name: Bunch(data=np.ones((5, 3)) * len(name)))
    assert not kept.has("data", "a method", 3)
    for _ in range(2):
        np.testing.assert_array_equal(kept.load("data", "a method", 3), np.full((5, 2), 7))
    assert calls == [3]
    assert set(kept.cost("data", "a method", 3)) == {"seconds", "cpu_seconds"}


def test_wanted_maps_are_of_known_methods_and_none_twice():
    maps = list(wanted())
    assert len(set(maps)) == len(maps)
    assert {method for _, method, _ in maps} <= set(METHODS)


def scored(trust, accuracy=0.9, density=0.5, outliers=0.1):
    return {TRUST: trust, TEN_NEIGHBORS: accuracy, DENSITY: density, OUTLIERS: outliers, PIECES: 1.0}


@pytest.fixture
def figures():
    """Two seeds of every method; ours at three weights."""
    methods = {method: {"0": scored(0.95), "1": scored(0.93)} for method in COMPARED}
    methods |= {densmap_at(weight): {"0": scored(0.9, density=0.6)} for weight in (0.5, 1.0, 4.0)}
    for weight, density in ((0.0, 0.5), (0.25, 0.8), (0.5, 0.9)):
        methods[featmap_at(weight)] = {"0": scored(0.95 - weight / 25, density=density)}
    return methods


def test_margins_of_a_weight_that_meets_all_rules(figures):
    found = margins(figures, 0.25)
    assert found["best: trust"] == pytest.approx(0.94 - 0.94 + 0.015)
    assert found["λ = 0: trust"] == pytest.approx(0.002)
    assert found["density"] == pytest.approx(0.05)
    assert min(found.values()) >= 0


def test_a_rule_that_is_broken_has_a_negative_margin(figures):
    assert margins(figures, 0.5)["λ = 0: trust"] == pytest.approx(-0.008)
    figures[featmap_at(0.5)]["0"] = scored(0.95, density=0.7, outliers=0.14)
    assert margins(figures, 0.5)["density"] == pytest.approx(-0.05)
    assert outliers_kept(figures, 0.5) == pytest.approx(-0.01)


def test_the_best_counts_only_where_our_map_without_density_is_beside_it(figures):
    figures["TriMap"] = {"0": scored(0.99)}
    assert beside_the_best(figures, 0.25, TRUST) is None
    figures["TriMap"] = {"0": scored(0.96)}
    assert beside_the_best(figures, 0.25, TRUST) == pytest.approx(-0.005)


def test_points_of_densmap_lie_below_our_curve(figures):
    figures[densmap_at(4.0)] = {"0": scored(0.949, density=0.6)}
    below = above_densmap(figures, [0.0, 0.25, 0.5], TRUST)
    assert list(below) == list(DENSMAP_WEIGHTS)
    assert below[0.5] == pytest.approx(0.95 - 0.01 / 3 - 0.9)
    assert below[4.0] == pytest.approx(-0.01 / 3 + 0.001)


def test_verdicts_show_what_is_broken(figures):
    of_half, of_trust, _ = verdicts({"data": figures}, [0.5])
    assert "| **-0.008** |" in of_half
    assert "4 of 4" in of_trust


def test_a_study_measures_what_is_missing_and_keeps_it(tmp_path, rng, monkeypatch, capsys):
    labels = np.repeat([0, 1, 2], 60)
    bunch = Bunch(data=(rng.normal(size=(180, 4)) + 5 * np.eye(4)[labels]).astype(np.float32), target=labels)
    plain = {method: replace(PEERS["UMAP"], make=lambda X, settings: X[:, :2]) for method in METHODS}
    monkeypatch.setattr(map_quality, "labelled", lambda name: bunch)
    monkeypatch.setattr(map_quality, "kept_in", lambda folder: KeptMaps(folder, plain, lambda name: bunch))
    out = tmp_path / "scores.json"
    arguments = ["--sets", "digits", "--seeds", "0", "--weights", "0.5", "--peers", str(tmp_path), "--out", str(out)]
    monkeypatch.setattr("sys.argv", ["map_quality", *arguments])
    map_quality.main()
    first = out.read_text()
    assert capsys.readouterr().out.count("digits: featMAP λ=") == 2
    scores = map_quality.Study.in_file(out).scores["digits"]
    assert set(scores) == {*COMPARED, *map(densmap_at, DENSMAP_WEIGHTS), featmap_at(0), featmap_at(0.5)}
    assert set(map_quality.METRICS) <= set(scores["UMAP"]["0"])
    assert map_quality.SHAPE in scores[featmap_at(0)]["0"]
    map_quality.main()
    assert out.read_text() == first
    assert "digits: featMAP λ=" not in capsys.readouterr().out


def test_rules_on_large_sets_are_read_from_the_comparison(tmp_path, monkeypatch, capsys):
    values = dict.fromkeys(COMPARED, 0.95) | {featmap_at(0): 0.95, featmap_at(0.25): 0.93}
    density = dict.fromkeys(COMPARED, 0.3) | {featmap_at(0): 0.3, featmap_at(0.25): 0.6}
    rows = {
        method: {TRUST: {"mean": value}, "knn_accuracy": {"mean": 0.9}, DENSITY: {"mean": density[method]}}
        for method, value in values.items()
    }
    page = tmp_path / "density.md"
    page.write_text("before <!-- large: begin --> old <!-- large: end --> after")
    monkeypatch.setattr(large_sets, "PAGE", page)
    monkeypatch.setattr(large_sets, "figures_of", lambda _: {"scores": dict.fromkeys(large_sets.SETS, rows)})
    large_sets.main()
    shown = "| **-0.005** | +0.015 | **-0.008** | +0.012 | +0.050 |"
    assert [f"| {data} {shown}" in page.read_text() for data in large_sets.SETS] == [True] * 3
    assert "0.930 / 0.900 / 0.600" in capsys.readouterr().out
