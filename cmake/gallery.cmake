# The gallery of `manychain gallery`. Its own models: one line each, as in models.cmake.
file(GLOB_RECURSE gallery_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/gallery/*.cpp)
add_library(manychain_gallery STATIC ${gallery_sources})
target_include_directories(manychain_gallery PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(manychain_gallery PUBLIC manychain PRIVATE manychain_models manychain_markov fmt::fmt
                      $<BUILD_INTERFACE:Eigen3::Eigen>)
manychain_warnings(manychain_gallery)
# Entries are three units, except those whose local names others have.
if(MANYCHAIN_FEW_UNITS)
  set_target_properties(manychain_gallery PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(manychain_gallery PRIVATE -Wno-shadow)
  set(entries ${gallery_sources})
  list(FILTER entries INCLUDE REGEX "/entries/")
  list(FILTER entries EXCLUDE REGEX "/(finite_chains|hmc_leapfrog|ising|metropolis_hastings|proposal_step|weighted_draws)\\.cpp$")
  foreach(entry IN LISTS entries)
    list(FIND entries ${entry} i)
    math(EXPR unit "${i} % 3")
    set_property(SOURCE ${entry} PROPERTY UNITY_GROUP entries_${unit})
  endforeach()
endif()
set_target_properties(manychain_gallery PROPERTIES MANYCHAIN_CUDA_FAST ${MANYCHAIN_CUDA_FAST_TESTS})
manychain_precompile_models(manychain_gallery)
manychain_group_cuda_models(manychain_gallery)
manychain_warnings(manychain_gallery_chains)

# gallery_model(name Class [SIZES n...]): the class manychain::gallery::models::Class of src/gallery/models/<name>.hpp,
# for entries to bind as model<models::Class>(data).
function(gallery_model name class)
  manychain_add_model(manychain_gallery ${PROJECT_SOURCE_DIR}/src/gallery/models/${name}.hpp
                      manychain::gallery::models::${class} NAME ${name} ${ARGN})
endfunction()

gallery_model(outcomes Outcomes)
gallery_model(inverse_transform InverseTransform)
gallery_model(weighted_normal WeightedNormal)
gallery_model(two_hills TwoHills)
gallery_model(finite_chain FiniteChain)
gallery_model(two_states TwoStates)
gallery_model(gamma_two_one GammaTwoOne)
gallery_model(normal_pair NormalPair)
gallery_model(normal_triple NormalTriple)
gallery_model(normal_ring NormalRing)
gallery_model(fifty_normals FiftyNormals)
gallery_model(normal_score NormalScore)
gallery_model(known_normal KnownNormal)
gallery_model(known_noise_regression KnownNoiseRegression SIZES 50 SCALAR)  # one chain, beside many
gallery_model(ising Ising SIZES 64)
gallery_model(gaussian_mixture GaussianMixture)

# The entries, a test each. src/gallery/entries.cpp has the table; the test gallery.complete compares.
set(MANYCHAIN_GALLERY
  integral expectation dimension_law discrete_draws outcomes inverse_transform irwin_hall importance_weights
  rejection_rate rejection_dimension weighted_draws envelope
  two_state_chain two_state_walk two_state_metropolis birth_death chain_structure changing_chain language_model ergodic
  proposal_step two_states_sampled gamma_independence gibbs_starts gibbs_three running_mean parallel_gibbs
  uncorrected_gibbs single_component langevin score_alone hmc_leapfrog
  posterior_predictive sgld_regression ising gaussian_mixture)
