"""What went wrong in kits like this one, and the tests that would notice it here: each is there by its name."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent

# A kind of fault: the tests that catch it, as file::test.
TRAPS = {
    "the gradient of a shared node is overwritten, or visited once per path": [
        "test_engine::test_a_node_that_is_used_twice_is_visited_once",
    ],
    "x * x has one parent": ["test_engine::test_x_times_x_has_two_parents"],
    "long chains overflow the recursion limit": [
        "test_engine::test_a_chain_of_200000_ops_runs_back_prints_and_frees",
        "test_engine::test_a_chain_of_200000_ops_is_freed_on_the_way_back",
    ],
    "a second backward gives 0 or doubles without a word": [
        "test_engine::test_a_second_backward_accumulates",
        "test_engine::test_backward_after_the_graph_was_freed_raises",
    ],
    "broadcasting is undone at leaves only": ["test_engine::test_x_minus_its_mean_at_every_shape_pair"],
    "bias, dilation, groups, 'same' and even kernels of a convolution": [
        "test_convolution::test_what_goes_wrong_elsewhere_has_rows_in_the_table",
        "test_convolution::test_the_gradient_of_the_gradient_is_pytorchs",
        "test_convolution::test_same_with_an_even_kernel_pads_one_more_at_the_end",
    ],
    "float32 is lost beside numbers, integers or numpy's scalars": [
        "test_engine_numbers::test_a_number_on_either_side_keeps_the_dtype",
        "test_engine_numbers::test_integers_beside_float32_leave_float32",
        "test_engine_python::test_an_array_or_a_numpy_number_on_the_left_gives_a_tensor",
    ],
    "an array kept for backward is changed in place": [
        "test_engine_memory::test_an_array_changed_after_it_was_kept_raises_on_backward",
        "test_engine_memory::test_a_view_of_a_kept_array_changed_in_place_raises_too",
    ],
    "softmax backward sums over all rows": [
        "test_engine_losses::test_softmax_backward_sums_over_its_own_axis_alone",
        "test_engine_losses::test_rows_of_softmax_sum_to_one_and_do_not_see_each_other",
    ],
    "a missing rule gives zeros": [
        "test_engine::test_a_missing_rule_raises_and_names_the_op",
        "test_nn_table::test_every_parameter_gets_a_gradient_and_moves_in_a_training_step",
    ],
    "the slope of GELU is that of another formula": ["test_engine_losses::test_gelu_has_the_slope_of_its_own_formula"],
    "a mean loss averages one axis": ["test_nn_losses::test_a_reduced_loss_is_one_number_over_all_axes"],
    "binary cross-entropy by sigmoid, then log": [
        "test_nn_losses::test_binary_cross_entropy_is_finite_at_logits_of_10000",
        "test_nn_losses::test_focal_loss_is_finite_at_logits_of_10000",
        "test_engine_losses::test_softmax_and_cross_entropy_are_finite_at_logits_of_10000",
    ],
    "(N,) against (N, 1) broadcasts in a loss": [
        "test_nn_losses::test_a_loss_refuses_shapes_that_would_broadcast",
        "test_nn_losses::test_a_weight_that_would_broadcast_the_loss_is_refused",
    ],
    "a float mask of ones and zeros is added to scores": [
        "test_engine_losses::test_a_boolean_mask_keeps_and_a_float_mask_is_added",
        "test_model::test_token_t_plus_1_never_moves_output_t",
        "test_model::test_token_t_plus_1_gets_no_gradient_from_output_t",
    ],
    "dropout is active in evaluation, or never": [
        "test_engine_losses::test_dropout_is_off_in_evaluation_and_new_at_each_training_pass",
        "test_engine_losses::test_dropout_keeps_the_mean_and_drops_its_share",
        "test_nn_table::test_two_evaluation_passes_are_equal",
    ],
    "batch norm has no running statistics, or the wrong axis": [
        "test_nn_normalization::test_batch_norm_is_pytorchs_from_training_to_evaluation_and_back",
        "test_nn_normalization::test_batch_norm_normalises_each_channel_over_all_else",
        "test_nn_normalization::test_a_norm_looks_at_its_own_numbers_and_no_others",
    ],
    "the slope at a kink of an activation or a loss": [
        "test_nn_losses::test_the_slope_at_a_corner_is_pytorchs",
        "test_nn_losses::test_the_hinges_have_slope_0_at_the_margin",
        "test_engine_numbers::test_the_slope_at_a_kink_is_pytorchs",
    ],
    "lists, integers and float64 beside a float32 layer": [
        "test_nn_table::test_arrays_and_lists_are_taken_as_tensors_are",
        "test_nn_table::test_a_dtype_stays",
        "test_nn_losses::test_lists_and_arrays_are_taken_and_float32_stays_float32",
    ],
    "parameters are found through a set; tied weights count twice": [
        "test_nn::test_parameters_are_found_in_the_order_they_were_set_and_each_once",
        "test_nn::test_a_tied_weight_counts_once_and_gathers_both_gradients",
        "test_optim::test_nonsense_is_refused_in_a_sentence",
    ],
    "a warm-up begins at 0 by accident; a cosine rises past its end": [
        "test_optim_schedules::test_warm_up_and_cosine_step_by_step",
        "test_optim_schedules::test_past_its_end_a_schedule_stays_where_it_ended",
        "test_optim_schedules::test_a_schedule_is_pytorchs_at_every_step",
    ],
    "a cache leaves out the current token or place 0": [
        "test_nn_cache::test_cached_attention_is_the_uncached_at_every_step",
        "test_nn_cache::test_masks_beside_a_cache_count_what_it_holds",
        "test_model_generate::test_cached_logits_are_the_uncached",
    ],
    "weights loaded in half, or under other names, without a word": [
        "test_nn::test_a_state_that_does_not_fit_is_refused_whole",
        "test_nn::test_a_state_of_other_names_shows_both_sides_and_what_is_no_state_is_refused",
    ],
    "a seeded loader repeats one shuffle every epoch": [
        "test_data_loader::test_each_epoch_is_a_new_permutation",
        "test_data_samplers::test_an_epoch_has_as_many_batches_as_it_says_and_two_differ_where_chance_is",
        "test_data_transforms::test_each_epoch_changes_a_sample_in_another_way",
    ],
    "a batch is lost, at the end of an epoch or on resuming": [
        "test_data_loader::test_each_sample_comes_once_an_epoch_and_no_batch_is_lost",
        "test_data_samplers::test_resuming_anywhere_gives_the_batches_of_the_run_that_went_on",
        "test_data_prefetch::test_the_same_batches_epoch_after_epoch_made_by_another_thread",
    ],
    "epoch 10 sorts before epoch 2": [
        "test_checkpoint::test_checkpoints_are_ordered_by_their_step",
        "test_train_resume::test_the_newest_by_number_is_taken",
    ],
    "a checkpoint is half written, or lacks the optimizer": [
        "test_checkpoint_files::test_whatever_fails_the_old_file_stays_and_no_draft_is_left",
        "test_train_killed::test_killed_at_hard_moments_and_taken_up",
        "test_train_killed::test_what_listens_to_the_held_out_loss_is_taken_up_too",
        "test_train_resume::test_what_is_resumed_is_what_was_saved",
    ],
    "a checkpoint runs code when it is read": [
        "test_checkpoint::test_nothing_in_the_package_reads_or_writes_a_format_that_runs_code",
        "test_checkpoint::test_pickling_a_tensor_says_what_to_do",
    ],
    "a metric is right about what has no answer: NaN, ties, one column, no samples": [
        "test_metrics::test_what_is_no_class_is_refused_by_name",
        "test_metrics::test_a_model_that_gives_every_class_the_same_score_is_not_always_right",
        "test_metrics::test_no_samples_and_other_shapes_are_refused_by_name",
    ],
}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_has_tests_by_name(trap):
    for path in TRAPS[trap]:
        file, test = path.split("::")
        assert re.search(rf"^def {test}\(", (HERE / f"{file}.py").read_text("utf-8"), re.MULTILINE), path
