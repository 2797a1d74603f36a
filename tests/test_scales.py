"""Tables whose columns have different units are pointed out, and no others."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import datasets
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from featmap import FeatMAP, FeatmapWarning, explain
from featmap.data.advice import warn_of_scales
from featmap.datasets import load_penguins

QUICK = {"n_neighbors": 6, "n_epochs": 4, "random_state": 0, "n_jobs": 1}
RNG = np.random.default_rng(0)


def houses():
    """As California's: incomes and rooms beside numbers of people."""
    people = RNG.lognormal(7, 0.8, 500)
    others = [RNG.lognormal(1.2, 0.5, 500), RNG.uniform(1, 52, 500), RNG.normal(5, 2, 500), RNG.uniform(32, 42, 500)]
    return np.column_stack([*others, people])


SEVERAL_UNITS = {
    "breast cancer": (datasets.load_breast_cancer().data, [23, 3]),
    "wine": (datasets.load_wine().data, [12]),
    "houses": (houses(), [4]),
    "penguins": (load_penguins().data, [3]),
    "two columns": (RNG.normal(size=(100, 2)) * [1, 1000], [1]),
    "sparse": (sp.csr_matrix(RNG.poisson(1, (100, 30)) * np.where(np.arange(30) == 7, 100.0, 1.0)), [7]),
}


def warnings_of(X, names=None):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_scales(X, names)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("case", SEVERAL_UNITS)
def test_tables_of_several_units_are_pointed_out(case):
    X, columns = SEVERAL_UNITS[case]
    (message,) = warnings_of(X)
    listed = ", ".join(f"column {column}" for column in columns)
    assert f" of the variance of X is in {listed}: " in message
    assert f"the other {X.shape[1] - len(columns)} features" in message
    assert "StandardScaler" in message


ONE_UNIT = {
    "iris": datasets.load_iris().data,
    "digits": datasets.load_digits().data,
    "diabetes": datasets.load_diabetes().data,
    "swiss roll": datasets.make_swiss_roll(1000, random_state=0)[0],
    "standardised wine": StandardScaler().fit_transform(datasets.load_wine().data),
    "standardised cancer": StandardScaler().fit_transform(datasets.load_breast_cancer().data),
    "categories": OneHotEncoder().fit_transform(RNG.integers(0, 5, (500, 6))),
    "rare categories": (RNG.random((500, 8)) < [0.5, *[0.01] * 7]).astype(float),
    "counts": sp.random(500, 2000, 0.05, "csr", data_rvs=lambda n: RNG.lognormal(0, 2, n), random_state=0),
    "three features that vary": np.column_stack([RNG.normal(size=(200, 3)), np.ones((200, 27))]),
    "constant": np.ones((50, 4)),
    "one feature": RNG.normal(size=(50, 1)),
}


@pytest.mark.parametrize("case", ONE_UNIT)
def test_tables_of_one_unit_are_not(case):
    assert warnings_of(ONE_UNIT[case]) == []


@pytest.mark.parametrize("name", ["mnist", "coil20", "mammoth", "pbmc3k", "paul15"])
def test_images_shapes_and_cells_are_not(name, data_set):
    stored = data_set(name)
    if "indptr" in stored.files:
        X = sp.csr_matrix((stored["data"], stored["indices"], stored["indptr"]), tuple(stored["shape"]))
    else:
        X = stored[{"mnist": "X_train", "coil20": "X", "mammoth": "X_10k"}[name]]
        X = X.reshape(len(X), -1)
    assert warnings_of(X) == []


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_sizes_do_not_matter(scale):
    X = RNG.normal(size=(100, 4)) * [1, 1e-3, 1e-3, 1e-3] * scale
    assert len(warnings_of(X)) == 1
    assert warnings_of(RNG.normal(size=(100, 4)) * scale) == []


def test_wide_data_are_judged_by_fewer_rows(monkeypatch):
    monkeypatch.setattr("featmap.data.advice.MOST_VALUES", 4000)
    X = RNG.normal(size=(5000, 40))
    X[:, 7] *= 1000
    assert "column 7" in warnings_of(X)[0]


@pytest.mark.parametrize(
    "call",
    [
        lambda X: FeatMAP(**QUICK).fit(X),
        lambda X: FeatMAP(**QUICK, metric="manhattan").fit(X),
        lambda X: explain(X, X.to_numpy()[:, :2]),
    ],
    ids=["fit", "another metric", "explain"],
)
def test_the_warning_names_the_features(call):
    wine = datasets.load_wine()
    with pytest.warns(FeatmapWarning, match=r"99\.8% of the variance of X is in 'proline': .*StandardScaler"):
        call(pd.DataFrame(wine.data, columns=wine.feature_names))


def test_the_cosine_metric_has_no_scales():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FeatMAP(**QUICK, metric="cosine").fit(datasets.load_wine().data)
