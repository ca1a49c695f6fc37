# The instruction set of chain code. Only units that hold packs get these flags: the generated units of models, and
# sources marked with manychain_chain_sources(). Nothing is forced on whoever links.
set(MANYCHAIN_ISA native CACHE STRING "Instruction set of chain code on the CPU: native, avx512, avx2 or sse2")
set_property(CACHE MANYCHAIN_ISA PROPERTY STRINGS native avx512 avx2 sse2)

set(MANYCHAIN_ISA_NAME ${MANYCHAIN_ISA})
if(MANYCHAIN_ISA STREQUAL "native")
  if(NOT DEFINED MANYCHAIN_NATIVE_ISA)
    try_run(ran compiled ${PROJECT_BINARY_DIR}/detect_isa ${CMAKE_CURRENT_LIST_DIR}/detect_isa.cpp
            RUN_OUTPUT_VARIABLE detected)
    if(NOT compiled OR NOT ran EQUAL 0)
      set(detected generic)
    endif()
    string(STRIP "${detected}" detected)
    set(MANYCHAIN_NATIVE_ISA ${detected} CACHE INTERNAL "Best instruction set of this machine")
    unset(ran CACHE)
    unset(compiled CACHE)
  endif()
  set(MANYCHAIN_ISA_NAME ${MANYCHAIN_NATIVE_ISA})
endif()

if(MANYCHAIN_ISA_NAME STREQUAL "avx512")
  set(isa_options -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mfma -mbmi2)
elseif(MANYCHAIN_ISA_NAME STREQUAL "avx2")
  set(isa_options -mavx2 -mfma)
elseif(MANYCHAIN_ISA_NAME MATCHES "^(sse2|generic)$")
  set(isa_options "")  # what the compiler does anyway
else()
  message(FATAL_ERROR "MANYCHAIN_ISA is \"${MANYCHAIN_ISA}\": allowed are native, avx512, avx2 and sse2")
endif()
message(STATUS "manychain: chain code for ${MANYCHAIN_ISA_NAME}")

# No contraction that is not written down (the same bits, whatever else is computed beside). The rest is what -ffast-math
# gives without its harm: NaN and infinity stay what they are.
separate_arguments(openmp_options UNIX_COMMAND "${OpenMP_CXX_FLAGS}")
# -O3 dissolves the expressions of a model into registers; the sanitizers' presets, which cannot wait for it, say -O1.
set(MANYCHAIN_CHAIN_OPTIMIZATION -O3 CACHE STRING "Optimization of chain code on the CPU")
mark_as_advanced(MANYCHAIN_CHAIN_OPTIMIZATION)
set(MANYCHAIN_CHAIN_OPTIONS ${isa_options} ${MANYCHAIN_CHAIN_OPTIMIZATION} -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-signed-zeros
                            ${openmp_options})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Expression nodes are small structs that must dissolve into registers. GCC gives up on structs of more than a few
  # words by default: the logistic gradient is then 2.1 times slower.
  list(APPEND MANYCHAIN_CHAIN_OPTIONS --param=sra-max-scalarization-size-Ospeed=8192)
  # GCC 12 loses the adjoint of a leaf that is copied within nested structs: its points-to analysis by fields then drops
  # the store (normal(theta, 0, 1) + normal(mu, 0, 2) had no gradient towards mu; clang and the sanitizers find nothing
  # wrong; unit_model.DensitySums). By whole variables it is right, and gradients are as fast.
  list(APPEND MANYCHAIN_CHAIN_OPTIONS --param=max-fields-for-field-sensitive=0)
  # GCC 12 copies constants of 32 and 64 bytes wrongly with AVX-512, if the first half repeats one number and the second is
  # zero: std::vector<double>{2, 2, 0, 0} holds 2, 2, 2, 2. It takes them for a broadcast from a general register, which it
  # is told here not to use; loops over chains are as fast (unit_model.Compiler).
  list(APPEND MANYCHAIN_CHAIN_OPTIONS -mtune-ctrl=^inter_unit_moves_to_vec)
  # Instructions in the order that suits CPUs with AVX-512: on Zen 4 the gradient of eight schools is 5 % faster, GARCH as
  # fast; HMC of ten normals, whose runs differ by 10 %, is not slower (37.0 to 37.1 M transitions/s before, medians of
  # eight). Loops without packs keep to whole registers, which this tuning would halve.
  if(MANYCHAIN_ISA_NAME STREQUAL "avx512")
    list(APPEND MANYCHAIN_CHAIN_OPTIONS -mtune=skylake-avx512 -mprefer-vector-width=512)
  endif()
  # GCC begins to search its memory for garbage at 128 MB: without that, units of 25 s take 9 % less, and at most 300 MB more.
  list(APPEND MANYCHAIN_CHAIN_OPTIONS --param=ggc-min-heapsize=400000)
  list(APPEND MANYCHAIN_CHAIN_OPTIONS -Wno-maybe-uninitialized -Wno-uninitialized)  # false alarms inside the AVX-512 intrinsics of GCC 12
endif()
