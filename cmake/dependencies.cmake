# A dependency that the distribution has is used; one that it lacks is fetched. OpenMP, netCDF-C and zlib cannot
# be fetched: they come with the compiler and with HDF5.
include(FetchContent)
set(FETCHCONTENT_QUIET ON)

macro(manychain_dependency name repository tag)
  FetchContent_Declare(${name} GIT_REPOSITORY https://github.com/${repository} GIT_TAG ${tag} GIT_SHALLOW ON SYSTEM
                       FIND_PACKAGE_ARGS ${ARGN})
  FetchContent_MakeAvailable(${name})
endmacro()

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)

find_package(netCDF CONFIG QUIET)
if(NOT TARGET netCDF::netcdf)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(netcdf IMPORTED_TARGET QUIET netcdf)
  endif()
  if(NOT TARGET PkgConfig::netcdf)
    message(FATAL_ERROR "netCDF-C was not found: install libnetcdf-dev (Debian), netcdf-devel (Fedora) or netcdf (brew)")
  endif()
  add_library(netCDF::netcdf ALIAS PkgConfig::netcdf)
endif()

find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  message(FATAL_ERROR "zlib was not found: install zlib1g-dev (Debian), zlib-devel (Fedora) or zlib (brew)")
endif()

set(FMT_INSTALL ON)         # a fetched one is installed with us: our package needs it
set(JSON_BuildTests OFF)
set(EIGEN_BUILD_DOC OFF)
set(EIGEN_BUILD_TESTING OFF)
set(CLI11_BUILD_TESTS OFF)
set(INSTALL_GTEST OFF)
set(BENCHMARK_ENABLE_TESTING OFF)

manychain_dependency(xsimd xtensor-stack/xsimd 8.1.0)
# Its headers alone: Debian's target also wants to link xtl, which is neither installed nor needed.
add_library(manychain_xsimd INTERFACE)
get_target_property(xsimd_headers xsimd INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(manychain_xsimd SYSTEM INTERFACE ${xsimd_headers})
manychain_dependency(fmt fmtlib/fmt 9.1.0)
manychain_dependency(Eigen3 eigen-mirror/eigen 3.4.0 3.4 NO_MODULE)
manychain_dependency(nlohmann_json nlohmann/json v3.11.2 3.10)
if(MANYCHAIN_BUILD_CLI OR MANYCHAIN_BUILD_BENCH)
  manychain_dependency(CLI11 CLIUtils/CLI11 v2.1.2)
endif()
if(MANYCHAIN_BUILD_TESTS)
  manychain_dependency(GTest google/googletest release-1.12.1)
endif()
if(MANYCHAIN_BUILD_BENCH)
  find_package(benchmark QUIET)
endif()

# Thrust: the toolkit's own where there is CUDA (nvcc uses that one anyway, and two must not mix), else the system's.
# Host units run its algorithms serially: the library's threads are its own affair.
add_library(manychain_thrust INTERFACE)
if(MANYCHAIN_HAS_CUDA)
  target_include_directories(manychain_thrust SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  find_path(MANYCHAIN_THRUST thrust/version.h PATHS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl NO_DEFAULT_PATH)
else()
  find_path(MANYCHAIN_THRUST thrust/version.h PATHS /usr/local/cuda/include PATH_SUFFIXES cccl)
endif()
mark_as_advanced(MANYCHAIN_THRUST)
if(NOT MANYCHAIN_THRUST)
  FetchContent_Declare(cccl GIT_REPOSITORY https://github.com/NVIDIA/cccl GIT_TAG v2.2.0 GIT_SHALLOW ON)
  FetchContent_GetProperties(cccl)
  if(NOT cccl_POPULATED)
    FetchContent_Populate(cccl)
  endif()
  target_include_directories(manychain_thrust SYSTEM INTERFACE ${cccl_SOURCE_DIR}/thrust ${cccl_SOURCE_DIR}/cub
                                                               ${cccl_SOURCE_DIR}/libcudacxx/include)
elseif(NOT MANYCHAIN_THRUST IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  target_include_directories(manychain_thrust SYSTEM INTERFACE ${MANYCHAIN_THRUST})
endif()
target_compile_definitions(manychain_thrust INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP>")
