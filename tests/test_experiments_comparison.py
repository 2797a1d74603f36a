"""The tables of the comparison, and how figures of other methods are kept from run to run."""

from __future__ import annotations

import json

import numpy as np
import pytest

from experiments import published, report
from experiments.comparison import experiment
from experiments.maps import COMPARED, SEEDS
from experiments.published import PEERS, as_row, figures_of, rows_of_peers
from experiments.report import Report
from experiments.scores import Cell
from experiments.sets import ADVERSARIAL, SETS


def row(value):
    return {metric: Cell(value, 0.001, 3) for metric in experiment.COLUMNS}


def test_a_cell_has_the_mean_and_the_deviation_of_its_seeds_and_a_mark():
    cell = Cell.of([0.1, 0.2, 0.6])
    assert cell.mean == pytest.approx(0.3)
    assert cell.deviation == pytest.approx(np.sqrt((0.04 + 0.01 + 0.09) / 2))
    assert cell.n_seeds == 3
    assert Cell.of([0.5]) == Cell(0.5, None, 1)
    # They are marked by their number.
    assert experiment.written(Cell(0.5, None, 1), best=0.5) == "**0.500** †"
    assert experiment.written(Cell(0.5, 0.01, 2), best=0.6) == "0.500 ± 0.010 ‡"
    assert experiment.written(Cell(0.5, 0.01, len(SEEDS)), best=0.6) == "0.500 ± 0.010"


def test_stored_rows_are_read_back():
    table = {"a method": row(1 / 3), "another": {"trustworthiness": Cell(0.5, None, 1)}}
    read = json.loads(json.dumps(experiment.stored(table)))
    assert {method: as_row(cells) for method, cells in read.items()} == table


def test_kept_rows_are_not_measured_again(monkeypatch):
    asked = []
    monkeypatch.setattr(experiment, "row_of", lambda data, method, report: asked.append(method) or row(0.9))
    kept = {method: row(0.8) for method in PEERS}
    table = experiment.measured("data", kept, Report("comparison"))
    assert list(table) == list(COMPARED)
    assert asked == [method for method in COMPARED if method.startswith("featMAP")]
    assert all(table[method] == kept[method] for method in PEERS)


def test_methods_without_a_map_have_no_row(monkeypatch):
    monkeypatch.setattr(experiment, "row_of", lambda data, method, report: {} if method == "UMAP" else row(0.9))
    table = experiment.measured("data", {}, Report("comparison", only_made=True))
    assert list(table) == [method for method in COMPARED if method != "UMAP"]
    assert "\n| UMAP | — | — |" in experiment.markdown(table)


def test_a_quick_run_takes_nothing_from_the_published_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "HERE", tmp_path)
    monkeypatch.setattr(report, "QUICK", tmp_path / "quick")
    assert Report("one", published_peers=True).published_peers
    assert not Report("one", quick=True, published_peers=True).published_peers


def test_the_page_of_the_comparison_has_the_stored_figures():
    page = (published.HERE / "comparison" / "README.md").read_text()
    scores = figures_of("comparison")["scores"]
    assert list(scores) == list(SETS)
    for data, rows in scores.items():
        table = {method: as_row(cells) for method, cells in rows.items()}
        assert f"## {data}\n\n{experiment.markdown(table)}\n" in page


def test_every_peer_has_published_figures_but_on_attacked_digits():
    rows = rows_of_peers()
    assert {*rows} == {*SETS} - {ADVERSARIAL}
    for data in rows:
        assert list(rows[data]) == list(PEERS)
        for cell in (cell for row in rows[data].values() for cell in row.values()):
            assert (cell.deviation is None) == (cell.n_seeds == 1)
