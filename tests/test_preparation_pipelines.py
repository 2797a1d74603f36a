"""Answers of pipelines in the columns and units of the user, through the linear steps of scikit-learn."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.manifold import TSNE
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from featmap import Explanation, FeatMAP, Prepare, explain, in_original_units, metrics
from featmap.data.units import Level, first_of_each, joined
from featmap.errors import InvalidParameterError
from featmap.explanation.winsor import winsorised
from featmap.preparation.origins import Origins, follow
from featmap.run import Run

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)


def model(**parameters):
    return FeatMAP(n_epochs=40, random_state=0, n_jobs=1, **parameters)


@pytest.fixture(scope="module")
def wine():
    return load_wine(as_frame=True).data


@pytest.fixture(scope="module")
def scaled(wine):
    """A pipeline, the model in it, and its answers in the units of the wines, which have names here."""
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, model()).fit(wine.set_axis([f"wine {row}" for row in wine.index]))
    return pipeline, pipeline[-1], in_original_units(pipeline)


def of_table(features):
    """The columns of the table that features come from: that of a value of a category, or themselves."""
    return [getattr(feature, "category", feature) for feature in features]


def values_of(answers):
    """All values that an explanation has, in its units."""
    features = answers._points.features()
    return features.restore(features.matrix)


@pytest.mark.parametrize(
    "step",
    [
        StandardScaler(),
        StandardScaler(with_mean=False),
        StandardScaler(with_std=False),
        MinMaxScaler((-1, 3)),
        RobustScaler(),
        RobustScaler(with_centering=False),
        MaxAbsScaler(),
        SimpleImputer(),
        FunctionTransformer(),
        "passthrough",
        make_pipeline(MinMaxScaler(), StandardScaler()),
        ColumnTransformer([("a", StandardScaler(), [4, 2]), ("b", MinMaxScaler(), [0, 7])], remainder="passthrough"),
        ColumnTransformer(
            [("a", RobustScaler(), ["ash", "hue"]), ("out", "drop", ["proline"])], remainder=MaxAbsScaler()
        ),
        VarianceThreshold(0.1),
    ],
    ids=lambda step: type(step).__name__,
)
@pytest.mark.filterwarnings("ignore::featmap.FeatmapWarning")
def test_every_step_is_followed_back_to_the_values_of_the_user(wine, step):
    """The given values times the factor plus the offset are the user's, column by column and by name."""
    fitted = step if isinstance(step, str) else step.fit(wine)
    given = wine.to_numpy() if isinstance(step, str) else np.asarray(fitted.transform(wine))
    origins = follow(fitted, Origins.of(wine.columns))
    assert len(origins) == given.shape[1]
    restored = given * origins.units.factor + origins.units.offset
    np.testing.assert_allclose(restored, wine[list(origins.names)].to_numpy(), rtol=1e-9, atol=1e-9)


def test_values_and_arrows_are_in_units(scaled, wine):
    _, fitted, answers = scaled
    assert isinstance(answers, Explanation)
    assert list(answers.feature_names_in_) == list(wine.columns)
    np.testing.assert_allclose(values_of(answers), wine.to_numpy(), rtol=1e-5)
    spread = wine.to_numpy().std(axis=0)
    for kind in ("blend", "map", "tangent"):
        np.testing.assert_allclose(
            answers.arrows([0, 9], kind), fitted.arrows([0, 9], kind) * spread[:, None], rtol=1e-9
        )


def test_what_has_no_unit_stays(scaled):
    _, fitted, answers = scaled
    rows = [0, 60, 120]
    for ask in (
        "feature_importance",
        "explained_variance",
        "fidelity",
        "significant_arrows",
        "loadings",
        "consistency",
    ):
        np.testing.assert_array_equal(getattr(answers, ask)(rows), getattr(fitted, ask)(rows))
    np.testing.assert_array_equal(answers.backing().values, fitted.backing().values)
    np.testing.assert_array_equal(answers.map_variance().explained, fitted.map_variance().explained)
    assert answers.trust() == fitted.trust()
    for one, other in zip(answers.why(5).apart, fitted.why(5).apart, strict=True):
        assert (one.column, one.z, one.score) == (other.column, other.z, other.score)
    np.testing.assert_array_equal(
        *(metrics.perturbation(asked, rows, fractions=(0.1, 0.5)).most for asked in (answers, fitted))
    )


def test_why_tells_means_that_numpy_gives(scaled, wine):
    """The overall mean is that of the column; what a feature grows from and to lies within its values."""
    why = scaled[2].why(5)
    assert why.apart
    for line in why.apart:
        column = wine[line.feature]
        assert line.overall == pytest.approx(column.mean(), rel=1e-5)
        assert line.own == pytest.approx(column[5], rel=1e-5)
        assert column.min() <= line.mean <= column.max()
        assert line.spread == pytest.approx(column.std(ddof=0), rel=0.2)  # far values are clipped
    for line in why.changes:
        assert wine[line.feature].min() - 1e-6 <= line.low <= line.high <= wine[line.feature].max() + 1e-3


def test_contrast_tells_differences_of_means(scaled, wine):
    classes = load_wine().target
    found = scaled[2].contrast(0, 1, labels=classes)
    expected = wine[classes == 0].mean() - wine[classes == 1].mean()
    for name, difference in zip(found.features, found.difference, strict=True):
        assert difference == pytest.approx(expected[name], rel=1e-4, abs=1e-6)
    theirs = scaled[1].contrast(0, 1, labels=classes)
    np.testing.assert_array_equal(found.p_values, theirs.p_values)


def test_new_rows_are_explained_in_units(scaled, wine):
    pipeline, _, _ = scaled
    new = wine.iloc[:3] * 1.01
    answers = in_original_units(pipeline, new)
    np.testing.assert_allclose(values_of(answers), new.to_numpy(), rtol=1e-5)
    np.testing.assert_array_equal(answers.embedding_, pipeline.transform(new))
    assert scaled[2].why("wine 7").subject == "Row wine 7"  # names of rows are kept


def test_a_pipeline_of_one_step_explains_new_rows():
    X = load_iris().data
    pipeline = make_pipeline(model()).fit(X)
    found = in_original_units(pipeline, X[:5])
    np.testing.assert_array_equal(found.arrows(), pipeline[-1].explain(X[:5]).arrows())
    assert list(found.feature_names_in_) == ["x0", "x1", "x2", "x3"]


def categories(n_rows=240):
    """Two groups with their own category and size, and a category of noise with four values."""
    group = np.repeat([0, 1], n_rows // 2)
    return pd.DataFrame(
        {
            "size_mm": group * 40.0 + RNG.normal(200, 4, n_rows),
            "mass_g": group * 900.0 + RNG.normal(4000, 90, n_rows),
            "island": np.where(RNG.random(n_rows) < 0.95, np.array(["Biscoe", "Dream"])[group], "Torgersen"),
            "noise": RNG.choice(list("abcd"), n_rows),
            "sex": RNG.choice(["female", "male"], n_rows),
        }
    )


@pytest.fixture(scope="module")
def table():
    frame = categories()
    steps = ColumnTransformer(
        [
            ("numbers", StandardScaler(), ["size_mm", "mass_g"]),
            ("categories", OneHotEncoder(sparse_output=False), ["island", "noise", "sex"]),
        ]
    )
    pipeline = make_pipeline(steps, model()).fit(frame)
    return frame, pipeline, in_original_units(pipeline)


def test_a_category_is_in_each_list_once(table):
    frame, _, answers = table
    assert answers.n_features_in_ == 2 + 3 + 4 + 2
    for why in (answers.why(0, k=20), answers.why(range(120), k=20)):
        for found in (why.apart, why.changes, why.hidden):
            named = of_table(line.feature for line in found)
            assert len(named) == len(set(named))
    for by in ("apart", "shown", "varies"):
        for row in answers.top_features([0, 200], k=20, by=by):
            assert sorted(of_table(row)) == sorted(frame.columns)
    assert len(answers.contrast(range(120)).features) == 5


def test_a_category_is_told_by_its_value_and_by_parts_of_rows(table):
    frame, _, answers = table
    line = next(line for line in answers.why(range(120)).apart if isinstance(line.feature, Level))
    assert (line.feature.category, line.feature.level) == ("island", "Biscoe")
    assert line.overall == pytest.approx((frame.island == "Biscoe").mean(), abs=1e-5)
    assert str(line).startswith("island is mostly Biscoe (")
    assert "% of all rows →" in str(line)
    found = answers.contrast(range(120))
    place = [str(name) for name in found.features].index("island: Biscoe")
    parts = (frame.island == "Biscoe").to_numpy()
    assert found.difference[place] == pytest.approx(parts[:120].mean() - parts[120:].mean(), abs=1e-5)


def test_p_values_of_a_category_pay_for_the_choice_of_its_value(table):
    _, pipeline, answers = table
    found, of_columns = answers.contrast(range(120)), pipeline[-1].contrast(range(120))
    names = [str(name) for name in answers.feature_names_in_]
    for name, p_value in zip(found.features, found.p_values, strict=True):
        n_levels = sum(one.startswith(f"{name.category}: ") for one in names) if isinstance(name, Level) else 1
        assert p_value == min(n_levels * of_columns.p_values[names.index(str(name))], 1)


def test_values_of_one_category_do_not_back_each_other(table):
    """To the model itself the columns of a noisy category know each other; to the table nothing knows it."""
    _, pipeline, answers = table
    is_noise = np.array([str(name).startswith("noise") for name in answers.feature_names_in_])
    assert pipeline[-1].backing().values[is_noise].min() > 0.15
    assert answers.backing().values[is_noise].max() < 0.1
    assert "noise" in {name.category for name in answers.backing().alone if isinstance(name, Level)}


def test_what_the_map_shows_of_a_category_is_over_all_its_columns(table):
    frame, pipeline, answers = table
    found, of_columns = answers.map_variance(), pipeline[-1].map_variance()
    mapped = answers._points.mapped
    values = winsorised(mapped, Run(1)).clipped(mapped.data.matrix)[mapped.distinct]  # the rows that R² is of
    is_noise = np.array([str(name).startswith("noise") for name in answers.feature_names_in_])
    spreads = values[:, is_noise].var(axis=0, dtype=float)
    expected = (of_columns.explained[is_noise] * spreads).sum() / spreads.sum()
    np.testing.assert_allclose(found.explained[is_noise], expected, rtol=1e-6)
    np.testing.assert_array_equal(found.explained[:2], of_columns.explained[:2])
    assert sorted(of_table(found.top(20))) == sorted(frame.columns)
    assert len(found.to_frame()) == 5
    alone = of_table(answers.backing().alone)
    assert len(alone) == len(set(alone))
    assert "noise" in alone
    lines = of_table(answers.backing().to_frame().feature)
    assert len(lines) == len(set(lines)) < len(answers.backing().features)


def test_importance_of_a_category_is_the_root_of_the_sum_of_squares(table):
    _, _, answers = table
    own = answers.feature_importance([0])[0]
    together = joined(own, answers._points.mapped.data.groups)
    is_island = np.array([str(name).startswith("island") for name in answers.feature_names_in_])
    assert together[is_island] == pytest.approx(np.sqrt((own[is_island] ** 2).sum()))
    np.testing.assert_array_equal(together[:2], own[:2])


def test_the_mean_importance_of_a_category_is_that_of_its_roots(table):
    answers = table[2]
    a, b = np.arange(0, 20), np.arange(40, 70)
    found, groups = answers.contrast(a, b, n_permutations=9), answers._points.mapped.data.groups
    columns = [answers.feature_names_in_.tolist().index(name) for name in found.features]
    for rows, mean in ((a, found.importance_a), (b, found.importance_b)):
        own = answers.feature_importance(rows)
        roots = np.sqrt(np.square(own, dtype=float) @ (groups[:, None] == groups))
        np.testing.assert_allclose(mean, roots.mean(axis=0)[columns], rtol=1e-6)


def test_columns_are_joined_without_a_table_of_all_pairs():
    n = 3000
    importance, groups = RNG.random((2, n)), np.arange(n)
    assert joined(importance, groups) is importance
    groups[1] = 0
    tracemalloc.start()
    found = joined(importance, groups)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(found[:, 0], np.hypot(importance[:, 0], importance[:, 1]))
    np.testing.assert_allclose(found[:, 2:], importance[:, 2:])
    assert peak < 40 * importance.nbytes


def test_first_of_each_keeps_the_order():
    groups = np.array([0, 1, 1, 2, 0])
    assert first_of_each(np.array([2, 4, 1, 0, 3]), groups).tolist() == [2, 4, 3]
    assert first_of_each(np.array([2, 1]), None).tolist() == [2, 1]


@pytest.mark.parametrize("steps", [(PCA(5),), (StandardScaler(), PCA(5))], ids=["PCA", "scaled PCA"])
@pytest.mark.filterwarnings("ignore::featmap.FeatmapWarning")
def test_arrows_through_components_equal_the_direct_computation(wine, steps):
    """X̂ = ZW + mean is as far from row to row as Z, so that its arrows are those of Z times W, of every kind.

    A direct explanation of X̂ itself, with the same neighbours, has the same arrows and the same R².
    """
    pipeline = make_pipeline(*steps, model()).fit(wine)
    answers, fitted = in_original_units(pipeline), pipeline[-1]
    rows = [0, 50, 100, 170]
    spread = wine.to_numpy().std(axis=0) if len(steps) == 2 else np.ones(wine.shape[1])
    W = pipeline[-2].components_
    for kind in ("map", "tangent", "blend"):
        expected = np.einsum("qn,rqc->rnc", W, fitted.arrows(rows, kind)) * spread[:, None]
        np.testing.assert_allclose(answers.arrows(rows, kind), expected, rtol=0, atol=1e-4 * np.abs(expected).max())
    kept = pipeline[:-1].inverse_transform(pipeline[:-1].transform(wine))
    np.testing.assert_allclose(values_of(answers), kept, rtol=1e-3, atol=1e-3)
    direct = explain(kept / spread, fitted.embedding_, n_jobs=1)
    np.testing.assert_allclose(
        answers.arrows(rows, "map"),
        direct.arrows(rows, "map") * spread[:, None],
        rtol=1e-3,
        atol=1e-3 * np.abs(expected).max(),
    )
    np.testing.assert_allclose(answers.explained_variance(rows), direct.explained_variance(rows), atol=1e-3)


def test_steps_that_cannot_be_followed_are_refused(wine):
    cases = {
        "QuantileTransformer": QuantileTransformer(n_quantiles=50),
        "FunctionTransformer": FunctionTransformer(np.log1p),
        "add_indicator": SimpleImputer(add_indicator=True),
        "clip": MinMaxScaler(clip=True),
    }
    for word, step in cases.items():
        with pytest.raises(InvalidParameterError, match=word):
            follow(step.fit(wine), Origins.of(wine.columns))


def test_what_has_no_units_is_refused(wine):
    with pytest.raises(InvalidParameterError, match="ends in a FeatMAP; got StandardScaler"):
        in_original_units(make_pipeline(StandardScaler()))
    with pytest.raises(InvalidParameterError, match="cosine"):
        in_original_units(make_pipeline(MaxAbsScaler(), model(metric="cosine")).fit(wine))
    steps = make_pipeline(StandardScaler(), PCA(4, whiten=True))
    prepared = steps.fit_transform(wine)
    with pytest.raises(InvalidParameterError, match="whiten"):
        in_original_units(explain(prepared, prepared[:, :2]), preparation=steps)


# Maps of other methods


@pytest.fixture(scope="module")
def mixed():
    """Numbers of other units, a category, and gaps."""
    rng = np.random.default_rng(5)
    kind = np.repeat([0, 1], 60)
    frame = pd.DataFrame(
        {
            "mass_g": rng.normal(4000 + 900 * kind, 300),
            "depth_mm": rng.normal(17 - 3 * kind, 0.8),
            "island": np.where(rng.random(120) < 0.8, np.array(["Biscoe", "Dream"])[kind], "Torgersen"),
        }
    )
    frame.loc[::10, "depth_mm"] = np.nan
    return frame


def test_a_map_of_another_method_is_explained_in_units(mixed):
    """As a pipeline with the same map would be: the answers are those of the explanation in other units."""
    preparation = Prepare().fit(mixed)
    prepared = preparation.transform(mixed)
    plain = explain(prepared, PCA(2, random_state=0).fit_transform(prepared))
    answers = in_original_units(plain, preparation=preparation)
    filled = mixed["depth_mm"].fillna(mixed["depth_mm"].median())
    np.testing.assert_allclose(values_of(answers)[:, :2], np.column_stack([mixed["mass_g"], filled]), rtol=1e-5)
    scales = preparation.steps_.named_transformers_["number"][-1].scale_
    np.testing.assert_allclose(answers.arrows([3])[0, :2], plain.arrows([3])[0, :2] * scales[:, None], rtol=1e-4)
    assert answers.trust().by_another_method
    found = answers.contrast(range(60), n_permutations=9)
    assert sorted(of_table(found.features)) == ["depth_mm", "island", "mass_g"]
    assert found.difference[0] == pytest.approx(mixed["mass_g"][:60].mean() - mixed["mass_g"][60:].mean(), rel=1e-4)
    assert "mass_g" in str(answers.why(3))
    assert in_original_units(plain[:5], preparation=preparation).why(3).apart == answers.why(3).apart


def test_gaps_that_were_filled_count_in_differences(mixed):
    """As the documentation says: the difference is that of the filled column, and smaller than that of the others."""
    preparation = Prepare().fit(mixed)
    prepared = preparation.transform(mixed)
    found = in_original_units(explain(prepared, prepared[:, :2]), preparation=preparation).contrast(range(60))
    depth = mixed["depth_mm"]
    observed, filled = (one[:60].mean() - one[60:].mean() for one in (depth, depth.fillna(depth.median())))
    assert found.difference[1] == pytest.approx(filled, rel=1e-4)
    assert found.difference[1] < 0.95 * observed
    assert "12 values of depth_mm, filled with the median" in str(preparation)


@pytest.mark.parametrize(
    "steps", [StandardScaler(), make_pipeline("passthrough", RobustScaler()), make_pipeline(StandardScaler(), PCA(4))]
)
def test_steps_of_scikit_learn_are_followed_for_a_map_of_another_method(wine, steps):
    prepared = steps.fit_transform(wine)
    answers = in_original_units(explain(prepared, prepared[:, :2]), preparation=steps)
    kept = steps.inverse_transform(prepared) if isinstance(steps, Pipeline) else wine
    np.testing.assert_allclose(values_of(answers), kept, rtol=1e-3, atol=1e-3)
    assert answers.feature_names_in_.tolist() == wine.columns.tolist()


@pytest.fixture(scope="module")
def other_map(wine):
    """A scaler, what it made of named wines, a map of another method, and what is known of it."""
    scaler = StandardScaler().set_output(transform="pandas")
    prepared = scaler.fit_transform(wine.set_axis([f"w{row}" for row in range(len(wine))]))
    Y = prepared.to_numpy()[:, :2]
    return scaler, prepared, Y, explain(prepared, Y)


def test_names_of_rows_of_an_explanation_are_kept_and_columns_of_an_array_are_numbered(other_map, wine):
    scaler, _, _, plain = other_map
    assert str(in_original_units(plain, preparation=scaler).why("w7")).startswith("Row w7")
    answers = in_original_units(plain, preparation=StandardScaler().fit(wine.to_numpy()))
    assert list(answers.feature_names_in_[:2]) == ["x0", "x1"]


def test_a_preparation_that_does_not_fit_a_map_is_refused(other_map, wine):
    scaler, prepared, Y, plain = other_map
    cases = {
        "give as preparation=… the fitted steps .*; got NoneType": lambda: in_original_units(plain),
        "the fitted steps .*; got DataFrame": lambda: in_original_units(plain, preparation=wine),
        "no place for new rows": lambda: in_original_units(plain, wine, preparation=scaler),
        "gives 4 columns, and the map was made of 13": lambda: in_original_units(
            plain, preparation=StandardScaler().fit(wine.iloc[:, :4])
        ),
        "in another order": lambda: in_original_units(explain(prepared.iloc[:, ::-1], Y), preparation=scaler),
        "in original units already": lambda: in_original_units(
            in_original_units(plain, preparation=scaler), preparation=scaler
        ),
        "cosine": lambda: in_original_units(explain(prepared, Y, metric="cosine"), preparation=scaler),
        r"make_pipeline\(preparation, model\)": lambda: in_original_units(model().fit(prepared), preparation=scaler),
        "QuantileTransformer": lambda: in_original_units(
            plain, preparation=QuantileTransformer(n_quantiles=50).fit(wine)
        ),
        "Of another method's map give what explain": lambda: in_original_units(TSNE()),
    }
    for message, ask in cases.items():
        with pytest.raises(InvalidParameterError, match=message):
            ask()
    with pytest.raises(NotFittedError):
        in_original_units(plain, preparation=StandardScaler())


def test_level_is_a_text_that_survives_pickling():
    level = pickle.loads(pickle.dumps(Level("island", "Biscoe")))
    assert (level, level.category, level.level) == ("island: Biscoe", "island", "Biscoe")


def test_drawn_arrows_can_be_compared_and_a_category_has_one(table):
    """They are those of the scaled columns: in units the longest would be that of the smallest unit."""
    pytest.importorskip("matplotlib")
    from featmap.plot.local_frame import shown_arrows

    _, pipeline, answers = table
    for row in (0, 200):
        shown = shown_arrows(answers, row, 8, "blend")
        np.testing.assert_allclose(shown.arrows, pipeline[-1].arrows([row])[0][shown.columns], rtol=1e-9)
        np.testing.assert_allclose(shown.arrows * shown.units[:, None], answers.arrows([row])[0][shown.columns])
        named = of_table(answers.feature_names_in_[shown.columns])
        assert len(named) == len(set(named))
