# manychain_add_model(TARGET HEADER CLASS [SIZES n...] [CUDA_SIZES n...] [SAMPLERS name...] [SCALAR] [HIERARCHY]
#                     [NAME name] [DESCRIPTION text] [DATA file.json])
#
# Compiles a model for every backend of the manychain that it is linked with, into TARGET, and a unit that looks at its
# indices and sizes when data are bound. HEADER defines CLASS, a
#     template <class Number, int... Sizes> struct CLASS
# Each entry of SIZES is one instantiation of fixed size, "3,4" one of several extents; the one of dynamic size is always
# made. Those of CUDA_SIZES are made for GPUs alone: on a CPU more than some 16 components gain nothing. SAMPLERS are those that the model is compiled for: on the CPU a unit for each entry, so that they compile side
# by side, "mala,ula" one for two. By default it is compiled for those that the class names
# (using samplers = ...), or for DefaultSamplers of manychain/samplers/list.hpp. SCALAR adds one chain per lane of width
# one to what is compiled for the CPU, for Settings::scalar. HIERARCHY adds kernels for GPUs in which the masses of HMC may
# depend on position (docs/hierarchies.md); on a CPU all programs of HMC have these masses. NAME defaults to CLASS in
# snake_case. DATA is the data that the model has when none are given.
#
# If the variable MANYCHAIN_CUDA_MODELS names models, CUDA code is compiled for these alone: the others run on the CPU.
# A name that no model has is an error at the end of the configuration.
#
# manychain_chain_sources(TARGET SOURCE...)
#
# Compiles these C++ sources of TARGET, which hold packs, with the flags of chain code.
include_guard(GLOBAL)

set(MANYCHAIN_TEMPLATES ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "Where the templates of generated units lie")

# One error at most, and where it comes from in few lines: what follows the first is the same for other samplers.
set(MANYCHAIN_MODEL_OPTIONS "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(MANYCHAIN_MODEL_OPTIONS -Wfatal-errors -ftemplate-backtrace-limit=4
                              --param=max-fields-for-field-sensitive=0 -mtune-ctrl=^inter_unit_moves_to_vec)  # see isa.cmake
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(MANYCHAIN_MODEL_OPTIONS -Wfatal-errors -ftemplate-backtrace-limit=2)  # of three lines each
endif()
set(MANYCHAIN_MODEL_OPTIONS ${MANYCHAIN_MODEL_OPTIONS} CACHE INTERNAL "Options of generated units")
set(MANYCHAIN_MODEL_CUDA_OPTIONS -Xcudafe=--error_limit=1 -ftemplate-backtrace-limit=4 CACHE INTERNAL "and of nvcc")
find_program(MANYCHAIN_AWK awk)
mark_as_advanced(MANYCHAIN_AWK)

function(manychain_chain_sources target)
  get_target_property(options manychain::manychain MANYCHAIN_CHAIN_OPTIONS)
  foreach(source IN LISTS ARGN)
    set_property(SOURCE ${source} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${options}
                 -UMANYCHAIN_PLAIN_CALLS)
    # The target's precompiled header is compiled for another instruction set.
    set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
endfunction()

# Notes a model that MANYCHAIN_CUDA_MODELS may name. That variable may differ from folder to folder.
function(manychain_note_cuda_model name)
  if(NOT MANYCHAIN_CUDA_MODELS)
    return()
  endif()
  get_property(known GLOBAL PROPERTY MANYCHAIN_CUDA_MODELS_KNOWN)
  if(NOT known)  # when the last folder of the whole project has added its models
    cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL manychain_check_cuda_models)
  endif()
  set_property(GLOBAL APPEND PROPERTY MANYCHAIN_CUDA_MODELS_KNOWN ${name})
  set_property(GLOBAL APPEND PROPERTY MANYCHAIN_CUDA_MODELS_NAMED ${MANYCHAIN_CUDA_MODELS})
endfunction()

function(manychain_check_cuda_models)
  get_property(known GLOBAL PROPERTY MANYCHAIN_CUDA_MODELS_KNOWN)
  get_property(named GLOBAL PROPERTY MANYCHAIN_CUDA_MODELS_NAMED)
  list(REMOVE_DUPLICATES known)
  list(REMOVE_DUPLICATES named)
  list(JOIN known ", " names)
  foreach(name IN LISTS named)
    if(NOT name IN_LIST known)
      message(FATAL_ERROR "MANYCHAIN_CUDA_MODELS: there is no model ${name}; this build has ${names}")
    endif()
  endforeach()
endfunction()

function(manychain_add_model TARGET HEADER CLASS)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "SCALAR;HIERARCHY;CPU_ONLY" "NAME;DESCRIPTION;DATA" "SIZES;CUDA_SIZES;SAMPLERS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "manychain_add_model(${TARGET} ... ${CLASS}): unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  cmake_path(ABSOLUTE_PATH HEADER BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE MODEL_HEADER)
  if(NOT EXISTS ${MODEL_HEADER})
    message(FATAL_ERROR "manychain_add_model(${TARGET} ... ${CLASS}): there is no header ${MODEL_HEADER}")
  endif()

  # The variables that the templates of the units see: MODEL_HEADER and
  set(MODEL_CLASS ${CLASS})
  set(MODEL_NAME ${ARG_NAME})
  if(NOT MODEL_NAME)
    string(REGEX REPLACE "^.*::" "" MODEL_NAME ${CLASS})
    string(REGEX REPLACE "([a-z0-9])([A-Z])" "\\1_\\2" MODEL_NAME ${MODEL_NAME})
    string(TOLOWER ${MODEL_NAME} MODEL_NAME)
  endif()
  manychain_note_cuda_model(${MODEL_NAME})
  string(MAKE_C_IDENTIFIER ${TARGET}_${MODEL_NAME} MODEL_SYMBOL)
  string(REGEX REPLACE "([\\\"])" "\\\\\\1" MODEL_DESCRIPTION "${ARG_DESCRIPTION}")
  set(MODEL_SIZES ${ARG_SIZES})
  set(MODEL_CUDA_SIZES ${ARG_SIZES} ${ARG_CUDA_SIZES})
  foreach(sizes IN ITEMS MODEL_SIZES MODEL_CUDA_SIZES)
    list(TRANSFORM ${sizes} REPLACE "(.+)" "MANYCHAIN_SIZES(\\1)")
    list(JOIN ${sizes} " " ${sizes})
    string(REPLACE "," ", " ${sizes} "${${sizes}}")
  endforeach()
  get_target_property(MODEL_HAS_CUDA manychain::manychain MANYCHAIN_HAS_CUDA)
  if(ARG_CPU_ONLY)
    set(MODEL_HAS_CUDA 0)
  endif()
  set(MODEL_DATA "\"\"")  # an expression; what it names is declared by MODEL_DATA_DECLARATION
  set(MODEL_DATA_DECLARATION "")

  set(unit ${CMAKE_CURRENT_BINARY_DIR}/manychain/${MODEL_SYMBOL})
  if(ARG_DATA)
    cmake_path(ABSOLUTE_PATH ARG_DATA BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set(MODEL_DATA manychain_data_${MODEL_SYMBOL})
    set(MODEL_DATA_DECLARATION "extern const char* const ${MODEL_DATA};")
    manychain_embed_text(${TARGET} ${ARG_DATA} ${MODEL_DATA} ${unit}_data.cpp)
  endif()
  set(MODEL_SCALAR false)
  if(ARG_SCALAR)
    set(MODEL_SCALAR true)
  endif()
  if(NOT ARG_SAMPLERS)
    set(ARG_SAMPLERS default)
  endif()
  set(MODEL_CPU_UNITS "")
  set(MODEL_SAMPLERS "")
  set(MODEL_HOLDS_POINTS 1)  # until a unit compiles the density for a sampler (DensitySamplers)
  foreach(names IN LISTS ARG_SAMPLERS)
    string(REPLACE "," ", " UNIT_WORDS "samplers ${names}")
    string(MAKE_C_IDENTIFIER ${names} suffix)
    set(UNIT_SYMBOL ${MODEL_SYMBOL}_${suffix})
    set(UNIT_HOLDS_POINTS 0)
    if(MODEL_HOLDS_POINTS AND ",${names}," MATCHES ",(hmc|tempering|default),")
      set(UNIT_HOLDS_POINTS 1)
      set(MODEL_HOLDS_POINTS 0)
    endif()
    set(UNIT_SAMPLERS "")
    set(UNIT_ASSERTIONS "")
    if(NOT names STREQUAL "default")
      string(REGEX REPLACE "([^,]+),?" ", \"\\1\"" UNIT_SAMPLERS ${names})
      string(REGEX REPLACE "([^,]+),?" "MANYCHAIN_SAMPLER(\"\\1\") " UNIT_ASSERTIONS ${names})
    endif()
    string(APPEND MODEL_SAMPLERS "${UNIT_SAMPLERS}")
    string(APPEND MODEL_CPU_UNITS "MANYCHAIN_UNIT(manychain_cpu_${UNIT_SYMBOL}) ")
    set(UNIT_PROGRAMS "manychain::cpu_unit<Variants<float>, Variants<double>, ${MODEL_SCALAR}${UNIT_SAMPLERS}>()")
    configure_file(${MANYCHAIN_TEMPLATES}/model_samplers_cpu.cpp.in ${unit}-${suffix}_cpu.cpp @ONLY)
    manychain_model_source(${TARGET} ${unit}-${suffix}_cpu.cpp)
  endforeach()
  # One for all samplers: nvcc takes longer to begin than to compile one of them.
  set(MODEL_CUDA_UNITS "")
  if(MODEL_HAS_CUDA)
    set(MODEL_CUDA_UNITS "MANYCHAIN_UNIT(manychain_cuda_${MODEL_SYMBOL})")
  endif()
  if(MODEL_HAS_CUDA AND MANYCHAIN_CUDA_MODELS AND NOT MODEL_NAME IN_LIST MANYCHAIN_CUDA_MODELS)
    configure_file(${MANYCHAIN_TEMPLATES}/model_cuda_absent.cpp.in ${unit}_cuda_absent.cpp @ONLY)
    target_sources(${TARGET} PRIVATE ${unit}_cuda_absent.cpp)
  elseif(MODEL_HAS_CUDA)
    set_property(TARGET ${TARGET} APPEND PROPERTY MANYCHAIN_CUDA_MODEL_SYMBOLS ${MODEL_SYMBOL})
    set(UNIT_SYMBOL ${MODEL_SYMBOL})
    set(UNIT_LEAVES false)
    set(UNIT_PROGRAMS "manychain::cuda_unit<Variants<float>, Variants<double>${MODEL_SAMPLERS}>()")
    configure_file(${MANYCHAIN_TEMPLATES}/model_cuda.cu.in ${unit}_cuda.cu @ONLY)
    get_target_property(grouped ${TARGET} MANYCHAIN_CUDA_GROUPED)
    if(grouped)
      set_property(TARGET ${TARGET} APPEND PROPERTY MANYCHAIN_CUDA_INCLUDES "#include \"${unit}_cuda.cu\"")
    else()
      manychain_cuda_unit(${TARGET} ${unit}_cuda.cu)
    endif()
    if(ARG_HIERARCHY)
      set(UNIT_SYMBOL ${MODEL_SYMBOL}_leaves)
      set(UNIT_LEAVES true)
      set(UNIT_PROGRAMS "manychain::cuda_unit_with_leaves<Variants<float>, Variants<double>${MODEL_SAMPLERS}>()")
      configure_file(${MANYCHAIN_TEMPLATES}/model_cuda.cu.in ${unit}_leaves_cuda.cu @ONLY)
      manychain_cuda_unit(${TARGET} ${unit}_leaves_cuda.cu)
      string(APPEND MODEL_CUDA_UNITS " MANYCHAIN_UNIT(manychain_cuda_${UNIT_SYMBOL})")
    endif()
  endif()
  configure_file(${MANYCHAIN_TEMPLATES}/model_cpu.cpp.in ${unit}_cpu.cpp @ONLY)
  manychain_model_source(${TARGET} ${unit}_cpu.cpp)
  configure_file(${MANYCHAIN_TEMPLATES}/model_check.cpp.in ${unit}_check.cpp @ONLY)
  target_sources(${TARGET} PRIVATE ${unit}_check.cpp)
  # It sees every header with MANYCHAIN_CHECKED: nothing may be included before.
  set_property(SOURCE ${unit}_check.cpp TARGET_DIRECTORY ${TARGET} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  set_property(SOURCE ${unit}_check.cpp TARGET_DIRECTORY ${TARGET} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  set_property(SOURCE ${unit}_check.cpp TARGET_DIRECTORY ${TARGET} APPEND PROPERTY
               COMPILE_OPTIONS -O1 ${MANYCHAIN_MODEL_OPTIONS}
               $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false of a model without data
  manychain_check_model_header(${TARGET} ${MODEL_HEADER} ${CLASS} ${MODEL_SYMBOL})
  target_link_libraries(${TARGET} PRIVATE manychain::manychain)
  set_property(TARGET ${TARGET} APPEND PROPERTY MANYCHAIN_MODEL_SYMBOLS ${MODEL_SYMBOL})
endfunction()

# The generated units of TARGET that hold chain code are compiled in an object library of their own, with precompiled
# headers: worth it where there are many. Call it before manychain_add_model().
function(manychain_precompile_models target)
  set(chains ${target}_chains)
  add_library(${chains} OBJECT)
  get_target_property(options manychain::manychain MANYCHAIN_CHAIN_OPTIONS)
  target_compile_options(${chains} PRIVATE ${options} ${MANYCHAIN_MODEL_OPTIONS})
  target_include_directories(${chains} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_link_libraries(${chains} PRIVATE manychain::manychain)
  target_precompile_headers(${chains} PRIVATE <manychain/chain/model_functions.hpp>
                             <manychain/chain/model_unit_cpu.hpp>)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${chains}>)
  set_target_properties(${target} PROPERTIES MANYCHAIN_CHAIN_TARGET ${chains})
endfunction()

# The CUDA code of all models of TARGET is one unit, ${TARGET}_cuda: half of the time of a small one is its headers. Call it before
# manychain_add_model().
function(manychain_group_cuda_models target)
  get_target_property(has_cuda manychain::manychain MANYCHAIN_HAS_CUDA)
  if(has_cuda)
    set(group ${CMAKE_CURRENT_BINARY_DIR}/manychain/${target}_cuda.cu)
    file(GENERATE OUTPUT ${group} CONTENT "// Generated by manychain_group_cuda_models().
$<JOIN:$<TARGET_PROPERTY:${target},MANYCHAIN_CUDA_INCLUDES>,\n>
")
    set_target_properties(${target} PROPERTIES MANYCHAIN_CUDA_GROUPED ON)
    manychain_cuda_unit(${target} ${group})
  endif()
endfunction()

# Adds a generated unit of chain code.
function(manychain_model_source target source)
  get_target_property(chains ${target} MANYCHAIN_CHAIN_TARGET)
  if(chains)
    target_sources(${chains} PRIVATE ${source})
  else()
    target_sources(${target} PRIVATE ${source})
    manychain_chain_sources(${target} ${source})
    set_property(SOURCE ${source} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${MANYCHAIN_MODEL_OPTIONS})
  endif()
endfunction()

# Refuses members of a model that lack MANYCHAIN_HD, which only nvcc would miss, before the model is compiled.
function(manychain_check_model_header target header class symbol)
  if(NOT MANYCHAIN_AWK)
    return()
  endif()
  string(REGEX REPLACE "^.*::" "" class ${class})
  set(script ${MANYCHAIN_TEMPLATES}/check_model_header.awk)
  set(checked ${CMAKE_CURRENT_BINARY_DIR}/manychain/${symbol}_header.checked)
  add_custom_command(OUTPUT ${checked}
    COMMAND ${MANYCHAIN_AWK} -v class=${class} -f ${script} ${header}
    COMMAND ${CMAKE_COMMAND} -E touch ${checked}
    DEPENDS ${header} ${script} VERBATIM COMMENT "")
  add_custom_target(${symbol}_header DEPENDS ${checked})
  add_dependencies(${target} ${symbol}_header)
  get_target_property(chains ${target} MANYCHAIN_CHAIN_TARGET)
  if(chains)
    add_dependencies(${chains} ${symbol}_header)
  endif()
endfunction()

# Adds a C++ source to target that defines `const char* const symbol`, the text of a file. In pieces, because compilers have
# limits to the length of one literal.
function(manychain_embed_text target file symbol output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  set(SYMBOL ${symbol})
  set(PIECES "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 50000 piece)
    string(APPEND PIECES "\n    R\"manychain(${piece})manychain\"")
    math(EXPR begin "${begin} + 50000")
  endwhile()
  configure_file(${MANYCHAIN_TEMPLATES}/model_data.cpp.in ${output} @ONLY)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()

# Sets `result` to the command, without source and output, that compiles a CUDA unit of `target`.
function(manychain_cuda_command result target)
  get_target_property(options manychain::manychain MANYCHAIN_CUDA_OPTIONS)
  get_target_property(architectures manychain::manychain MANYCHAIN_CUDA_ARCHITECTURES)
  if(NOT CUDAToolkit_NVCC_EXECUTABLE)
    find_package(CUDAToolkit REQUIRED)
  endif()
  # A target of this project whose code no GPU will run (MANYCHAIN_CUDA_FAST_TESTS).
  get_target_property(fast ${target} MANYCHAIN_CUDA_FAST)
  if(fast)
    list(APPEND options ${MANYCHAIN_CUDA_FAST_OPTIONS})
  endif()
  foreach(architecture IN LISTS architectures)
    string(REGEX MATCH "^[0-9]+[a-z]?" number ${architecture})
    set(code sm_${number} compute_${number})
    if(architecture MATCHES "-real$" AND NOT fast)
      set(code sm_${number})
    elseif(fast OR architecture MATCHES "-virtual$")
      set(code compute_${number})
    endif()
    list(JOIN code "," code)
    list(APPEND options "--generate-code=arch=compute_${number},code=[${code}]")
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND options -ccbin=${CMAKE_CXX_COMPILER})
  endif()
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  # -O1 is of the host's part, which only binds data; kernels are always optimized.
  set(${result} ${CUDAToolkit_NVCC_EXECUTABLE} -O1 -DNDEBUG -Xcompiler=-fPIC ${options} ${MANYCHAIN_MODEL_CUDA_OPTIONS}
      -Xptxas=-v ${MANYCHAIN_CUDA_READABLE} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>"
      "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>"
      PARENT_SCOPE)
endfunction()

# Compiles a CUDA source into TARGET by a command of its own. The language CUDA need not be enabled where TARGET lives:
# it could not be from here, and the user of a model should not have to know.
function(manychain_cuda_unit target source)
  manychain_cuda_command(command ${target})
  cmake_path(REPLACE_EXTENSION source LAST_ONLY o OUTPUT_VARIABLE object)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E env sh ${MANYCHAIN_TEMPLATES}/nvcc_with_report.sh ${object}.ptxas
            ${command} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Compiling ${source}")
  target_sources(${target} PRIVATE ${object})
  set_source_files_properties(${object} TARGET_DIRECTORY ${target} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()

# Adds a source with the table of all models of TARGET to it (self-registration would be dropped from a static library).
function(manychain_model_table target)
  get_target_property(symbols ${target} MANYCHAIN_MODEL_SYMBOLS)
  if(NOT symbols)
    set(symbols "")
  endif()
  list(TRANSFORM symbols REPLACE "(.+)" "MANYCHAIN_MODEL(\\1)" OUTPUT_VARIABLE MODEL_TABLE)
  string(REPLACE ";" " " MODEL_TABLE "${MODEL_TABLE}")
  configure_file(${MANYCHAIN_TEMPLATES}/model_table.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/manychain/${target}_table.cpp @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/manychain/${target}_table.cpp)
endfunction()
