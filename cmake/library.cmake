# manychain::manychain, the static library: the host side of every module, and the device code that is not a template.
# manychain::markov, beside it: finite Markov chains and estimates from independent draws, of which sampling knows nothing.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER sources EXCLUDE REGEX "/src/((cli|gallery|models|own_model|mpi)/|c_api/(builtin_models|header_models|netcdf_at_run_time)\\.cpp)")
file(GLOB_RECURSE markov_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/markov/*.cpp
     ${PROJECT_SOURCE_DIR}/src/montecarlo/*.cpp)
list(REMOVE_ITEM sources ${markov_sources})
if(MANYCHAIN_HAS_CUDA)
  list(FILTER sources EXCLUDE REGEX "_absent\\.cpp$")  # stand-ins for device code, where there is none
  file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*.cu ${PROJECT_SOURCE_DIR}/src/*/*.cu)
endif()

add_library(manychain STATIC ${sources} ${kernels})
add_library(manychain::manychain ALIAS manychain)
target_compile_features(manychain PUBLIC cxx_std_20)
manychain_warnings(manychain)
manychain_few_units(manychain)

file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/include/*.hpp)
file(GLOB_RECURSE markov_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/manychain/markov/*.hpp
     ${PROJECT_SOURCE_DIR}/include/manychain/montecarlo/*.hpp)
list(REMOVE_ITEM headers ${markov_headers} ${PROJECT_SOURCE_DIR}/include/manychain/mpi.hpp)
target_sources(manychain PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})

# Kernel templates are included as "manychain/kernels/x.cuh", here as in an installed tree: the build tree holds a
# forwarding header for each.
file(GLOB templates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*.cuh)
foreach(template IN LISTS templates)
  cmake_path(GET template FILENAME file)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/manychain/kernels/${file} CONTENT "#include \"${template}\"\n")
endforeach()
target_include_directories(manychain PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                     PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(manychain PRIVATE MANYCHAIN_VERSION="${PROJECT_VERSION}")

# -O2 compiles faster than -O3 and costs the host side nothing; the loops of summaries need -O3.
set(release $<AND:$<CXX_COMPILER_ID:GNU,Clang>,$<CONFIG:Release>>)
target_compile_options(manychain PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,${release}>:-O2>)
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/diagnostics/convergence.cpp PROPERTY COMPILE_OPTIONS $<${release}:-O3>)
# Units of folders without loops that runs wait for compile in 0.7 of the time at -O1, and runs take no longer. CMake
# takes options of a unit that it makes by the place of its source; without few units these folders have -O2.
foreach(folder c_api calibration check evidence io model report run sampling text)
  set_property(SOURCE ${PROJECT_BINARY_DIR}/CMakeFiles/manychain.dir/Unity/unity_${folder}_cxx.cxx
               PROPERTY COMPILE_OPTIONS $<${release}:-O1>)
endforeach()
# The unit that adds draws to streaming diagnostics runs in the lanes that the draws were made in.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/engine/accumulate.cpp PROPERTY COMPILE_OPTIONS ${MANYCHAIN_CHAIN_OPTIONS})
# The chain programs of any density run in them, too, and points at which a model is evaluated.
foreach(programs hmc_single hmc_double tempering_single tempering_double density_points)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/chain/${programs}.cpp PROPERTY COMPILE_OPTIONS ${MANYCHAIN_CHAIN_OPTIONS})
endforeach()
# Densities at the points of all chains go in lanes of their own.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/foreign/lockstep_program.cpp PROPERTY COMPILE_OPTIONS ${MANYCHAIN_CHAIN_OPTIONS})
# So do random numbers that the host needs of many chains or paths at once, and matrices that many particles are multiplied by.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/random/chain_variates.cpp ${PROJECT_SOURCE_DIR}/src/annealing/triangular_loops.cpp
             PROPERTY COMPILE_OPTIONS ${MANYCHAIN_CHAIN_OPTIONS})
# So do the loops over all draws of a summary: units of functions without templates of others.
foreach(loops sort_draws tile_loops rank_loops tail_loops)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/diagnostics/${loops}.cpp PROPERTY COMPILE_OPTIONS ${MANYCHAIN_CHAIN_OPTIONS})
endforeach()

# OpenMP is linked, but its flag is not passed on: the units that need it get it with the flags of chain code.
target_link_libraries(manychain
  PUBLIC $<BUILD_INTERFACE:manychain_xsimd>
  PRIVATE OpenMP::OpenMP_CXX Threads::Threads netCDF::netcdf ZLIB::ZLIB fmt::fmt ${CMAKE_DL_LIBS}
          $<BUILD_INTERFACE:Eigen3::Eigen> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
          $<BUILD_INTERFACE:manychain_thrust>)
if(MANYCHAIN_HAS_CUDA)
  target_link_libraries(manychain PRIVATE CUDA::cudart_static)
  target_compile_options(manychain PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${MANYCHAIN_CUDA_OPTIONS};${MANYCHAIN_CUDA_READABLE}>")
endif()

add_library(manychain_markov STATIC ${markov_sources})
add_library(manychain::markov ALIAS manychain_markov)
set_target_properties(manychain_markov PROPERTIES EXPORT_NAME markov)
target_sources(manychain_markov PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${markov_headers})
target_include_directories(manychain_markov PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(manychain_markov PUBLIC manychain PRIVATE fmt::fmt $<BUILD_INTERFACE:Eigen3::Eigen>)
manychain_warnings(manychain_markov)
manychain_few_units(manychain_markov)

# The properties that manychain_add_model() needs, wherever it finds this library: in this tree, below another, or installed.
set_target_properties(manychain PROPERTIES
  MANYCHAIN_CHAIN_OPTIONS "${MANYCHAIN_CHAIN_OPTIONS}"
  MANYCHAIN_HAS_CUDA ${MANYCHAIN_HAS_CUDA}
  MANYCHAIN_CUDA_OPTIONS "${MANYCHAIN_CUDA_OPTIONS}"
  MANYCHAIN_CUDA_ARCHITECTURES "${MANYCHAIN_CUDA_ARCHITECTURES}"
  EXPORT_PROPERTIES "MANYCHAIN_CHAIN_OPTIONS;MANYCHAIN_HAS_CUDA;MANYCHAIN_CUDA_OPTIONS;MANYCHAIN_CUDA_ARCHITECTURES")
