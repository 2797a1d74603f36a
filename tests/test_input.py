"""Whatever is handed over: a finite map of it, or a clear error at once. The data are never changed."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

from featmap import FeatMAP, FeatmapError, InvalidDataError, InvalidDataTypeError, explain

QUICK = {"n_neighbors": 6, "n_epochs": 4, "random_state": 0, "n_jobs": 1}

pytestmark = [
    pytest.mark.filterwarnings("ignore:n_neighbors=:featmap.FeatmapWarning"),
    pytest.mark.filterwarnings("ignore:.* of the variance:featmap.FeatmapWarning"),
]

TABLE = np.random.default_rng(0).normal(size=(40, 5))
COUNTS = np.random.default_rng(1).poisson(0.7, (40, 6)).astype(np.float64)
WITH_HOLES = np.where(TABLE > 2, np.nan, TABLE)


def fit(X, **parameters):
    return FeatMAP(**{**QUICK, **parameters}).fit(X)


def all_results(model, X):
    return {
        "map": model.embedding_,
        "frames": model.frames_,
        "singular values": model.singular_values_,
        "importance": model.feature_importance(),
        "arrows": model.arrows(),
        "fidelity": model.fidelity(),
        "transform": model.transform(X),
        "outlier scores": model.outlier_score(X),
    }


def assert_finite(model, X):
    for name, values in all_results(model, X).items():
        assert np.isfinite(values).all(), name


def as_bytes(X):
    """All that is stored of the data."""
    if sp.issparse(X):
        parts = [vars(X)[name] for name in ("data", "indices", "indptr", "row", "col") if name in vars(X)]
        return b"".join(part.tobytes() for part in [*parts, *getattr(X, "coords", ())])
    if isinstance(X, pd.DataFrame):
        return X.to_csv()
    if isinstance(X, pl.DataFrame):
        return X.write_csv()
    return np.asarray(X).tobytes()


# What is refused → the kind of error and a part of the advice.
REFUSED = {
    "NaN": (WITH_HOLES, ValueError, "NaN.*SimpleImputer"),
    "infinite": (np.where(TABLE > 2, np.inf, TABLE), ValueError, "infinity.*replace infinite values"),
    "minus infinite": (np.where(TABLE > 2, -np.inf, TABLE), ValueError, "infinity"),
    "masked": (np.ma.masked_array(TABLE, TABLE > 1), ValueError, "mask.*missing values"),
    "None among numbers": (np.array([[None, 1.0]] * 5, object), ValueError, "NaN"),
    "text": (np.array([["a", "b"]] * 5), ValueError, "X holds strings.*OneHotEncoder"),
    "text in lists": ([["a", "b"]] * 5, ValueError, "real numbers"),
    "numbers as text": (TABLE.astype(str), ValueError, "X holds strings; convert numbers to floats"),
    "bytes": (np.array([[b"a", b"b"]] * 5), ValueError, "X holds strings"),
    "objects": (np.array([[object()] * 3] * 5), TypeError, "real numbers"),
    "dictionaries": (np.array([[{}] * 3] * 5), TypeError, "real numbers"),
    "complex": (TABLE + 0j, ValueError, "real and imaginary parts"),
    "dates": (np.array([["2020-01-01", "2021-01-01"]] * 5, "M8[ns]"), TypeError, "dates or times.*days since"),
    "durations": (np.array([[1, 2]] * 5, "m8[s]"), TypeError, "dates or times.*to numbers"),
    "records": (np.zeros((5, 2), [("a", "f8")]), ValueError, "real numbers"),
    "integers beyond float64": (np.array([[10**400, 1]] * 5, object), ValueError, "too large"),
    "floats beyond float64": (TABLE.astype(np.longdouble) * np.longdouble("1e4000"), ValueError, "infinity"),
    "no rows": (np.zeros((0, 3)), ValueError, "0 sample.*more"),
    "one row": (np.zeros((1, 3)), ValueError, "1 sample.*minimum of 2"),
    "no columns": (np.zeros((5, 0)), ValueError, "0 feature.*more"),
    "1-D": (np.zeros(5), ValueError, r"reshape\(-1, 1\)"),
    "3-D": (np.zeros((5, 2, 2)), ValueError, "dim 3"),
    "a number": (3, ValueError, "2D"),
    "nothing": (None, ValueError, "2D"),
    "a file": ("table.csv", TypeError, "read the file first"),
    "a dictionary": ({"a": [1, 2]}, TypeError, r"pandas.DataFrame\(X\)"),
    "ragged": ([[1, 2], [3]], ValueError, "equal lengths"),
    "sparse with NaN": (sp.csr_matrix(WITH_HOLES), ValueError, "NaN"),
    "sparse complex": (sp.csr_matrix(TABLE + 0j), ValueError, "imaginary"),
    "sparse without rows": (sp.csr_matrix((0, 4)), ValueError, "0 sample"),
    "a sparse row": (sp.coo_array(np.ones(4)), ValueError, "2D"),
    "frame with gaps": (pd.DataFrame({"a": pd.array([1, None] * 5, dtype="Int64")}), ValueError, "NaN"),
    "half the names": (pd.DataFrame(TABLE).rename(columns={0: "a"}), TypeError, "to all columns, or to none"),
    "two columns of one name": (pd.DataFrame(TABLE, columns=list("abcda")), ValueError, "called 'a'.*of its own"),
    "a column": (pd.Series(TABLE[:, 0]), ValueError, r"type Series; .*X\.to_frame\(\)"),
    "a column of polars": (pl.Series(TABLE[:, 0]), ValueError, r"type Series; .*X\.to_frame\(\)"),
    "polars with gaps": (pl.DataFrame({"a": [1.0, None] * 5}), ValueError, "NaN"),
    "a lazy frame": (pl.LazyFrame({"a": [1.0, 2.0]}), TypeError, r"type LazyFrame; give X\.collect\(\)"),
    "a model": (FeatMAP(), TypeError, r"type FeatMAP; give the data; .*model\.arrows\(\)"),
    "a pipeline": (make_pipeline(FeatMAP()), TypeError, r"type Pipeline; give .*; .*pipeline\[-1\]\.arrows\(\)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_data_get_advice_at_once(case, stages_begun):
    X, kind, advice = REFUSED[case]
    with pytest.raises(kind, match=rf"(?s)^fit\(X\): .*{advice}") as caught:
        FeatMAP().fit(X)
    assert stages_begun == []
    assert isinstance(caught.value, FeatmapError)
    assert isinstance(caught.value, ValueError), "also where it is a TypeError"
    assert len(str(caught.value)) < 400


class AnnData:
    """As anndata's: a sequence of such objects, in which numpy looks for numbers for many minutes."""

    def __len__(self):
        return 10

    def __getitem__(self, rows):
        raise AssertionError("read")


def test_annotated_data_are_refused_before_they_are_read(stages_begun):
    data = AnnData()
    for refused in (FeatMAP().fit, fit(TABLE).transform, lambda X: explain(X, TABLE[:, :2])):
        stages_begun.clear()
        with pytest.raises(
            InvalidDataTypeError,
            match=r"type AnnData; call featmap\.tl\.featmap\(adata\), .*adata\.obsm\['X_pca'\], or adata\.X",
        ):
            refused(data)
        assert stages_begun == []


DAYS = pd.date_range("2020", periods=40)
DATES, STRINGS = "dates or times; .*days since the first date", "strings; .*OneHotEncoder"
# Columns of pandas and polars that are refused → what the message says they hold, and the remedy.
COLUMNS = {
    "dates": (DAYS, DATES),
    "dates of a time zone": (DAYS.tz_localize("UTC"), DATES),
    "durations": (DAYS - DAYS[0], DATES),
    "periods": (DAYS.to_period("D"), DATES),
    "Python's dates": ([day.date() for day in DAYS], DATES),
    "categories of dates": (pd.Categorical(DAYS), DATES),
    "strings": (["x", "y"] * 20, STRINGS),
    "strings as objects": (pd.Series(["x", "y"] * 20, dtype=object), STRINGS),
    "numbers as strings": (["1.5", "2.5"] * 20, "strings; convert numbers to floats"),
    "categories": (pd.Categorical(["x", "y"] * 20), STRINGS),
    "dictionaries": ([{}] * 40, "values that are not numbers"),
    "intervals": (pd.cut(TABLE[:, 0], 3), "values that are not numbers; .*OneHotEncoder"),
    "polars, dates": (pl.Series([day.date() for day in DAYS]), DATES),
    "polars, times": (pl.Series(list(DAYS.to_pydatetime())), DATES),
    "polars, durations": (pl.Series(list((DAYS - DAYS[0]).to_pytimedelta())), DATES),
    "polars, strings": (pl.Series(["x", "y"] * 20), STRINGS),
    "polars, categories": (pl.Series(["x", "y"] * 20, dtype=pl.Categorical), "values of type Cat.*; .*OneHotEncoder"),
    "polars, lists": (pl.Series([[1, 2]] * 40), "values of type List"),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_columns_without_numbers_are_named(case, stages_begun):
    column, message = COLUMNS[case]
    make = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    frame = make({"a": TABLE[:, 0], "when it was": column, "c": TABLE[:, 1]})
    says = rf"^fit\(X\): the column 'when it was' holds {message}.*or drop it$"
    with pytest.raises(InvalidDataTypeError, match=says):
        fit(frame)
    assert stages_begun == []


@pytest.fixture(scope="module")
def fitted():
    return fit(TABLE)


NEW_ROWS_REFUSED = {
    "NaN": (np.full((2, 5), np.nan), ValueError, "NaN.*SimpleImputer"),
    "infinite": (np.full((2, 5), np.inf), ValueError, "infinity"),
    "masked": (np.ma.masked_array(TABLE, TABLE > 1), ValueError, "mask"),
    "fewer columns": (TABLE[:, :4], ValueError, "4 features.*5 features.*columns of the fit"),
    "more columns": (np.ones((2, 6)), ValueError, "6 features.*5 features"),
    "no rows": (TABLE[:0], ValueError, "0 sample"),
    "one row without brackets": (TABLE[0], ValueError, r"Reshape your data: .*reshape\(1, -1\) one row"),
    "text": (TABLE.astype(str), ValueError, "X holds strings"),
    "objects": (np.array([[object()] * 5]), TypeError, "real numbers"),
    "complex": (TABLE + 0j, ValueError, "imaginary"),
    "dates": (np.zeros((2, 5), "M8[ns]"), TypeError, "X holds dates or times"),
    "a pipeline": (make_pipeline(FeatMAP()), TypeError, r"pipeline\[-1\]\.arrows\(\)"),
    "floats beyond float64": (TABLE.astype(np.longdouble) * np.longdouble("1e4000"), ValueError, "infinity"),
}


@pytest.mark.parametrize("method", ["transform", "explain", "outlier_score"])
@pytest.mark.parametrize("case", NEW_ROWS_REFUSED)
def test_wrong_new_rows_get_advice(case, method, fitted):
    X, kind, advice = NEW_ROWS_REFUSED[case]
    with pytest.raises(kind, match=rf"(?s)^{method}\(X\): .*{advice}") as caught:
        getattr(fitted, method)(X)
    assert isinstance(caught.value, InvalidDataError)


def test_other_names_than_those_of_the_fit_are_refused():
    frame = pd.DataFrame(TABLE, columns=list("abcde"))
    model = fit(frame)
    with pytest.raises(InvalidDataError, match=r"(?s)transform\(X\).*- e.*names.*their order"):
        model.transform(frame.rename(columns={"e": "f"}))


def with_lost_rows(rows):
    """A map on which some rows have no position."""
    Y = TABLE[:, :2].copy()
    Y[rows, 1] = np.nan
    return Y


@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        (TABLE, TABLE[:5, :2], "one row for each of the 40 rows of X; got 5"),
        (TABLE, with_lost_rows([3]), r"explain\(Y\): Y gives no position to 1 of 40 rows .*: rows 3; leave them out"),
        (TABLE, with_lost_rows(range(30, 40)), r"no position to 10 of 40 rows .*: rows 30, 31, 32, 33, 34, …;"),
        (TABLE, np.full((40, 2), np.nan), r"no position to 40 of 40 rows"),
        (TABLE, TABLE[:, 0], r"explain\(Y\).*reshape"),
        (TABLE, TABLE[:, :0], r"explain\(Y\).*0 feature"),
        (TABLE, TABLE[:, :2] * 1e300, r"explain\(Y\).*to 40 of 40 rows.*beyond float32"),
        (TABLE, TABLE[:, :2] + 0j, r"explain\(Y\).*imaginary"),
        (TABLE, TABLE[:, :2].astype(str), r"explain\(Y\): Y holds strings"),
        (TABLE, FeatMAP(), r"explain\(Y\): .*FeatMAP; give its map, model\.embedding_"),
        (TABLE, make_pipeline(FeatMAP()), r"explain\(Y\): .*Pipeline; give its map, pipeline\[-1\]\.embedding_"),
        (make_pipeline(FeatMAP()), TABLE[:, :2], r"explain\(X\): .*Pipeline; .*pipeline\[-1\]\.arrows\(\)"),
        (TABLE, sp.csr_matrix(TABLE[:, :2]), r"explain\(Y\).*toarray"),
        (TABLE, None, r"explain\(Y\).*2D"),
        (WITH_HOLES, TABLE[:, :2], r"explain\(X\).*NaN"),
    ],
)
def test_maps_of_others_that_cannot_be_explained(X, Y, message, stages_begun):
    with pytest.raises(InvalidDataError, match=message):
        explain(X, Y)
    assert stages_begun == []


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"init": TABLE[:, :2] * 1e300}, r"FeatMAP\(init\).*beyond float32"),
        ({"init": TABLE[:, :2] * 1e30}, "init.*within ±1e"),
        ({"init": TABLE[:, :2] + 0j}, r"FeatMAP\(init\).*imaginary"),
        ({"init": [[1, 2], [3]]}, r"FeatMAP\(init\).*equal lengths"),
        ({"init": None}, r"FeatMAP\(init\).*2D"),
        ({"density": 1e38}, "density must be None .* or a number from 0 to 10"),
        ({"spread": 1e300}, "spread must be a number from 1e-6 to 1e6"),
        ({"metric": "seuclidean"}, r"metric='seuclidean'.*'V' parameter.*choose"),
        ({"metric": "mahalanobis"}, r"metric='mahalanobis'.*'VI' parameter.*choose"),
        ({"metric": "haversine"}, r"metric='haversine'.*2 dimensions.*choose"),
        ({"metric": lambda a, b: 1 / 0}, r"metric=.*division by zero.*choose"),
        ({"metric": lambda a, b: "far"}, r"metric=.*'far'.*choose"),
        ({"metric": lambda a, b: 1e300 * abs(a - b).sum()}, "metric=.*multiply the data"),
        ({"metric": lambda a, b: 1e-300 * abs(a - b).sum()}, "metric=.*multiply the data"),
        ({"metric": ["euclidean"] * 100_000}, "^.{,600}$"),
        ({"precomputed_knn": (np.tile(np.arange(15), (40, 1)), np.full((40, 15), 1e300))}, "at most 1e"),
    ],
)
def test_parameters_that_would_spoil_the_map_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        fit(TABLE, **parameters)
    assert isinstance(caught.value, FeatmapError)


def test_sparse_data_are_refused_where_the_metric_does_not_have_them():
    X = sp.csr_matrix(COUNTS)
    with pytest.raises(InvalidDataError, match=r"metric='chebyshev'.*sparse"):
        fit(X, metric="chebyshev")
    model = fit(COUNTS, metric="chebyshev")
    for refused in (model.transform, model.explain):
        with pytest.raises(InvalidDataTypeError, match=r"metric='chebyshev'.*sparse.*toarray"):
            refused(X[:3])


def strange_sparse():
    """Repeated entries, columns out of order, explicit zeros, an empty row."""
    return sp.csr_matrix(
        ([1.0, 2.0, 0.0, 5.0, 4.0, 3.0, 1.0] * 8, [3, 3, 0, 2, 1, 0, 4] * 8, np.cumsum([0, *[2, 0, 3, 2] * 8])),
        (32, 5),
    )


def with_wide_indices(X):
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return wide


INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def ends_of(dtype):
    """The least and the largest value of a type, and some between."""
    limits = np.iinfo(dtype)
    values = np.array([limits.min, limits.max, 0, 1, 2, 3, 5, 8], dtype)
    return np.random.default_rng(0).choice(values, (30, 4))


AWKWARD = {
    "constant": np.full((30, 3), 7.0),
    "zeros": np.zeros((20, 2)),
    "all duplicates of two": np.repeat(TABLE[:2], 15, axis=0),
    "half duplicates": np.concatenate([TABLE[:20], np.repeat(TABLE[:1], 20, axis=0)]),
    **{f"{n} rows": TABLE[:n] for n in range(2, 21)},
    "one feature": TABLE[:, :1],
    "one feature of two values": (TABLE[:, :1] > 0).astype(float),
    "more features than rows": np.random.default_rng(0).normal(size=(12, 200)),
    "a line": np.arange(50.0)[:, None],
    "corners": np.eye(30),
    "two clusters far apart": np.concatenate([TABLE[:20], TABLE[20:] + 1e6]),
    "far away": TABLE + 1e8,
    "an enormous outlier": np.concatenate([TABLE, [[1e41] * 5]]),
    "enormous": TABLE * 1e300,
    "isolated points": np.concatenate([TABLE, [[1e6] * 5, [-1e9] * 5]]),
    "three parts": np.concatenate([TABLE[:14] + shift for shift in (0, 1e3, -1e3)]),
    "mixed scales": TABLE * 10.0 ** np.array([-300, -30, 0, 30, 300]),
    "subnormal": TABLE * 5e-320,
    "near the ends of float64": np.where(TABLE > 0, 1e307, -1e307),
    "ends of float32": np.where(TABLE > 0, 3.4e38, -3.4e38).astype(np.float32),
    "ends of float16": np.where(TABLE > 0, 65504, -65504).astype(np.float16),
    **{
        f"size {scale:g} in {np.dtype(dtype)}": (TABLE * scale).astype(dtype)
        for scale in (1e-30, 1e-15, 1e15, 1e30)
        for dtype in (np.float32, np.float64)
    },
    "bool": TABLE > 0,
    "float16": TABLE.astype(np.float16),
    "long double": TABLE.astype(np.longdouble),
    **{f"ends of {np.dtype(dtype)}": ends_of(dtype) for dtype in INTEGERS},
    "sparse zeros": sp.csr_matrix((20, 5)),
    "sparse with empty rows": sp.csr_matrix(np.diag(np.arange(40.0) % 4)),
    "sparse and wide": sp.random(30, 5000, 0.002, format="csr", random_state=0),
    "sparse bool": sp.csr_matrix(COUNTS > 0),
    "sparse, huge": sp.csr_matrix(COUNTS * 1e300),
    "sparse, tiny": sp.csr_matrix(COUNTS * 1e-300),
    "sparse, strange": strange_sparse(),
    **{f"sparse ends of {np.dtype(dtype)}": sp.csr_matrix(ends_of(dtype)) for dtype in INTEGERS},
    "lists": TABLE.tolist(),
    "numbers as objects": TABLE.astype(object),
    "pandas": pd.DataFrame(TABLE, columns=list("abcde")),
    "pandas of mixed types": pd.DataFrame({"a": range(30), "b": np.arange(30) % 2 == 0, "c": TABLE[:30, 0]}),
    "pandas with nullable types": pd.DataFrame(
        {"a": pd.array(range(30), "Int64"), "b": pd.array(range(30), "Float32")}
    ),
    "pandas with categories of numbers": pd.DataFrame({"a": pd.Categorical([1, 2, 3] * 10)}),
    "sparse pandas": pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(COUNTS)),
    "polars": pl.DataFrame(TABLE, schema=list("abcde")),
    "polars of mixed types": pl.DataFrame({"a": range(30), "b": [True, False] * 15, "c": TABLE[:30, 0]}),
}


@pytest.mark.parametrize("case", AWKWARD)
def test_awkward_data_give_finite_maps_and_stay_as_they_are(case, capfd):
    X = AWKWARD[case]
    before = as_bytes(X)
    model = fit(X)
    assert_finite(model, X)
    assert model.embedding_.shape == (X.shape[0] if hasattr(X, "shape") else len(X), 2)
    assert as_bytes(X) == before
    assert capfd.readouterr() == ("", "")


SETTINGS = {
    "usual": {"n_epochs": 30},
    "cosine": {"metric": "cosine", "n_epochs": 30},
    "manhattan": {"metric": "manhattan"},
    "paper": {"frames": "paper", "n_epochs": 30},
    "cosine, paper": {"metric": "cosine", "frames": "paper", "n_epochs": 30},
    "three dimensions": {"n_components": 3},
    "more dimensions than features": {"n_components": 8, "intrinsic_dim": 2},
    "larger tangent neighbourhoods": {"n_tangent_neighbors": 12},
    "all rows are neighbours": {"n_neighbors": 100},
    "random start": {"init": "random"},
    "no density": {"density": 0},
    "the largest density": {"density": 10, "n_epochs": 30},
}


HARDEST = (
    *("constant", "half duplicates", "2 rows", "3 rows", "one feature", "more features than rows", "bool"),
    *("two clusters far apart", "isolated points", "far away", "sparse, strange", "sparse with empty rows"),
    "size 1e-30 in float64",
)
# Other metrics say that distances must be smaller.
HUGE = ("size 1e+30 in float64", "an enormous outlier", "enormous")


@pytest.mark.parametrize(
    ("case", "setting"),
    [
        *((case, setting) for case in HARDEST for setting in SETTINGS),
        *((case, setting) for case in HUGE for setting in ("usual", "cosine", "paper", "cosine, paper")),
    ],
)
def test_awkward_data_in_all_settings(case, setting):
    X = AWKWARD[case]
    assert_finite(fit(X, **SETTINGS[setting]), X)


def digest(model):
    return model.embedding_.tobytes(), model.frames_.tobytes(), model.feature_importance().tobytes()


@pytest.fixture(scope="module")
def of_counts():
    return fit(COUNTS)


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


SAME = {
    "Fortran order": np.asfortranarray,
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "every third row": lambda X: np.repeat(X, 3, axis=0)[::3],
    "backwards, seen from the end": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "transposed twice": lambda X: np.ascontiguousarray(X.T).T,
    "read-only": read_only,
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "a list": lambda X: X.tolist(),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "minus zero": lambda X: np.where(X == 0, -0.0, X),
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "int8": lambda X: X.astype(np.int8),
    "uint64": lambda X: X.astype(np.uint64),
    "long double": lambda X: X.astype(np.longdouble),
    "objects": lambda X: X.astype(object),
}


@pytest.mark.parametrize("form", SAME)
def test_the_same_values_in_another_form_give_the_same_bytes(form, of_counts):
    assert digest(fit(SAME[form](COUNTS))) == digest(of_counts)


def test_a_read_only_memory_map_gives_the_same_bytes(of_counts, tmp_path):
    np.save(tmp_path / "X.npy", COUNTS)
    on_disk = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = fit(on_disk)
    assert digest(model) == digest(of_counts)
    assert np.array_equal(model.transform(on_disk), model.transform(COUNTS))


def with_explicit_zeros(X):
    row, column = np.indices(X.shape)
    return sp.csr_matrix((X.toarray().ravel(), (row.ravel(), column.ravel())), X.shape)


def unsorted(X):
    """The entries of each row from the last to the first."""
    backwards = X.tocsc()[:, ::-1].tocsr()
    backwards.indices = (X.shape[1] - 1 - backwards.indices).astype(backwards.indices.dtype)
    backwards.has_sorted_indices = False
    return backwards


def repeated(X):
    """Each entry in two halves."""
    coo = X.tocoo()
    entries = (np.tile(coo.data / 2, 2), (np.tile(coo.row, 2), np.tile(coo.col, 2)))
    return sp.coo_matrix(entries, X.shape)


SPARSE = {
    "CSR": lambda X: X,
    "CSR array": sp.csr_array,
    "CSC": lambda X: X.tocsc(),
    "COO": lambda X: X.tocoo(),
    "LIL": lambda X: X.tolil(),
    "DOK": lambda X: X.todok(),
    "explicit zeros": with_explicit_zeros,
    "unsorted": unsorted,
    "repeated entries": repeated,
    "wide indices": with_wide_indices,
    "integers": lambda X: X.astype(np.int16),
    "float32": lambda X: X.astype(np.float32),
}


@pytest.mark.parametrize("form", SPARSE)
def test_sparse_forms_are_like_dense(form, of_counts):
    """COUNTS has empty rows."""
    X = SPARSE[form](sp.csr_matrix(COUNTS))
    before = as_bytes(X)
    model = fit(X)
    assert digest(model) == digest(of_counts)
    expected = of_counts.transform(COUNTS)
    for placed in (model.transform(X), model.transform(COUNTS), of_counts.transform(X)):
        assert np.array_equal(placed, expected)
    assert as_bytes(X) == before


def mostly_zeros(m, n):
    """Numbers that float32 rounds."""
    return np.maximum(np.random.default_rng(0).normal(size=(m, n)), 0)


SPARSE_DATA = {
    "from the spectrum": (mostly_zeros(300, 20), {}),
    "from principal components": (mostly_zeros(300, 20), {"init": "pca"}),
    "in two parts": (np.vstack([COUNTS, COUNTS + 1000]), {}),
    "few zeros": (mostly_zeros(300, 20) + np.arange(20), {}),
    "on the sphere": (mostly_zeros(300, 20), {"metric": "cosine"}),
    "by lists": (mostly_zeros(1500, 80), {"init": "pca"}),
    "by lists, few features": (mostly_zeros(1500, 10), {}),
}


@pytest.mark.parametrize("name", SPARSE_DATA)
def test_sparse_data_have_the_map_of_dense_ones(name, monkeypatch):
    monkeypatch.setattr("featmap.neighbors.EXACT_BELOW", 1000)
    X, parameters = SPARSE_DATA[name]
    dense, sparse = (FeatMAP(random_state=0, **parameters).fit(data) for data in (X, sp.csr_matrix(X)))
    assert digest(sparse) == digest(dense)
    assert np.array_equal(sparse.transform(sp.csr_matrix(X[:9] + 1)), dense.transform(X[:9] + 1))


def test_structure_a_hundred_million_from_the_origin_is_kept(of_counts):
    assert digest(fit(COUNTS + 1e8)) == digest(of_counts)
    X = np.random.default_rng(0).normal(size=(200, 3))
    near, far = fit(X, n_neighbors=15), fit(X + 1e8, n_neighbors=15)
    assert near.graph_.multiply(far.graph_ > 0).nnz > 0.99 * near.graph_.nnz


def test_a_fit_says_nothing(capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FeatMAP(n_epochs=3, random_state=0).fit(TABLE)
        model.transform(TABLE)
        model.explain(TABLE[:3]).arrows()
    assert capfd.readouterr() == ("", "")
