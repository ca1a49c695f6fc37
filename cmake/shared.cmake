# libmanychain.so in lib/ of the build folder: the C interface with the built-in models, which Python loads, and with
# manychain::own_model and the command line where that is built, too. Everything is compiled already, so that it takes a link alone.
# It shows no symbols but those of manychain.h.
set(symbols ${PROJECT_BINARY_DIR}/generated/shared_symbols.map)
file(CONFIGURE OUTPUT ${symbols} CONTENT "{ global: manychain_*; local: manychain_build_identity; manychain_function_table; *; };\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/shared.cpp CONTENT "// All code of the shared library comes from archives.\n")
# The archives as files, each once: a target would stand twice on the line, since they need each other.
set(in_shared manychain manychain_models)
if(MANYCHAIN_BUILD_CLI)
  list(APPEND in_shared manychain_own_model manychain_cli_line manychain_cli_commands manychain_cli_frame)
endif()
list(TRANSFORM in_shared REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
add_library(manychain_shared SHARED ${PROJECT_BINARY_DIR}/generated/shared.cpp)
if(MANYCHAIN_BUILD_CLI)
  target_sources(manychain_shared PRIVATE ${PROJECT_SOURCE_DIR}/src/cli/shared_command_line.cpp)
  target_include_directories(manychain_shared PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_features(manychain_shared PRIVATE cxx_std_20)
  manychain_warnings(manychain_shared)
endif()
add_dependencies(manychain_shared ${in_shared})
option(MANYCHAIN_NETCDF_AT_RUN_TIME "Load netCDF when libmanychain.so first needs it, in place of linking it" OFF)
set(netcdf netCDF::netcdf)
if(MANYCHAIN_NETCDF_AT_RUN_TIME)
  target_sources(manychain_shared PRIVATE ${PROJECT_SOURCE_DIR}/src/c_api/netcdf_at_run_time.cpp)
  target_include_directories(manychain_shared PRIVATE ${PROJECT_SOURCE_DIR}/include
                             $<TARGET_PROPERTY:netCDF::netcdf,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_features(manychain_shared PRIVATE cxx_std_20)
  manychain_warnings(manychain_shared)
  set(netcdf "")
endif()
set_target_properties(manychain_shared PROPERTIES OUTPUT_NAME manychain LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
                                                  LINK_DEPENDS "${symbols};${archives}")
target_link_libraries(manychain_shared PRIVATE -Wl,--whole-archive ${archives} -Wl,--no-whole-archive OpenMP::OpenMP_CXX
                                               Threads::Threads ${netcdf} fmt::fmt ${CMAKE_DL_LIBS})
if(MANYCHAIN_HAS_CUDA)
  target_link_libraries(manychain_shared PRIVATE CUDA::cudart_static)
endif()
target_link_options(manychain_shared PRIVATE LINKER:--version-script=${symbols})
install(TARGETS manychain_shared)
