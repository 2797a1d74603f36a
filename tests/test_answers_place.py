"""Where rows lie, which labels a map follows, kinds and islands: counted by hand on planted maps."""

from __future__ import annotations

import numpy as np
import pytest

from answers_cases import asked, nearest, two_groups
from featmap import InvalidDataError
from featmap.answers.kinds import PARTED, TYPICAL, is_parted
from featmap.answers.labels import Labels
from featmap.answers.place import Places, commonest_other
from featmap.answers.regions import Regions, find_regions
from featmap.answers.table import Table
from featmap.answers.values import KINDS


def test_counts_of_neighbors_equal_their_twins():
    X, Y, labels = two_groups()
    answers = asked(X, Y, labels)
    places = answers.ground.places
    for row in (0, 7, 63, 119):
        on_map, in_data = nearest(Y.astype(np.float32), row, 30), nearest(X, row, 14)
        assert set(places.data[row]) == set(in_data)
        assert places.kept[row] == len(set(in_data) & set(on_map))
        place = answers.why(row).place
        assert place.on_map == (labels[on_map[:14]] == labels[row]).sum()
        assert place.in_data == (labels[in_data] == labels[row]).sum()
        assert sum(count for _, count in place.elsewhere) == 14


def test_the_map_follows_labels_that_it_keeps_together(rng):
    X, Y, labels = two_groups()
    assert asked(X, Y, labels).compared.places.is_followed.all()
    permuted = asked(X, Y, rng.permutation(labels))
    assert not permuted.compared.places.is_followed.any()
    assert not permuted.doubtful_rows.size


@pytest.mark.parametrize("seed", range(5))
def test_permuted_labels_have_no_doubtful_row(seed):
    X, Y, _ = two_groups()
    labels = np.random.default_rng(seed).choice(list("abcde"), len(X))
    assert not asked(X, Y, labels).doubtful_rows.size


def test_the_commonest_other_label_equals_its_twin(rng):
    codes = rng.integers(-1, 4, 200).astype(np.int32)
    near = rng.integers(0, 200, (200, 14)).astype(np.int32)
    around, n_around = commonest_other(Labels(tuple("wxyz"), codes), near)
    for row in range(200):
        counts = [sum(codes[other] == label != codes[row] for other in near[row]) for label in range(4)]
        assert n_around[row] == max(counts)
        assert around[row] == counts.index(max(counts))


def planted_among_others():
    """Row 0 measures like its own group but is drawn among the other; row 1 measures like the other, too."""
    X, Y, labels = two_groups()
    Y[0], Y[1] = Y[60:].mean(axis=0), Y[60:].mean(axis=0) + 0.1
    X[1] = X[60:].mean(axis=0)
    return asked(X, Y, labels, names=list("abcdef"))


def test_parted_rows_lie_among_others_but_have_their_kin_in_the_data():
    why = planted_among_others().why(0)
    assert why.kind == "parted"
    assert (why.place.on_map, why.place.in_data) == (1, 14)  # row 1 is there as well


def test_rows_that_resemble_others_are_among_them_in_the_data_as_well():
    why = planted_among_others().why(1)
    assert why.kind == "resembles"
    assert why.measures_like_around
    assert why.differences[0].side == "around"


def test_rows_among_others_that_nothing_tells_from_them_are_between():
    X, Y, labels = two_groups()
    Y[0], X[0] = Y[60:].mean(axis=0), X[60:].mean(axis=0)
    why = asked(X, Y, labels, Table.of_array(np.ones((120, 2)))).why(0)
    assert why.kind == "between"
    assert why.sentence.endswith("no single feature tells them apart.")


def test_rows_that_keep_three_neighbors_are_not_parted():
    region = np.repeat([0, 1], 50).astype(np.int32)
    data = np.tile(np.r_[50:58, 0:6], (100, 1)).astype(np.int32)  # eight of fourteen are in region 1
    near = np.tile(np.r_[50:53, 10:37], (100, 1)).astype(np.int32)
    near[1, 2] = 40
    places = Places(near, data, np.ones(100))
    assert places.kept[:2].tolist() == [3, 2]
    assert is_parted(places, Regions(region, True, np.zeros((2, 2))))[:2].tolist() == [False, True]


def test_rows_with_some_of_their_own_around_are_between():
    X, Y, labels = two_groups()
    Y[0] = (5, 20)
    Y[1:6] = Y[0] + 0.01 * np.arange(1, 6)[:, None]
    Y[60:75] = Y[0] + 0.1 + 0.01 * np.arange(15)[:, None]
    why = asked(X, Y, labels).why(0)
    assert (why.place.on_map, why.place.n_around) == (5, 9)
    assert why.kind == "between"


def test_without_labels_rows_are_parted_from_another_island():
    X, Y, _ = two_groups()
    Y[0] = Y[60:].mean(axis=0)
    answers = asked(X, Y)
    assert answers.ground.regions.are_islands
    assert answers.record.kind[0] == PARTED
    assert (answers.record.kind[20:60] != PARTED).all()
    name, count = answers.why(0).place.elsewhere[0]
    assert (name, count) == (answers.regions.name(answers.ground.regions.region[30]), 14)


def test_one_percent_of_the_rows_is_outlying():
    X, Y, labels = two_groups(200)
    X[5] += [9, -9, 9, -9, 9, -9]
    answers = asked(X, Y, labels)
    outlying = np.flatnonzero(answers.record.kind == KINDS.index("outlying"))
    assert 5 in outlying
    assert len(outlying) <= 4
    assert answers.why(5).place.rank == 1


def test_islands_are_found_and_small_ones_too(rng):
    centers = np.array([[0, 0], [10, 0], [0, 10]])
    Y = np.concatenate([center + rng.normal(size=(1500, 2)) for center in centers])
    Y = np.concatenate([Y, [[20, 20]] + 0.1 * rng.normal(size=(20, 2))]).astype(np.float32)
    regions = find_regions(Y, 15)
    assert regions.are_islands
    assert len(regions) == 4
    assert regions.sizes.tolist()[-1] == 20
    for number in range(4):
        rows = np.flatnonzero(regions.region == number)
        assert np.ptp(rows) < 1500


def test_a_map_without_islands_has_parts(rng):
    Y = rng.uniform(size=(900, 2)).astype(np.float32)
    regions = find_regions(Y, 15)
    assert 2 <= len(regions) <= 8 or regions.are_islands


def test_tiny_maps_have_regions():
    regions = find_regions(np.zeros((5, 2), np.float32), 3)
    assert len(regions) >= 1
    assert regions.region.tolist() == [0] * 5


def test_labels_may_be_texts_numbers_or_missing():
    assert Labels.of(["x", None, "w", float("nan")]).codes.tolist() == [1, -1, 0, -1]
    digits = Labels.of([3, 8, 3])
    assert digits.names == ("label 3", "label 8")
    age = Labels.of(np.arange(200) / 3)
    assert len(age.names) == 5
    assert age.note == "The label was cut into fifths."
    assert age.sizes.tolist() == [40] * 5
    with pytest.raises(InvalidDataError, match="no row has a label"):
        Labels.of([None, None])


def test_rows_without_a_label_are_answered_without(rng):
    X, Y, labels = two_groups()
    labels = labels.copy()
    labels[:5] = None
    answers = asked(X, Y, labels)
    why = answers.why(0)
    assert why.place.label is None
    assert "left" not in why.sentence.split(" ")[0].lower() or why.kind == KINDS[TYPICAL]
    assert answers.why(20).place.label == "left"
