# manychain::mpi, where MPI is found: runs whose chains the ranks of an MPI program hold, and the program manychain-mpi. The
# core library does not link MPI.
option(MANYCHAIN_BUILD_MPI "Build manychain::mpi, where MPI is found" ON)
set(MANYCHAIN_HAS_MPI 0)
if(NOT MANYCHAIN_BUILD_MPI)
  return()
endif()
find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "manychain: no MPI was found (Debian: libopenmpi-dev openmpi-bin); manychain::mpi is left out")
  return()
endif()
set(MANYCHAIN_HAS_MPI 1)
# Tests have more ranks than cores, in a container, where all runs as root.
find_program(MANYCHAIN_MPIRUN NAMES mpirun mpiexec)
mark_as_advanced(MANYCHAIN_MPIRUN)
set(MANYCHAIN_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1)

file(GLOB mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi/*.cpp)
add_library(manychain_mpi STATIC ${mpi_sources})
add_library(manychain::mpi ALIAS manychain_mpi)
set_target_properties(manychain_mpi PROPERTIES EXPORT_NAME mpi)
target_sources(manychain_mpi PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                    FILES ${PROJECT_SOURCE_DIR}/include/manychain/mpi.hpp)
target_include_directories(manychain_mpi PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(manychain_mpi PUBLIC manychain MPI::MPI_CXX)
manychain_warnings(manychain_mpi)
manychain_few_units(manychain_mpi)

# The figures of a network, for bench/network/model.py.
add_executable(manychain_network EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/network/latency.cpp)
target_link_libraries(manychain_network PRIVATE MPI::MPI_CXX)
