# Decides whether this build has CUDA, and for which architectures. Needs no GPU and no driver.
set(MANYCHAIN_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (when nvcc is found), ON or OFF")
set_property(CACHE MANYCHAIN_CUDA PROPERTY STRINGS AUTO ON OFF)
set(MANYCHAIN_HAS_CUDA 0)
if(MANYCHAIN_CUDA STREQUAL "AUTO" OR MANYCHAIN_CUDA)
  find_program(MANYCHAIN_NVCC nvcc HINTS $ENV{CUDACXX} $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
  mark_as_advanced(MANYCHAIN_NVCC)
  if(DEFINED ENV{CUDACXX} AND EXISTS "$ENV{CUDACXX}")
    set(MANYCHAIN_NVCC "$ENV{CUDACXX}")
  endif()
  if(MANYCHAIN_NVCC)
    set(MANYCHAIN_HAS_CUDA 1)
  elseif(NOT MANYCHAIN_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "MANYCHAIN_CUDA is ON, but no nvcc was found: put it on the PATH or set CUDACXX")
  endif()
endif()

# One chain program, the same bits whatever else is compiled beside it: no implicit contraction. A host function called
# on the device is an error. RDC stays off: a kernel is launched by the unit that instantiates it. The standard is named
# here because CMake 3.25.1 does not know nvcc's flag for it.
set(MANYCHAIN_CUDA_OPTIONS -std=c++20 --fmad=false --expt-relaxed-constexpr --Werror=cross-execution-space-call)
# tests/cuda_on_host reads the PTX in objects, and nobody but nvcc reads what nvcc compresses.
set(MANYCHAIN_CUDA_READABLE "")
option(MANYCHAIN_CUDA_COMPRESS "Let nvcc compress device code; CUDA code is not run on the host then" OFF)
if(PROJECT_IS_TOP_LEVEL AND NOT MANYCHAIN_CUDA_COMPRESS)
  set(MANYCHAIN_CUDA_READABLE --no-compress)
endif()

# Tests and examples on a machine without a GPU: PTX alone, which tests/cuda_on_host reads, and less of an optimizer that takes
# half of the time. Kernels of the library and of the built-in models are compiled as they ship.
option(MANYCHAIN_CUDA_FAST_TESTS "Compile CUDA code of tests, examples and the gallery fast, for no GPU" OFF)
set(MANYCHAIN_CUDA_FAST_OPTIONS "")

# nvcc takes most of the time of a build: which models wait for it.
set(MANYCHAIN_CUDA_MODELS "" CACHE STRING "Models with CUDA code, by name; all if empty")

if(MANYCHAIN_HAS_CUDA)
  if(NOT MANYCHAIN_CUDA_ARCHITECTURES)
    include(${CMAKE_CURRENT_LIST_DIR}/default_architectures.cmake)
    manychain_default_architectures(architectures)
    set(MANYCHAIN_CUDA_ARCHITECTURES "${architectures}" CACHE STRING
        "CUDA architectures to compile for, 90 or 90-real or 90-virtual; fewer compile faster")
  endif()
  # Named before CUDA is enabled: "native" would need a GPU here and now.
  set(CMAKE_CUDA_ARCHITECTURES ${MANYCHAIN_CUDA_ARCHITECTURES})
  set(CMAKE_CUDA_COMPILER ${MANYCHAIN_NVCC})
  if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
    set(MANYCHAIN_CUDA_FAST_OPTIONS --Ofast-compile=mid)
  endif()
  message(STATUS "manychain: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${MANYCHAIN_CUDA_ARCHITECTURES}")
else()
  message(STATUS "manychain: without CUDA")
endif()
