"""The tests marked ``versions``: what other versions of the dependencies or another Python could turn red.

About a tenth of all: kernels against their twins, scikit-learn's own checks, files, input, and one walk through each
surface. They run with the lowest and with the newest releases.
"""

from __future__ import annotations

FILES = {
    "test_contract.py",
    "test_eigen.py",
    "test_prepare.py",
    "test_processors.py",
    "test_rotations.py",
    "test_sparse.py",
}

TESTS = {
    "test_anndata.py": {
        "test_it_writes_what_scanpy_expects",
        "test_it_comes_back_from_a_file",
        "test_markers_come_first",
    },
    "test_architecture.py": {"test_public_names", "test_importing_is_light"},
    "test_checkpoint.py": {"test_every_kind_of_fit_goes_on"},
    "test_cli_commands.py": {"test_map_writes_a_page_and_prints_findings", "test_tables_are_read_by_their_ending"},
    "test_coarse.py": {"test_the_coarse_graph_equals_its_twin"},
    "test_contrast.py": {"test_p_values_of_binary_features_are_those_of_fisher"},
    "test_dask.py": {"test_the_fit_has_the_bytes_of_the_local_fit"},
    "test_estimator.py": {"test_scikit_learns_checks", "test_clone_pipeline_and_pickle", "test_names_in_and_out"},
    "test_explanation.py": {"test_the_smallest_data_have_answers", "test_on_a_plane_arrows_are_the_pca_biplot"},
    "test_explorer_record.py": {"test_the_head_says_what_the_file_holds"},
    "test_explorer_server.py": {"test_data_and_answers_need_the_token"},
    "test_explorer_widget.py": {"test_the_page_and_its_parts_come_by_message"},
    "test_forces.py": {"test_attraction_kernel_is_close_to_its_twin", "test_sampled_gradient_is_unbiased"},
    "test_frames.py": {"test_aligned_sweep_equals_its_twin", "test_covariance_equals_its_twin"},
    "test_graph.py": {"test_weights_of_neighbors", "test_the_union_has_the_weights_of_sparse_sums"},
    "test_input.py": {
        "test_awkward_data_give_finite_maps_and_stay_as_they_are",
        "test_the_same_values_in_another_form_give_the_same_bytes",
        "test_sparse_forms_are_like_dense",
    },
    "test_layout.py": {
        "test_descent_is_adam",
        "test_smoothing_equals_its_twin",
        "test_spectral_start_is_the_spectrum",
        "test_spectral_start_of_a_graph_with_few_eigenvalues_is_the_same_each_time",
    },
    "test_map_table.py": {"test_categories_and_gaps", "test_frames_of_polars_and_files_give_the_same"},
    "test_metrics.py": {"test_ranks_are_scikit_learns", "test_accuracy_is_scikit_learns"},
    "test_neighbors.py": {"test_exact_search_equals_brute_force"},
    "test_notebook.py": {"test_the_bundle_has_the_text_of_scikit_learn"},
    "test_placement.py": {"test_the_kernel_equals_its_twin"},
    "test_plot_frame.py": {"test_arrows_are_on_the_map_at_the_row_for_the_features_the_map_shows_best"},
    "test_plot_map.py": {
        "test_map_has_every_point_once_undistorted_without_ticks",
        "test_categories_have_their_colour_and_a_legend_beside_the_map",
        "test_numbers_have_a_colour_bar",
    },
    "test_regression.py": {"test_moments_equal_their_twin"},
    "test_sizing.py": {"test_lengths_equal_their_twin"},
    "test_store.py": {"test_a_loaded_model_is_the_saved_one"},
    "test_stored.py": {"test_they_have_the_map_of_the_same_numbers_in_memory"},
    "test_tangents.py": {"test_factors_stand_for_the_svd", "test_duplicates_have_no_directions"},
    "test_units.py": {"test_lengths_are_the_distances_between_the_rows_of_an_edge", "test_units_equal_their_twin"},
    "test_why.py": {"test_lists_become_a_frame", "test_the_lists_of_a_point_of_a_plane"},
}


def is_chosen(file: str, function: str) -> bool:
    return file in FILES or function in TESTS.get(file, ())
