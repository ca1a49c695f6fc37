# Which tests the full suite alone has, and which are compiled as chain code is. docs/testing.md says it in words. Regular
# expressions of sources; patterns of GoogleTest.

# The compiler has bitten these, or they see what most runs run. All others compile three times as fast (gibbs_test: 44 s
# and 14 s) and run 1.2 times as long.
set(shipped_tests "/statistical/(analytic|invariance)_test|/(compiler|density_sums|expression)_test\\.cpp$")

# Programs with many chains of models of their own.
set(tests_with_chains "^(unit_(run|adaptation|samplers|foreign)|statistical|backends|precompiled_tests_with_chains)")

# Sources that take a compiler longest.
set(full_sources "/statistical/(barker|finite_spaces|gibbs|independent_draws|integer_data|langevin|leaf_masses|metropolis_hastings|missed_modes|posteriors|slice|superchains|warmup|wrong_proposals)_test")
string(APPEND full_sources "|/model/(further_arguments|density_(sums|mixtures|edges)|checked_distributions|checked_intermediates|minibatch|log_cdfs|documented_models|mixtures|matrix_distributions|linear_algebra)_test")
string(APPEND full_sources "|/model/(vector_constraints|row_block|categorical_distributions|minibatch_rows|sampled_(vectors|counts|continuous|distributions))_test")
string(APPEND full_sources "|/model/(half|shape|skew_normal)_log_cdfs_test|/core/special_functions_test")
string(APPEND full_sources "|/model/(count_log_cdfs|density_arguments|dual|scan|vector_expression|matrix_(constraints|densities)|integer_data|ode)_test|/adaptation/estimate_metric_test")
string(APPEND full_sources "|/run/(large_models|log_likelihood|precision_reach|posterior_precision|random_words|own_sampler|chosen_samplers|gradient_of_models|calibration|misfit|model_check|necks_by_data|model_check_digits|advice_on_models|model_check_of_models|samplers|heavy_tails|jumps|density_programs)_test")

# Programs whose full_sources continuous integration compiles, too.
set(ci_programs "^unit_run$")

# Sources that the quick suite leaves to continuous integration: they test what hardly depends on compiler, instructions and devices.
set(ci_sources "/run/(c_(diagnostics|sets)|compiled_density|constants|cost|device_chains|draws_of_ranks|drift|exchangeable|few_chains|folds)_test")
string(APPEND ci_sources "|/run/(improper|initial_points|integer_starts|integrator_choice|longer_trajectories|low_chains|missed_modes|named_dimensions)_test")
string(APPEND ci_sources "|/run/(necks|parts|pathfinder|precision_of_draws|ranks|ranks_traffic|resume|saved_warmup|sets|stray_chains)_test")
string(APPEND ci_sources "|/run/(travelling|unreached_tail|warmup_recipe|warmup_state|wrong_gradient)_test")
string(APPEND ci_sources "|/model/(checked_statements|checks|dependent_scales|mixture_parts|own_scale)_test|/adaptation/trajectory_ascent_test")

# Units of their own: their local names are those of other tests, which are compiled four at a time.
set(apart_tests "(^|/)stan_model_test|/adaptation/(score_tests|trajectory_ascent)_test|/io/(netcdf|predictions)_test|/samplers/sequence_test")
string(APPEND apart_tests "|/diagnostics/(conformance|places|reference|summarise)_test|/random/variates_test|/report/prediction_intervals_test")
string(APPEND apart_tests "|/model/(density_edges|matrix_(constraints|densities|distributions)|ode|scan|vector_expression)_test")
string(APPEND apart_tests "|/run/(integrator_choice|leaf_masses|precision|resume|step_size|stopping|stray_chains|watch)_test")
string(APPEND apart_tests "|/statistical/(integer_data|missed_modes)_test")

# Tests that run for 5 s or more.
set(slow_tests "Ranks.same_bytes_for_any_split:RankUniformity.HasItsLevel:Chees.does_not_settle_where_trajectories_are_cut:Calibration.Finds*:Calibration.PassesWhatIsRight:Advice.against_chains_that_stay_far_out:CompileModelTest.AHeaderThatHasChanged*:CompileModelTest.AHeaderThatChanges*:TargetEss.is_for_chains_that_leave_*:AnnealedStarts.weigh_*:AnnealedStarts.have_*:LeafMasses.are_kept_*:Evidence.of_normals:Evidence.of_a_wide_*:Evidence.of_three_*:Evidence.of_eight_*:Evidence.warns_*:All/Integrals.*/normals_*0:All/Integrals.*/small_*")
string(APPEND slow_tests ":LowChains.are_told_*:LookAgain.finds_what_*:TemperedRun.advises_another_*:TemperedRun.weighs_ten_*:TemperedRun.goes_to_more_*:TargetEss.gives_up_on_*")
string(APPEND slow_tests ":All/Integrals.*/half_normals_*:All/Integrals.*/funnel_*:All/Integrals.*/three:All/Integrals.*/wide_and_narrow")
string(APPEND slow_tests ":Parts/NarrowParts.*/case_1:Parts/NarrowParts.*/case_3:Parts/NarrowParts.*/case_4:NarrowParts.of_a_prior_*")
string(APPEND slow_tests ":Advice.for_a_dense_metric:WrongSamplers.right_ones_*:StanModel.RejectsWhereItsDensityFails")

# Continuous integration leaves out slow tests that run for half a minute or more.
set(not_in_ci "")
if(NOT MANYCHAIN_FULL_TESTS)
  set(not_in_ci "-Evidence.of_a_wide_*:Evidence.of_three_*:Evidence.of_eight_*:All/Integrals.*/normals_40*:All/Integrals.*/small_in_50*")
endif()

# Kernels that nvcc compiles for minutes, and tests of models without CUDA code in the quick suite.
set(full_backends "/((sgld_gpu|strided_memory)_test\\.cpp|(dealt_chains|dealt_terms|distributions|matrices|ode|posteriors)_test\\.cu)$")
set(full_backend_tests "CudaEngine.warm_up_in_*:CudaEngine.streaming_*:CudaEngine.same_distribution_*:CudaEngine.same_bits_for_any_*:InvarianceOnGpu.normal_in_memory:InvarianceOnGpu.banana:InvarianceOnGpu.funnel:SgldOnGpu.*:Dealt*:MatrixLayout.*")
string(APPEND full_backend_tests ":SummaryCalls.little_memory_*:DiagnosticsDevice.like_the_host_in_double_*:CudaEngine.same_chains_as_the_cpu_in_double:DrawCopies.change_no_draw_*:CudaEngine.device_by_its_number:CudaEngine.threads_that_share_*:CudaAdapter.any_block_*")
string(APPEND full_backend_tests ":ThreadsPerChain.*:StridedMemory.*:Distributions.*:Matrices.*:DifferentialEquations.*:Posteriors.*:ResumeOnGpu.with_draws_*")

# Kernels that run on the host for 2.5 s or more: continuous integration has these tests.
set(slow_on_host "InvarianceOnGpu.normal:DeviceDrawsOnHost.are_those_*:DiagnosticsDevice.like_the_host_in_single_*:DevicesOfARun.*:ResumeOnGpu.where_it_died")

# Refusals of the compiler that the quick suite has, one of each kind: bodies and headers of tests/compile_errors.
set(quick_refusals "^(assigned_let|branch_on_(index|parameter)|captured_parameter|comparison|constructor|copied_let|function_of_doubles|index_of_parameter")
string(APPEND quick_refusals "|loop_over_rows|minibatch_of_ints|no_log_density|no_template|std_exp|target_by_value|vector_as_term)$")

# The end of the label of a test of all that has been compiled: it belongs to both suites, as the full one compiles more.
set(of_both "")
if(MANYCHAIN_FULL_TESTS)
  set(of_both -full)
endif()
