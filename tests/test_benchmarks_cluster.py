"""The benchmark of a cluster: what it measures, keeps and prints."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

pytest.importorskip("distributed", reason="the extra dask is not installed")

from benchmarks import cluster
from lab.pages import put_between


def record(**changed):
    made = {
        "local": {"neighbors": 1.25, "layout": 3.0, "lists": 0.5},
        "cluster": {"neighbors": 2.5, "layout": 3.5},
        "exchanged": {"neighbors": 120.4, "tangents": 60.2},
        "all": {"local": [5.0, 9.0], "cluster": [7.0, 12.0]},
        "same": True,
        "maps": {"featMAP, all rows": [5.0, 9.0, 0.9912, 0.97], "UMAP on 20 rows": [8.0, 15.0, 0.9, 0.8]},
        "machine": "a machine",
    }
    return made | changed


def test_the_tables_have_all_stages_and_maps_by_size():
    text = cluster.as_markdown({"100000": record(), "20000": record(same=False)})
    assert text.index("| 20,000 |") < text.index("| 100,000 |")
    assert "| 100,000 | neighbors | 1.2 | 2.5 | 120 |" in text
    assert "| 100,000 | lists | 0.5 |  |  |" in text  # the cluster has no such stage
    assert "| **100,000** | all, CPU s in brackets; same bytes: yes | 5.0 (9.0) | 7.0 (12.0) | 181 |" in text
    assert "same bytes: **no**" in text
    assert "| 100,000 | featMAP, all rows | 5.0 | 9.0 | 0.991 | 0.970 |" in text
    assert text.count("a machine") == 1


def test_a_sample_is_a_fifth_of_few_rows():
    assert [cluster.sample_size(n_rows) for n_rows in (20_000, 100_000, 10**6)] == [4_000, 20_000, 20_000]


def test_too_few_rows_are_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["cluster", "--rows", "10"])
    with pytest.raises(SystemExit):
        cluster.main()
    assert "--rows: must be at least 2,000" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_it_runs_keeps_and_publishes(monkeypatch, tmp_path, capsys):
    """With a sample that takes no time. What was kept before stays."""
    kept, page = tmp_path / "kept.json", tmp_path / "scale.md"
    kept.write_text(json.dumps({"100000": record()}))
    page.write_text(f"before {cluster.BEGIN} old {cluster.END} after")
    monkeypatch.setattr(cluster, "KEPT", kept)
    monkeypatch.setattr(cluster, "PAGE", page)
    monkeypatch.setattr(cluster, "WARM_UP_ROWS", 300)
    monkeypatch.setattr(cluster, "fit_a_sample", lambda X: cluster.Timed(np.array(X[:, :2]), 1.0, 2.0))
    monkeypatch.setattr(sys, "argv", ["cluster", "--rows", "2000", "--publish"])
    cluster.main()
    records = json.loads(kept.read_text())
    assert set(records) == {"2000", "100000"}
    made = records["2000"]
    assert made["same"]
    assert made["exchanged"]["neighbors"] > 0
    assert set(made["maps"]) == {"featMAP, all rows", "UMAP on 400 rows, the others by transform"}
    ours, theirs = (made["maps"][name] for name in made["maps"])
    assert ours[2] > 0.9
    assert theirs[:2] == [1.0, 2.0]
    assert cluster.as_markdown(records) in capsys.readouterr().out
    assert cluster.as_markdown(records).strip() in page.read_text()
    assert page.read_text().startswith("before")


def test_docs_have_a_place_for_the_tables(tmp_path):
    page = tmp_path / "scale.md"
    page.write_text(cluster.PAGE.read_text())
    put_between(page, cluster.BEGIN, cluster.END, "the tables")
    assert f"{cluster.BEGIN}\n\nthe tables\n\n{cluster.END}" in page.read_text()
