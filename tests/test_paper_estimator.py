"""FeatMAP.paper: the printed method as an estimator, which answers what FeatMAP answers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import printed
from featmap import FeatMAP, InvalidParameterError, PaperFeatMAP, StoreError
from featmap.layout.similarity import Curve
from featmap.paper import layout

QUICK = {"n_epochs": 60, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    """Groups of different widths, with a few copies."""
    rng = np.random.default_rng(4)
    X = rng.normal(0, 10, (4, 6))[rng.integers(4, size=400)]
    X += rng.normal(size=X.shape) * rng.lognormal(0, 0.8, (400, 1)) * [3, 2, 1, 1, 1, 1]
    X[:5] = X[5]
    return X


@pytest.fixture(scope="module")
def model(data):
    return FeatMAP.paper(**QUICK).fit(data)


def bytes_of(model):
    arrays = model.embedding_, model.frames_, model.radii_, model.embedding_radii_, model.radius_correlation_
    return [array.tobytes() for array in (*arrays, model.graph_.data, model.singular_values_, model.intrinsic_dim_)]


def test_it_has_the_parameters_of_the_paper():
    model = FeatMAP.paper()
    assert isinstance(model, PaperFeatMAP)
    assert (model.n_neighbors, model.density_weight, model.n_epochs) == (15, 0.5, 500)
    assert repr(FeatMAP.paper(density_weight=1, n_epochs=100)) == "PaperFeatMAP(density_weight=1, n_epochs=100)"
    assert clone(FeatMAP.paper(30, 3, n_jobs=2)).get_params() == FeatMAP.paper(30, 3, n_jobs=2).get_params()


def test_its_symbols_are_those_of_the_paper(model, data):
    P, (neighbors, _) = model.graph_.toarray().astype(np.float64), model.neighbors_
    sigma = model.singular_values_.astype(np.float64)
    assert np.allclose(model.radii_, printed.logs(sigma[:, :2] ** 2), atol=1e-5)
    assert np.allclose(
        model.radii_[9:], printed.logs(printed.radii_of_data(data, neighbors, P)[:, :2])[9:], atol=1e-3
    )
    curve, frames = Curve.fit(0.1, 1.0), model.frames_.astype(np.float64)
    on_map = printed.radii_of_map(model.embedding_.astype(np.float64), neighbors, frames, curve.a, curve.b)
    assert np.allclose(model.embedding_radii_, printed.logs(on_map), atol=1e-6)
    expected = printed.correlations(model.radii_, model.embedding_radii_)
    assert np.allclose(model.radius_correlation_, expected, atol=1e-6)


def test_density_raises_the_correlation_along_each_direction(digits):
    without, model = (FeatMAP.paper(density_weight=weight, random_state=0).fit(digits) for weight in (0, 0.5))
    assert (model.radius_correlation_ > without.radius_correlation_ + 0.3).all()


def test_without_density_it_is_the_layout_of_umap(data):
    """The print says that λ = 0 corresponds to UMAP."""
    plain = FeatMAP(density=0, n_epochs=60, random_state=0).fit(data)
    assert np.array_equal(FeatMAP.paper(density_weight=0, **QUICK).fit(data).embedding_, plain.embedding_)


def test_the_model_has_the_frames_neighbours_and_radii_of_the_force(data, monkeypatch):
    """The layout has an order of its own, and the model that of the rows."""
    held = {}

    def kept(name):
        make = getattr(layout, name)
        monkeypatch.setattr(layout, name, lambda *given: held.setdefault(name, make(*given)))

    kept("find_start")
    kept("AnisotropicDensity")
    model = FeatMAP.paper(**QUICK).fit(data)
    order, force = held["find_start"][0], held["AnisotropicDensity"]
    assert np.isclose(force.weight, 0.5 * model.graph_.sum(dtype=np.float64), rtol=1e-6)
    value = force.value(order.into_layout(model.embedding_))
    assert np.isclose(value, force.weight * model.radius_correlation_.sum(), rtol=1e-6)


def test_density_acts_in_the_last_three_tenths_of_the_epochs(data):
    """The rate falls over all epochs, so two fits are the same until density begins."""
    places = {}
    for weight in (0, 0.5):
        for epoch in (42, 43):
            stop = lambda stage, done, total, epoch=epoch: stage == "layout" and done == epoch  # noqa: E731
            fitted = FeatMAP.paper(density_weight=weight, **QUICK).fit(data, callback=stop)
            assert fitted.n_epochs_ == epoch
            places[weight, epoch] = fitted.embedding_
    assert np.array_equal(places[0, 42], places[0.5, 42])
    assert not np.array_equal(places[0, 43], places[0.5, 43])


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_one_seed_is_one_map_on_any_number_of_threads(data, dim):
    fits = [FeatMAP.paper(n_components=dim, n_jobs=n_jobs, **QUICK).fit(data) for n_jobs in (1, 2)]
    assert bytes_of(fits[0]) == bytes_of(fits[1])
    assert fits[0].radius_correlation_.shape == (dim,)


def test_units_change_nothing_but_the_radii_of_the_data(model, data):
    scaled = FeatMAP.paper(**QUICK).fit(data * 2.0**40)
    assert np.array_equal(scaled.embedding_, model.embedding_)
    assert np.allclose(scaled.radii_ - model.radii_, 80 * np.log(2))


@pytest.mark.parametrize(
    "X",
    [
        np.ones((20, 3)),
        np.arange(12.0).reshape(3, 4),
        np.arange(30.0)[:, None],
        sp.random(200, 30, 0.1, format="csr", random_state=0),
    ],
    ids=["copies", "three rows", "one feature", "sparse"],
)
@pytest.mark.filterwarnings("ignore::featmap.FeatmapWarning")
def test_awkward_data_have_finite_maps(X):
    model = FeatMAP.paper(n_epochs=10, random_state=0).fit(X)
    arrays = model.embedding_, model.frames_, model.radii_, model.embedding_radii_, model.radius_correlation_
    assert all(np.isfinite(array).all() for array in arrays)


@pytest.mark.parametrize(
    ("name", "value"),
    [("density_weight", -0.5), ("density_weight", "high"), ("n_epochs", None), ("n_epochs", 0), ("n_neighbors", 2)],
)
def test_bad_parameters_are_refused_before_the_fit(data, name, value, stages_begun):
    with pytest.raises(InvalidParameterError, match=rf"PaperFeatMAP\({name}={value!r}\): {name} must be"):
        FeatMAP.paper(**{name: value}).fit(data)
    assert not stages_begun


def test_it_answers_what_featmap_answers(model, data):
    assert np.array_equal(model.transform(data[9:14]), model.embedding_[9:14])
    assert model.explain(data[:3] + 0.1).arrows([0]).shape == model.arrows([0]).shape
    assert np.allclose((model.feature_importance() ** 2).sum(axis=1), model.intrinsic_dim_, rtol=1e-4)
    assert model.arrows([7], kind="frame").shape == (1, 6, 2)
    assert str(model.why(7))


def test_a_file_and_a_pickle_have_the_same_bytes(model, data, tmp_path):
    model.save(tmp_path / "map")
    for copy in (PaperFeatMAP.load(tmp_path / "map"), pickle.loads(pickle.dumps(model))):
        assert bytes_of(copy) == bytes_of(model)
        assert copy.get_params() == model.get_params()
        assert np.array_equal(copy.transform(data[:9] + 1), model.transform(data[:9] + 1))
    with pytest.raises(StoreError, match="PaperFeatMAP, not a FeatMAP; load it with that class"):
        FeatMAP.load(tmp_path / "map")


@pytest.mark.usefixtures("at_every_chance")
@pytest.mark.parametrize(("stage", "epoch"), [("tangents", 1), ("layout", 20), ("layout", 42), ("layout", 50)])
def test_an_interrupted_fit_goes_on_with_the_same_bytes(model, data, tmp_path, stage, epoch):
    def interrupt(*heard):
        if heard[:2] == (stage, epoch):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FeatMAP.paper(**QUICK).fit(data, callback=interrupt, checkpoint=tmp_path / "fit")
    assert bytes_of(FeatMAP.paper(**QUICK).fit(data, checkpoint=tmp_path / "fit")) == bytes_of(model)


@pytest.mark.usefixtures("at_every_chance")
def test_a_map_ended_before_density_can_be_ended_later(model, data, tmp_path):
    stop = lambda stage, done, total: stage == "layout" and done == 30  # noqa: E731
    early = FeatMAP.paper(**QUICK).fit(data, callback=stop, checkpoint=tmp_path / "fit")
    assert early.n_epochs_ == 30
    assert np.isfinite(early.embedding_radii_).all()
    assert bytes_of(FeatMAP.paper(**QUICK).fit(data, checkpoint=tmp_path / "fit")) == bytes_of(model)


def test_the_bar_knows_all_stages(data, capsys):
    model = FeatMAP.paper(n_epochs=10, random_state=0, verbose=True).fit(data)
    shown = capsys.readouterr().err
    stages = [stage.stage for stage in model.fit_report_]
    assert stages == ["scaling", "neighbors", "graph", "tangents", "start", "alignment", "layout"]
    assert all(stage in shown for stage in stages)
