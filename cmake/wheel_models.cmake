# The folder wheel_models of the build tree, made on demand: what a wheel brings for models that its user's compiler compiles.
#   cuda.txt                     version of CUDA, of a library that has code for GPUs
#   toolchain.txt, headers.txt   as in share/manychain, without the places that another machine has elsewhere
#   library_of_cpp.txt           folders of libstdc++'s headers here, a line each: a wheel brings them
#   libmanychain_own_entry.a     as there
#   libmanychain_of_models.a     what a shared object of a model needs of the library: it needs no library but that of C++
set(wheel_models ${PROJECT_BINARY_DIR}/wheel_models)
file(GLOB of_models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/adaptation/*.cpp ${PROJECT_SOURCE_DIR}/src/chain/*.cpp
     ${PROJECT_SOURCE_DIR}/src/core/*.cpp ${PROJECT_SOURCE_DIR}/src/model/*.cpp ${PROJECT_SOURCE_DIR}/src/samplers/*.cpp
     ${PROJECT_SOURCE_DIR}/src/text/*.cpp)
list(FILTER of_models EXCLUDE REGEX "/(csv|data_csv|digest)\\.cpp$")
add_library(manychain_of_models STATIC EXCLUDE_FROM_ALL ${of_models})
target_compile_features(manychain_of_models PRIVATE cxx_std_20)
target_include_directories(manychain_of_models PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(manychain_of_models PRIVATE FMT_HEADER_ONLY MANYCHAIN_VERSION="${PROJECT_VERSION}")
target_compile_options(manychain_of_models PRIVATE $<${release}:-O2> -fPIC -ffunction-sections)
target_link_libraries(manychain_of_models PRIVATE manychain_xsimd Eigen3::Eigen)
set_target_properties(manychain_of_models PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${wheel_models})
manychain_warnings(manychain_of_models)
manychain_few_units(manychain_of_models)

set(portable "${common}")
string(REGEX REPLACE "(^|\n)(compiler|awk|nvcc|cuda|architecture) [^\n]*" "" portable "${portable}")
file(GENERATE OUTPUT ${wheel_models}/toolchain.txt CONTENT "${portable}$<$<BOOL:${xsimd}>:system $<JOIN:${xsimd},\nsystem >>\n")
if(MANYCHAIN_HAS_CUDA)
  file(GENERATE OUTPUT ${wheel_models}/cuda.txt CONTENT "${CUDAToolkit_VERSION}\n")
endif()
# Folders of the headers of the library of C++, for a compiler that has none (scripts/wheel.py).
set(library_of_cpp ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
list(FILTER library_of_cpp INCLUDE REGEX "/c\\+\\+/[0-9.]+(/[^/]*-linux[^/]*)?$")
list(JOIN library_of_cpp "\n" library_of_cpp)
file(GENERATE OUTPUT ${wheel_models}/library_of_cpp.txt CONTENT "${library_of_cpp}\n")
add_custom_target(manychain_wheel_models
  COMMAND manychain_digest --headers ${wheel_models}/headers.txt ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/kernels
  COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:manychain_own_entry> ${wheel_models}
  DEPENDS manychain_of_models manychain_own_entry manychain_digest VERBATIM)
