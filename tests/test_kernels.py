"""The kernels once more with every index checked, and once more as plain Python: the same tests have to pass."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

# Kernels against their slow twins, on small data.
CHECKED = [
    "test_neighbors.py::test_exact_search_equals_brute_force",
    "test_bounds.py::test_bounded_search_finds_what_all_pairs_find",
    "test_bounds.py::test_coordinates_and_remainders_equal_their_twin",
    "test_neighbors.py::test_candidates_in_any_order_are_ranked_by_distance_then_index",
    "test_neighbors.py::test_scanning_keeps_the_nearest",
    "test_neighbors.py::test_lists_hold_every_row_once",
    "test_graph.py::test_memberships_equal_their_twin",
    "test_graph.py::test_weights_of_neighbors",
    "test_graph.py::test_the_union_has_the_weights_of_sparse_sums",
    "test_graph.py::test_a_hub_has_all_its_edges",
    "test_eigen.py::test_a_matrix_has_the_same_bits_in_any_company",
    "test_rotations.py::test_they_are_the_nearest_orthogonal_matrices",
    "test_tangents.py::test_factors_stand_for_the_svd",
    "test_tangents.py::test_duplicates_have_no_directions",
    "test_alignment.py::test_connection_equals_its_twin",
    "test_frames.py::test_aligned_sweep_equals_its_twin",
    "test_frames.py::test_covariance_equals_its_twin",
    "test_frames.py::test_paper_gradient_equals_finite_differences",
    "test_coarse.py::test_the_coarse_graph_equals_its_twin",
    "test_units.py::test_lengths_are_the_distances_between_the_rows_of_an_edge",
    "test_forces.py::test_attraction_kernel_is_close_to_its_twin",
    "test_forces.py::test_values_and_gradients_stay_finite",
    "test_layout.py::test_smoothing_equals_its_twin",
    "test_layout.py::test_descent_is_adam",
    "test_pca.py::TestComponents::test_the_kernel_equals_a_product",
    "test_regression.py::test_moments_equal_their_twin",
    "test_explanation.py::test_the_smallest_data_have_answers",
    "test_placement.py::test_the_kernel_equals_its_twin",
    "test_sizing.py::test_lengths_equal_their_twin",
]


def names_of_tests(body, prefix):
    """Functions of a file, and those of its classes, as pytest calls them."""
    for part in body:
        if isinstance(part, ast.ClassDef):
            yield from names_of_tests(part.body, f"{prefix}::{part.name}")
        elif isinstance(part, ast.FunctionDef):
            yield f"{prefix}::{part.name}"


def test_all_of_these_tests_exist():
    """The slow test below needs all of them, and `make test` does not run it."""
    files = sorted({name.split("::")[0] for name in CHECKED})
    there = {name for file in files for name in names_of_tests(ast.parse((TESTS / file).read_text()).body, file)}
    assert sorted(set(CHECKED) - there) == []


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"])
def test_kernels_stay_within_their_arrays(mode, tmp_path):
    environment = {**os.environ, mode: "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *CHECKED],
        capture_output=True,
        text=True,
        check=False,
        cwd=TESTS,
        env=environment,
    )
    assert result.returncode == 0, result.stdout[-3000:]
    assert " passed" in result.stdout
