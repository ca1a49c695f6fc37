# manychain::models, the built-in models: one line each. A model that has data/<name>.json carries it.
# Kernels multiply: a model names its samplers.
add_library(manychain_models STATIC ${PROJECT_SOURCE_DIR}/src/models/builtin.cpp
                                    ${PROJECT_SOURCE_DIR}/src/c_api/builtin_models.cpp)
add_library(manychain::models ALIAS manychain_models)
set_target_properties(manychain_models PROPERTIES EXPORT_NAME models)
target_include_directories(manychain_models PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(manychain_models PUBLIC manychain)
manychain_warnings(manychain_models)
manychain_precompile_models(manychain_models)
manychain_warnings(manychain_models_chains)

set(MANYCHAIN_MODELS "" CACHE STRING "Built-in models that are compiled, by name; all if empty")
set(built_in_models "")
set(left_out "")
function(built_in name class description)
  set(built_in_models ${built_in_models} ${name} PARENT_SCOPE)
  if(MANYCHAIN_MODELS AND NOT name IN_LIST MANYCHAIN_MODELS)
    manychain_note_cuda_model(${name})  # MANYCHAIN_CUDA_MODELS may name it all the same
    set(left_out "${left_out}\"${name}\", " PARENT_SCOPE)
    return()
  endif()
  set(header ${PROJECT_SOURCE_DIR}/include/manychain/models/${name}.hpp)
  if(EXISTS ${PROJECT_SOURCE_DIR}/data/${name}.json)
    list(APPEND ARGN DATA ${PROJECT_SOURCE_DIR}/data/${name}.json)
  endif()
  manychain_add_model(manychain_models ${header} manychain::models::${class} NAME ${name} DESCRIPTION "${description}"
                      ${ARGN})
endfunction()

set(usual SAMPLERS hmc metropolis mala,ula,single_component)
set(usual_and_sgld SAMPLERS hmc metropolis mala,ula,single_component,sgld)
built_in(normal Normal "independent standard normals, any dimension" SIZES 10 ${usual} SCALAR)
built_in(correlated_normal CorrelatedNormal "two correlated normals" ${usual})
built_in(ill_conditioned_normal IllConditionedNormal "100 normals whose scales differ widely" ${usual})
built_in(banana Banana "a curved ridge in two dimensions" ${usual} tempering)
built_in(funnel Funnel "Neal's funnel in 10 dimensions" ${usual} HIERARCHY)
built_in(rosenbrock Rosenbrock "Rosenbrock's valley" ${usual})
built_in(eight_schools EightSchools "eight schools, non-centred" SIZES 8 ${usual} SCALAR)
built_in(eight_schools_centered EightSchoolsCentered "eight schools, centred" SIZES 8 ${usual} HIERARCHY)
built_in(linear_regression LinearRegression "linear regression" SIZES 5 ${usual_and_sgld})
built_in(logistic_regression LogisticRegression "logistic regression, German credit data" CUDA_SIZES 25
         ${usual_and_sgld})

foreach(name IN LISTS MANYCHAIN_MODELS)
  if(NOT name IN_LIST built_in_models)
    list(JOIN built_in_models ", " names)
    message(FATAL_ERROR "MANYCHAIN_MODELS: there is no built-in model ${name}; there are ${names}")
  endif()
endforeach()
manychain_model_table(manychain_models)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/models_left_out.cpp @ONLY CONTENT
"// Generated: built-in models that this build does not compile (MANYCHAIN_MODELS).
#include \"run/models_left_out.hpp\"

namespace manychain {
std::vector<std::string> models_left_out() { return {@left_out@}; }
}  // namespace manychain
")
target_sources(manychain_models PRIVATE ${PROJECT_BINARY_DIR}/generated/models_left_out.cpp)
