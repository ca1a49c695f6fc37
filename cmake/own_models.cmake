# manychain::own_model, the library that compiles a header and loads it; and the folder share/manychain beside bin, in the
# build tree as in an installed one, where it reads how to compile and link a model. toolchain.txt says how manychain was
# compiled, a word a line. A script notes two more while the command line is linked: link.txt says how, and headers.txt has
# digests of the library's headers.
set(own_folder ${PROJECT_SOURCE_DIR}/src/own_model)
set(own_programs ${PROJECT_SOURCE_DIR}/src/cli/own)

# The program of one model, without it: what its generated units are linked with before all else.
add_library(manychain_own_program STATIC ${own_programs}/program.cpp)
# The program that only binds it to data: its checking unit is linked with this one.
add_library(manychain_own_bind STATIC ${own_programs}/bind_program.cpp)
foreach(target manychain_own_program manychain_own_bind)
  target_compile_options(${target} PRIVATE ${cli_options})
  target_link_libraries(${target} PRIVATE manychain_cli_frame)
  manychain_warnings(${target})
endforeach()

# A program that notes digests of files.
add_executable(manychain_digest ${own_folder}/digest_program.cpp ${PROJECT_SOURCE_DIR}/src/core/digest.cpp)
target_compile_features(manychain_digest PRIVATE cxx_std_20)
set_target_properties(manychain_digest PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
target_include_directories(manychain_digest PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(manychain_digest PRIVATE ${cli_options})
target_link_libraries(manychain_digest PRIVATE fmt::fmt)
manychain_warnings(manychain_digest)

# The identity of this build: a shared object of a model has it, and the program that loads it.
file(GLOB kernel_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*.cuh)
set(build_identity ${PROJECT_BINARY_DIR}/generated/build_identity.cpp)
add_custom_command(OUTPUT ${build_identity}
  COMMAND manychain_digest --source ${build_identity} ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/kernels
  DEPENDS ${headers} ${markov_headers} ${kernel_headers} VERBATIM)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(SHA1 own_options "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}};${MANYCHAIN_CHAIN_OPTIONS};${MANYCHAIN_HAS_CUDA}")
set(own_identity "${PROJECT_VERSION} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${own_options}")
add_library(manychain_own_build OBJECT ${own_folder}/build.cpp ${build_identity})
target_compile_features(manychain_own_build PRIVATE cxx_std_20)
target_include_directories(manychain_own_build PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(manychain_own_build PRIVATE MANYCHAIN_BUILD="${own_identity}" MANYCHAIN_BUILD_ISA="${MANYCHAIN_ISA_NAME}")
manychain_warnings(manychain_own_build)
# Generated units are linked with it as a shared object.
add_library(manychain_own_entry STATIC ${own_folder}/entry.cpp $<TARGET_OBJECTS:manychain_own_build>)
target_compile_features(manychain_own_entry PRIVATE cxx_std_20)
target_include_directories(manychain_own_entry PRIVATE ${PROJECT_SOURCE_DIR}/src)
manychain_warnings(manychain_own_entry)

file(GLOB own_sources CONFIGURE_DEPENDS ${own_folder}/*.cpp)
list(REMOVE_ITEM own_sources ${own_folder}/digest_program.cpp ${own_folder}/build.cpp ${own_folder}/entry.cpp)
add_library(manychain_own_model STATIC ${own_sources} ${PROJECT_SOURCE_DIR}/src/c_api/header_models.cpp)
add_library(manychain::own_model ALIAS manychain_own_model)
set_target_properties(manychain_own_model PROPERTIES EXPORT_NAME own_model)
# The message about a model that does not compile names the functions of the language.
manychain_embed_text(manychain_own_model ${PROJECT_SOURCE_DIR}/docs/functions.md manychain_function_table
                     ${PROJECT_BINARY_DIR}/generated/function_table.cpp)
target_include_directories(manychain_own_model PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(manychain_own_model PRIVATE MANYCHAIN_VERSION="${PROJECT_VERSION}")
target_compile_options(manychain_own_model PRIVATE ${cli_options})
target_link_libraries(manychain_own_model PUBLIC manychain PRIVATE fmt::fmt ${CMAKE_DL_LIBS} Threads::Threads)
manychain_warnings(manychain_own_model)
manychain_few_units(manychain_own_model)
target_sources(manychain_own_model PRIVATE $<TARGET_OBJECTS:manychain_own_build>)
add_dependencies(manychain_own_model manychain_own_entry)
add_dependencies(manychain_cli manychain_own_program manychain_own_bind manychain_own_entry)

# manychain_lines(RESULT NAME WORD...): "NAME WORD" lines.
function(manychain_lines result name)
  set(lines "")
  foreach(word IN LISTS ARGN)
    string(APPEND lines "${name} ${word}\n")
  endforeach()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
set(model_options ${flags} -fPIC -std=c++20 ${MANYCHAIN_MODEL_OPTIONS})
manychain_lines(common option ${model_options})
string(PREPEND common "identity ${own_identity}\ncompiler ${CMAKE_CXX_COMPILER}\nversion ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\n")
manychain_lines(lines chain ${MANYCHAIN_CHAIN_OPTIONS})
string(APPEND common ${lines})
set(check_options -O1 -Werror=return-type)  # Clang's code of such a function ends the process
# X[i, j] is X[j] to C++20: compilers warn, and nobody would see it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND check_options -Wno-maybe-uninitialized -Werror=comma-subscript)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND check_options -Werror=deprecated-comma-subscript)
endif()
manychain_lines(lines check ${check_options})
string(APPEND common ${lines})
if(MANYCHAIN_AWK)
  string(APPEND common "awk ${MANYCHAIN_AWK}\n")
endif()
if(MANYCHAIN_HAS_CUDA)
  set(cuda_options -O1 -DNDEBUG -Xcompiler=-fPIC ${MANYCHAIN_CUDA_OPTIONS} ${MANYCHAIN_MODEL_CUDA_OPTIONS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND cuda_options -ccbin=${CMAKE_CXX_COMPILER})
  endif()
  manychain_lines(lines cuda ${cuda_options})
  string(APPEND common "nvcc ${MANYCHAIN_NVCC}\n" ${lines})
  manychain_lines(lines architecture ${MANYCHAIN_CUDA_ARCHITECTURES})
  string(APPEND common ${lines})
endif()
set(xsimd "$<TARGET_PROPERTY:manychain_xsimd,INTERFACE_INCLUDE_DIRECTORIES>")
set(installed_xsimd "$<FILTER:${xsimd},EXCLUDE,^${CMAKE_BINARY_DIR}/>")  # one that was fetched is installed beside us

set(share ${PROJECT_BINARY_DIR})
if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  set(share ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
endif()
cmake_path(GET share PARENT_PATH share)  # above the folder of the program
string(APPEND share /share/manychain)
set(precompiled_lines "")
set(installed_precompiled_lines "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  option(MANYCHAIN_PRECOMPILE "Precompile what `manychain sample model.hpp` includes (240 MB)" ON)
  if(MANYCHAIN_PRECOMPILE)
    set(MANYCHAIN_PRECOMPILED ${share})  # chain.hpp and check.hpp are there
    foreach(kind IN ITEMS chain check)
      string(APPEND precompiled_lines "precompiled_${kind} ${share}/${kind}.hpp\n")
      string(APPEND installed_precompiled_lines "precompiled_${kind} {prefix}/${CMAKE_INSTALL_DATADIR}/manychain/${kind}.hpp\n")
    endforeach()
  endif()
endif()
file(GENERATE OUTPUT ${share}/toolchain.txt CONTENT "${common}include ${PROJECT_SOURCE_DIR}/include
include ${PROJECT_BINARY_DIR}/include
kernels ${PROJECT_SOURCE_DIR}/kernels
templates ${PROJECT_SOURCE_DIR}/cmake
program $<TARGET_FILE:manychain_own_program>
entry $<TARGET_FILE:manychain_own_entry>
bind $<TARGET_FILE:manychain_own_bind>
build ${CMAKE_BINARY_DIR}
${precompiled_lines}$<$<BOOL:${xsimd}>:system $<JOIN:${xsimd},\nsystem >>
")
file(GENERATE OUTPUT ${share}/toolchain.installed.txt CONTENT "${common}include {prefix}/${CMAKE_INSTALL_INCLUDEDIR}
templates {prefix}/${CMAKE_INSTALL_LIBDIR}/cmake/manychain
program {prefix}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:manychain_own_program>
entry {prefix}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:manychain_own_entry>
bind {prefix}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:manychain_own_bind>
${installed_precompiled_lines}$<$<BOOL:${installed_xsimd}>:system $<JOIN:${installed_xsimd},\nsystem >>
")

set_property(TARGET manychain_cli PROPERTY RULE_LAUNCH_LINK
  "sh \"${PROJECT_SOURCE_DIR}/cmake/note_link.sh\" \"${CMAKE_BINARY_DIR}\" \"{prefix}/${CMAKE_INSTALL_LIBDIR}\" \"${share}\" \"${PROJECT_BINARY_DIR}/generated/manychain_digest\" \"${PROJECT_SOURCE_DIR}\"")
# Headers are noted again when one has changed that nothing in the program includes.
set_property(TARGET manychain_cli APPEND PROPERTY LINK_DEPENDS ${headers} ${markov_headers} ${kernel_headers})

# The headers that units begin with are precompiled: a model waits a quarter less. GCC looks at the contents of headers,
# not at where they lie, so that they serve an installed tree too. It passes by what does not suit it. They are built with
# the command line, not with `all`: who has made that alone soon compiles a model. Each has its digest beside it: GCC
# refuses every model by one that is cut short.
if(precompiled_lines)
  set(precompiled "")
  foreach(kind IN ITEMS chain check)
    set(header ${share}/${kind}.hpp)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/precompiled_${kind}.hpp ${header} COPYONLY)
    set(options ${MANYCHAIN_CHAIN_OPTIONS})
    if(kind STREQUAL "check")
      set(options ${check_options})
    endif()
    add_custom_command(OUTPUT ${header}.gch ${header}.gch.digest
      COMMAND ${CMAKE_CXX_COMPILER} -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include
              "$<$<BOOL:${xsimd}>:-idirafter;$<JOIN:${xsimd},;-idirafter;>>" ${model_options} ${options}
              -x c++-header ${header} -o ${header}.gch
      COMMAND manychain_digest ${header}.gch
      DEPENDS ${header} ${headers} ${markov_headers} COMMAND_EXPAND_LISTS VERBATIM
      COMMENT "Precompiling ${kind}.hpp for models of one's own")
    list(APPEND precompiled ${header}.gch)
    install(FILES ${header} ${header}.gch ${header}.gch.digest DESTINATION ${CMAKE_INSTALL_DATADIR}/manychain)
  endforeach()
  add_custom_target(manychain_precompiled DEPENDS ${precompiled})
  add_dependencies(manychain_cli manychain_precompiled)
endif()

install(FILES ${share}/toolchain.installed.txt RENAME toolchain.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/manychain)
# Generators of IDEs start no script; the program then says that it compiles no models.
install(FILES ${share}/link.installed.txt RENAME link.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/manychain OPTIONAL)
install(FILES ${share}/headers.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/manychain OPTIONAL)
install(TARGETS manychain_own_program manychain_own_entry manychain_own_bind manychain_cli_commands manychain_cli_frame)
# A program finds the folder of the package that it was linked with, wherever that lies.
target_compile_definitions(manychain_own_model INTERFACE
  MANYCHAIN_SHARE="$<BUILD_INTERFACE:${share}>$<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_DATADIR}/manychain>")
install(TARGETS manychain_own_model EXPORT manychain)
