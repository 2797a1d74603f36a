"""Tables of all kinds: gaps, categories, constants, copies, genes, images, few rows, and what is said of columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

from answers_cases import asked, two_groups
from featmap import FeatMAP, InvalidParameterError, InvalidRowsError, Prepare
from featmap.answers.asking import MapAnswers, smallest_counts
from featmap.answers.labels import Labels
from featmap.answers.making import drawn_by_model, prepare_of, table_of_frame
from featmap.answers.table import Table
from featmap.answers.values import Findings, Region


@pytest.fixture(scope="module")
def frame():
    X, _, labels = two_groups(60)
    rng = np.random.default_rng(1)
    made = pd.DataFrame(X, columns=list("abcdef"))
    made["isle"] = np.where(labels == "left", rng.choice(["Biscoe", "Dream"], 120), "Torgersen")
    made["made"] = rng.choice(["x", "y"], 120)
    made["side"] = labels
    made.loc[3, "a"] = made.loc[5, "isle"] = None
    return made


@pytest.fixture(scope="module")
def mixed(frame):
    prepared = Prepare(label="side").fit(frame)
    table = table_of_frame(frame, prepared, unit="penguin")
    Z = prepared.transform(frame)
    model = FeatMAP(random_state=0, n_epochs=50).fit(Z)
    return (
        MapAnswers(table, drawn_by_model(model, prepare_of(prepared, table), Z), frame["side"], n_jobs=1),
        prepared,
        Z,
    )


def test_frames_give_their_own_values_and_gaps(mixed, frame):
    answers, prepared, Z = mixed
    table = answers.table
    assert table.names == (*"abcdef", "isle", "made")
    assert np.isnan(table.values[3, 0])
    assert np.isnan(table.values[5, 6])
    np.testing.assert_allclose(prepare_of(prepared, table)(table.values), Z)


def test_rules_match_the_users_own_table(mixed, frame):
    """The preparation has another order of columns: numbers first, the label left out."""
    answers = mixed[0]
    turned = frame[["side", "isle", *"fedcba", "made"]]
    prepared = Prepare(label="side").fit(turned)
    again = MapAnswers(table_of_frame(turned, prepared), answers.drawn, answers.labels, n_jobs=1)
    rule = again.rule(answers.labels.codes == 0)
    by_name, by_number = rule.matches(turned), rule.matches(turned.to_numpy(object))
    np.testing.assert_array_equal(by_name, by_number)
    assert by_name[:60].mean() > 0.8


def test_answers_name_categories_by_their_levels(mixed):
    answers = mixed[0]
    details = {one.feature: one for row in range(60) for one in answers.why(row).details}
    assert details["isle"].value in ("Biscoe", "Dream")
    assert details["isle"].around == "Torgersen"
    assert "made" not in details
    assert "isle" in " ".join(answers.why(row).to_frame().feature.str.cat() for row in range(5))


def test_filled_values_are_never_named(mixed):
    answers = mixed[0]
    assert "a" not in {one.feature for one in answers.why(3).details}
    assert "isle" not in {one.feature for one in answers.why(5).details}
    changed = answers.table.values.copy()
    changed[3, 0] = 1e6  # what a fill could have been
    filled = MapAnswers(Table(changed, answers.table.names, answers.table.levels), answers.drawn, answers.labels, 1)
    assert "a" in {one.feature for one in filled.why(3).details} or filled.ground.features.mean[0] > 1e3


def test_means_and_typical_values_leave_gaps_out():
    X, Y, labels = two_groups()
    gaps = X.copy()
    gaps[::2, 0] = np.nan
    features = asked(X, Y, labels, Table.of_array(gaps)).ground.features
    assert features.mean[0] == pytest.approx(X[1::2, 0].mean())
    assert features.spread[0] == pytest.approx(X[1::2, 0].std())


def test_tables_of_categories_alone(frame):
    rng = np.random.default_rng(2)
    kind = rng.integers(0, 3, 150)
    made = pd.DataFrame(
        {
            name: np.array(["x", "y", "z"])[np.where(rng.random(150) < 0.1, rng.integers(0, 3, 150), kind)]
            for name in "abcd"
        }
    )
    prepared = Prepare().fit(made)
    table, Z = table_of_frame(made, prepared), prepared.transform(made)
    answers = MapAnswers(
        table, drawn_by_model(FeatMAP(random_state=0, n_epochs=50).fit(Z)), kind.astype(str), n_jobs=1
    )
    assert isinstance(answers.findings(), Findings)
    rule = answers.rule(kind == 0)
    assert all(condition.levels for condition in rule.conditions)
    row = int(np.flatnonzero(made.nunique(axis=1) == 1)[0])
    assert str(answers.why(row))


def test_constant_columns_are_never_named():
    X, Y, labels = two_groups()
    answers = asked(
        X, Y, labels, Table.of_array(np.column_stack([X, np.ones(len(X))]), names=[*"abcdef", "constant"])
    )
    assert not any(one.feature == "constant" for row in range(0, 120, 7) for one in answers.why(row).details)
    assert "constant" not in str(answers.findings())


def test_all_constant_tables_have_answers():
    X, Y, labels = two_groups()
    answers = asked(X, Y, labels, Table.of_array(np.ones((120, 2))))
    assert answers.why(0).sentence == "Left among left (14 of 14); no single feature sets it apart."
    assert answers.rule(np.arange(60)) is None


def test_noise_columns_are_never_named():
    rng = np.random.default_rng(7)
    X, Y, labels = two_groups()
    noise = np.column_stack([rng.normal(size=(120, 3)), rng.uniform(size=(120, 2))])
    Y[0] = Y[60:].mean(axis=0)
    table = Table.of_array(np.column_stack([X, noise]), names=[*"abcdef", *(f"noise {n}" for n in range(5))])
    for answers in (asked(X, Y, labels, table), asked(X, Y, None, table)):
        assert not any("noise" in str(answers.why(row)) for row in range(120))


def test_groups_of_three_rows_one_label_and_none():
    X, Y, labels = two_groups()
    few = labels.copy()
    few[[0, 1, 2]] = "few"
    assert str(asked(X, Y, few).why(0))
    assert not asked(X, Y, few).compared.places.is_followed[0]
    one = asked(X, Y, np.full(120, "all"))
    assert not one.doubtful_rows.size
    assert str(one.why(0)) == "All among all (14 of 14); no single feature sets it apart." or "all" in str(one.why(0))
    assert asked(X, Y).why(0).place.label is None


def test_equal_rows_have_equal_answers():
    X, Y, labels = two_groups()
    X[10:30], Y[10:30] = X[10], Y[10]
    answers = asked(X, Y, labels)
    texts = {str(answers.why(row)).replace(f"{answers.ground.places.rank[row]}", "") for row in range(10, 30)}
    assert len({text.split(":")[0] for text in texts}) <= 2
    assert isinstance(answers.findings(), Findings)


def test_single_reads_of_genes_are_not_named():
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1], 60)
    counts = rng.poisson(np.where(np.arange(12) < 6, 5, 0.3) * (kind[:, None] == (np.arange(12) >= 6)) + 0.2)
    counts[0, 11] = 1
    X = sp.csr_matrix(np.log1p(counts).astype(np.float32))
    Y = np.column_stack([10 * kind + rng.normal(size=120), rng.normal(size=120)])
    answers = asked(
        X, Y, np.array(["p", "q"])[kind], Table.of_array(X, names=[f"G{n}" for n in range(12)], unit="cell")
    )
    least = smallest_counts(answers.table)
    assert least[0] == pytest.approx(np.log1p(counts[0][counts[0] > 0].min()), rel=1e-6)
    for row in range(0, 120, 5):
        for one in answers.why(row).details:
            assert one.value == 0 or one.value > 1.001 * least[row]
    assert "cells" in str(answers.findings())


def test_images_are_answered_by_patches():
    digits = load_digits()
    model = FeatMAP(random_state=0, n_epochs=30).fit(digits.data[:400])
    table = Table.of_array(digits.data[:400], image_shape=(8, 8), unit="digit")
    answers = MapAnswers(table, drawn_by_model(model), digits.target[:400].astype(str), n_jobs=1)
    features = answers.ground.features
    assert len(features.names) == 16
    np.testing.assert_allclose(features.values[:, 1], digits.images[:400, 0:2, 2:4].mean(axis=(1, 2)))
    assert "pixels" in answers.mover.hindrance
    assert features.names[1] == "patch 1–2 down, 3–4 across"
    rule = answers.rule(digits.target[:400] == 0)
    assert rule is None or rule.matches(digits.data[:400]).shape == (400,)


def test_groups_of_rows_are_regions():
    X, Y, labels = two_groups()
    region = asked(X, Y, labels, names=list("abcdef")).why(np.arange(60))
    assert isinstance(region, Region)
    assert region.size == 60
    assert region.labels == (("left", 60),)
    assert region.rule.precision > 0.9
    assert region.to_frame().shape[1] == 8


def test_findings_name_regions_doubtful_rows_and_columns(rng):
    X, Y, labels = two_groups()
    wrong = labels.copy()
    wrong[[0, 70]] = ["right", "left"]
    gaps = np.where(rng.random(120) < 0.7, np.nan, X[:, 0])
    leak = (wrong == "right").astype(float)
    table = Table.of_array(
        np.column_stack([X, gaps, leak, rng.normal(size=120)]), names=[*"abcdef", "gaps", "leak", "noise"]
    )
    findings = asked(X, Y, wrong, table).findings()
    assert {region.name for region in findings} == {"left", "right"}
    assert {why.row for why in findings.rows} == {0, 70}
    notes = {(note.column, note.note) for note in findings.columns}
    assert {("leak", "leak"), ("gaps", "empty"), ("noise", "not followed")} <= notes
    assert ("noise", "leak") not in notes
    text = str(findings)
    assert "leak alone tells the label" in text
    assert len(text.split()) <= 400
    assert findings.to_frame().shape == (2, 7)


def test_the_most_doubtful_row_is_first():
    """Row 0 has the values of the other group, row 1 lies between both; row 2 is only drawn among the others."""
    X, Y, labels = two_groups(100)
    Y[:3] = Y[100:].mean(axis=0)
    X[0], X[1] = X[100:].mean(axis=0), (X[:100].mean(axis=0) + X[100:].mean(axis=0)) / 2 + 0.4
    assert asked(X, Y, labels).doubtful_rows.tolist() == [0, 1, 2]


def test_a_column_that_is_right_for_most_rows_is_no_leak():
    X, Y, labels = two_groups(100)
    nearly = (labels == "right").astype(float)
    nearly[:6] = 1
    columns = np.column_stack([X[:, 0], nearly, labels == "right"])
    findings = asked(X, Y, labels, Table.of_array(columns, names=["a", "nearly", "exactly"])).findings()
    leaks = {note.column: note.figure for note in findings.columns if note.note == "leak"}
    assert leaks["exactly"] == 1
    assert "nearly" not in leaks


def test_a_map_can_be_explained_by_other_columns_of_its_rows(rng):
    X, Y, labels = two_groups()
    words = np.column_stack([labels == "left", rng.random(120) < 0.3]).astype(float)
    answers = asked(X, Y, labels, Table.of_array(words, names=["word", "other"]))
    assert [one.feature for one in answers.why(5).differences] == ["word"]
    assert answers.rule(np.arange(60)).query == "word > 0.5"


def test_frames_have_one_line_for_every_row():
    X, Y, labels = two_groups()
    lines = asked(X, Y, labels).to_frame()
    assert len(lines) == 120
    assert set(lines.columns) >= {"row", "kind", "region", "kept", "label", "on_map", "in_data", "is_doubtful"}
    assert "label" not in asked(X, Y).to_frame().columns


def test_other_labels_use_the_same_ground():
    X, Y, labels = two_groups()
    answers = asked(X, Y, labels)
    again = answers.labelled(labels[::-1])
    assert again.ground is answers.ground
    assert again.why(0).place.label == "right"


def test_wrong_questions_have_clear_errors():
    X, Y, labels = two_groups()
    answers = asked(X, Y, labels)
    with pytest.raises(InvalidRowsError, match="120 rows"):
        answers.why(500)
    with pytest.raises(InvalidRowsError, match="at least one"):
        answers.why([])
    with pytest.raises(InvalidRowsError):
        answers.rule([4000])
    with pytest.raises(InvalidParameterError, match="labels"):
        answers.labelled(labels[:5])
    with pytest.raises(InvalidParameterError, match="the table has"):
        MapAnswers(Table.of_array(X[:5]), answers.drawn)


def test_answers_do_not_depend_on_threads():
    X, Y, labels = two_groups(300)
    one, other = (MapAnswers(*(asked(X, Y).__dict__[name] for name in ("table", "drawn")), labels, n) for n in (1, 2))
    assert [str(one.why(row)) for row in range(0, 600, 50)] == [str(other.why(row)) for row in range(0, 600, 50)]


@pytest.mark.parametrize(
    "side", [np.arange(2), np.arange(2.0), np.array(["0", "1"], object), np.array([False, True])]
)
def test_a_target_is_the_value_of_a_label_or_its_name(side):
    X, Y, labels = two_groups()
    answers = asked(X, Y, side[(labels == "right").astype(int)])
    is_right, name = answers._target(0, side[1])
    np.testing.assert_array_equal(is_right, labels == "right")
    assert name == answers.labels.names[1]
    assert answers._target(0, name)[1] == name
    with pytest.raises(InvalidParameterError, match="target=7"):
        answers._target(0, 7)


def test_labels_and_regions_of_one_name_are_listed_once():
    X, Y, labels = two_groups()
    with pytest.raises(InvalidParameterError) as refused:
        asked(X, Y, labels)._target(0, "nowhere")
    assert str(refused.value).count("'left'") == 1


@pytest.mark.parametrize("share", [0.1, 0.5, 0.75, 0.9])
@pytest.mark.parametrize("sign", [1, -1])
def test_no_fifth_of_numbers_is_empty(share, sign):
    """Also where many rows have the highest value, or the lowest."""
    values = np.minimum(np.linspace(0, 1, 200) ** 2, (1 - share) ** 2)
    labels = Labels.of(sign * values)
    assert labels.sizes.min() > 0
    assert len(labels.names) >= 2
    assert labels.names[-1].startswith("label above")
