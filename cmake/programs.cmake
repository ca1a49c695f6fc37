# The command line, the gallery and the benchmark, in bin/ of the build folder.
# Whom a user waits for is the compiler, not the parser of options.
set(cli_options $<$<AND:$<CXX_COMPILER_ID:GNU,Clang>,$<CONFIG:Release>>:-O1>)
if(MANYCHAIN_BUILD_CLI)
  set(cli ${PROJECT_SOURCE_DIR}/src/cli)

  set(frame_sources ${cli}/files.cpp ${cli}/interrupt.cpp ${cli}/options.cpp ${cli}/outputs.cpp
      ${cli}/run_commands.cpp ${cli}/setting_options.cpp)
  add_library(manychain_cli_frame STATIC ${frame_sources})
  target_include_directories(manychain_cli_frame PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(manychain_cli_frame PUBLIC MANYCHAIN_VERSION="${PROJECT_VERSION}")
  target_compile_options(manychain_cli_frame PRIVATE ${cli_options})
  target_link_libraries(manychain_cli_frame PUBLIC manychain CLI11::CLI11 fmt::fmt)
  manychain_warnings(manychain_cli_frame)
  manychain_few_units(manychain_cli_frame)

  # The commands that speak of models and draws: a library, for the programs of users' own models have them, too.
  file(GLOB commands_sources CONFIGURE_DEPENDS ${cli}/*.cpp)
  set(line_sources ${cli}/command_line.cpp ${cli}/other_programs.cpp)
  list(REMOVE_ITEM commands_sources ${frame_sources} ${line_sources} ${cli}/main.cpp ${cli}/shared_command_line.cpp)
  add_library(manychain_cli_commands STATIC ${commands_sources})
  target_compile_options(manychain_cli_commands PRIVATE ${cli_options})
  target_link_libraries(manychain_cli_commands PUBLIC manychain_cli_frame manychain)
  manychain_warnings(manychain_cli_commands)
  manychain_few_units(manychain_cli_commands)

  file(GLOB own_sources CONFIGURE_DEPENDS ${cli}/own/*.cpp)
  list(REMOVE_ITEM own_sources ${cli}/own/program.cpp ${cli}/own/bind_program.cpp)  # programs of their own
  # All commands together: a library, for the program and for the shared library.
  add_library(manychain_cli_line STATIC ${line_sources} ${own_sources})
  manychain_embed_text(manychain_cli_line ${cli}/own/example.hpp.in manychain_example_model
                       ${PROJECT_BINARY_DIR}/generated/example_model.cpp)
  manychain_embed_text(manychain_cli_line ${cli}/own/example.json manychain_example_data
                       ${PROJECT_BINARY_DIR}/generated/example_data.cpp)
  target_compile_options(manychain_cli_line PRIVATE ${cli_options})
  target_link_libraries(manychain_cli_line PUBLIC manychain_own_model manychain_cli_commands manychain_cli_frame)
  manychain_warnings(manychain_cli_line)
  manychain_few_units(manychain_cli_line)
  add_executable(manychain_cli ${cli}/main.cpp)
  set_target_properties(manychain_cli PROPERTIES OUTPUT_NAME manychain)
  target_compile_options(manychain_cli PRIVATE ${cli_options})
  target_link_libraries(manychain_cli PRIVATE manychain_cli_line manychain_own_model manychain_cli_commands manychain_cli_frame
                                              manychain_models manychain)
  manychain_warnings(manychain_cli)
  include(GNUInstallDirs)
  include(${CMAKE_CURRENT_LIST_DIR}/own_models.cmake)  # manychain::own_model, and how models are compiled at run time
  include(${CMAKE_CURRENT_LIST_DIR}/wheel_models.cmake)  # and what a wheel brings for that

  # Programs of their own, so that who samples need not wait for them: `manychain NAME` starts manychain-NAME.
  set(others markov)
  if(MANYCHAIN_BUILD_GALLERY)
    include(${CMAKE_CURRENT_LIST_DIR}/gallery.cmake)  # manychain_gallery
    list(APPEND others gallery)
  endif()
  foreach(name IN LISTS others)
    file(GLOB command_sources CONFIGURE_DEPENDS ${cli}/${name}/*.cpp)
    add_executable(manychain_${name}_cli ${command_sources})
    set_target_properties(manychain_${name}_cli PROPERTIES OUTPUT_NAME manychain-${name})
    target_compile_options(manychain_${name}_cli PRIVATE ${cli_options})
    target_link_libraries(manychain_${name}_cli PRIVATE manychain_cli_frame manychain_${name})
    manychain_warnings(manychain_${name}_cli)
    manychain_few_units(manychain_${name}_cli)
    install(TARGETS manychain_${name}_cli)
  endforeach()
  target_link_libraries(manychain_markov_cli PRIVATE nlohmann_json::nlohmann_json)

  # manychain-mpi, started by mpirun: the commands that ranks share.
  if(MANYCHAIN_HAS_MPI)
    file(GLOB mpi_cli_sources CONFIGURE_DEPENDS ${cli}/mpi/*.cpp)
    add_executable(manychain_mpi_cli ${mpi_cli_sources})
    set_target_properties(manychain_mpi_cli PROPERTIES OUTPUT_NAME manychain-mpi)
    target_compile_options(manychain_mpi_cli PRIVATE ${cli_options})
    target_link_libraries(manychain_mpi_cli PRIVATE manychain_mpi manychain_cli_commands manychain_cli_frame
                                                    manychain_models manychain)
    manychain_warnings(manychain_mpi_cli)
    install(TARGETS manychain_mpi_cli)
  endif()
  install(TARGETS manychain_cli)
endif()

file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
file(GLOB bench_cases CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/cases/*.cpp)
if(MANYCHAIN_HAS_CUDA)
  file(GLOB bench_kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cu ${PROJECT_SOURCE_DIR}/bench/cases/*.cu)
endif()
if(MANYCHAIN_BUILD_BENCH AND bench_sources)
  # The targets of --bias and what is computed of them: a library, so that tests can link it.
  file(GLOB bias_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/bias/*.cpp)
  add_library(manychain_bench_bias STATIC ${bias_sources})
  target_include_directories(manychain_bench_bias PUBLIC ${PROJECT_SOURCE_DIR}/bench PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(manychain_bench_bias PUBLIC manychain_models manychain PRIVATE Eigen3::Eigen)
  manychain_warnings(manychain_bench_bias)
  set_target_properties(manychain_bench_bias PROPERTIES MANYCHAIN_CUDA_FAST ${MANYCHAIN_CUDA_FAST_TESTS})
  manychain_add_model(manychain_bench_bias ${PROJECT_SOURCE_DIR}/bench/posteriors/models/rotated_normal.hpp
                      manychain::posteriors::RotatedNormal SAMPLERS hmc)
  manychain_add_model(manychain_bench_bias ${PROJECT_SOURCE_DIR}/bench/bias/models/randomly_rotated_normal.hpp
                      manychain::bench::RandomlyRotatedNormal SAMPLERS hmc)

  add_executable(manychain_bench ${bench_sources} ${bench_cases} ${bench_kernels})
  manychain_chain_sources(manychain_bench ${bench_cases})
  set_source_files_properties(bench/main.cpp bench/bias.cpp PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/src)
  set_source_files_properties(bench/main.cpp PROPERTIES COMPILE_OPTIONS ${cli_options})
  target_include_directories(manychain_bench PRIVATE ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/examples
                                                     ${PROJECT_BINARY_DIR}/generated)
  target_compile_definitions(manychain_bench PRIVATE
    MANYCHAIN_VERSION="${PROJECT_VERSION}" MANYCHAIN_HAS_CUDA=${MANYCHAIN_HAS_CUDA}
    MANYCHAIN_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  target_link_libraries(manychain_bench PRIVATE manychain_bench_bias manychain_models manychain CLI11::CLI11
                                                nlohmann_json::nlohmann_json fmt::fmt)
  if(MANYCHAIN_HAS_CUDA)
    target_link_libraries(manychain_bench PRIVATE CUDA::cudart_static)
    target_compile_options(manychain_bench PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${MANYCHAIN_CUDA_OPTIONS}>")
  endif()
  manychain_warnings(manychain_bench)

  # <manychain_commit.hpp> says which commit was measured. Asked at every build; rewritten only when it changed.
  add_custom_target(manychain_commit
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${PROJECT_BINARY_DIR}/generated/manychain_commit.hpp
            -P ${CMAKE_CURRENT_LIST_DIR}/commit.cmake
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/manychain_commit.hpp)
  add_dependencies(manychain_bench manychain_commit)
endif()

# Time to a trusted answer on the posteriors of posteriordb: `cmake --build build --target manychain_posteriors`. Not part
# of all: its models take minutes to compile.
if(MANYCHAIN_BUILD_BENCH AND MANYCHAIN_BUILD_CLI)
  set(posteriors ${PROJECT_SOURCE_DIR}/bench/posteriors)
  file(GLOB posteriors_sources CONFIGURE_DEPENDS ${posteriors}/*.cpp)
  add_executable(manychain_posteriors EXCLUDE_FROM_ALL ${posteriors_sources})
  set(examples ${PROJECT_SOURCE_DIR}/examples/posteriors)
  target_compile_definitions(manychain_posteriors PRIVATE MANYCHAIN_POSTERIORS_DATA="${examples}/data")
  target_include_directories(manychain_posteriors PRIVATE ${posteriors} ${PROJECT_SOURCE_DIR}/bench
                                                          ${PROJECT_SOURCE_DIR}/examples)
  target_link_libraries(manychain_posteriors PRIVATE manychain_cli_frame manychain CLI11::CLI11
                                                     nlohmann_json::nlohmann_json fmt::fmt)
  manychain_warnings(manychain_posteriors)

  # posterior_model(name Class [SIZES n...]): the class Class of examples/posteriors/<name>.hpp.
  function(posterior_model name class)
    manychain_add_model(manychain_posteriors ${examples}/${name}.hpp ${class} NAME ${name} SAMPLERS hmc ${ARGN})
  endfunction()
  posterior_model(accel_gp AccelGp)
  posterior_model(ar_k ArK SIZES 5)
  posterior_model(brownian_motion BrownianMotion)
  posterior_model(diamonds Diamonds)
  posterior_model(eight_schools EightSchools SIZES 8)
  posterior_model(eight_schools_centered EightSchoolsCentered SIZES 8)
  posterior_model(garch Garch)
  posterior_model(gauss_mix GaussMix)
  posterior_model(german_credit GermanCredit)
  posterior_model(german_credit_sparse GermanCreditSparse)
  posterior_model(gp_regr GpRegr)
  posterior_model(hmm_example HmmExample)
  posterior_model(item_response ItemResponse)
  posterior_model(kidscore_interaction KidscoreInteraction)
  posterior_model(kidscore_interaction_c KidscoreInteractionC)
  posterior_model(kidscore_interaction_z KidscoreInteractionZ)
  posterior_model(kidscore_momhs KidscoreMomhs)
  posterior_model(kidscore_momhsiq KidscoreMomhsiq)
  posterior_model(kidscore_momiq KidscoreMomiq)
  posterior_model(linear_regression Regression SIZES 5)
  posterior_model(log10earn_height Log10earnHeight)
  posterior_model(logearn_height LogearnHeight)
  posterior_model(logearn_height_male LogearnHeightMale)
  posterior_model(logearn_interaction_z LogearnInteractionZ)
  posterior_model(logearn_logheight_male LogearnLogheightMale)
  posterior_model(logmesquite Logmesquite)
  posterior_model(logmesquite_logva LogmesquiteLogva)
  posterior_model(logmesquite_logvash LogmesquiteLogvash)
  posterior_model(logmesquite_logvolume LogmesquiteLogvolume)
  posterior_model(nes Nes)
  posterior_model(stochastic_volatility StochasticVolatility)
  manychain_add_model(manychain_posteriors ${posteriors}/models/rotated_normal.hpp
                      manychain::posteriors::RotatedNormal SAMPLERS hmc)
endif()
