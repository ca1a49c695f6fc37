# Installation, and what find_package(manychain) needs.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/manychain)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/manychain/kernels
        FILES_MATCHING PATTERN "*.cuh")
set(package_targets manychain manychain_markov)
if(TARGET manychain_models)
  list(APPEND package_targets manychain_models)
endif()
install(TARGETS ${package_targets} EXPORT manychain FILE_SET HEADERS)
install(EXPORT manychain NAMESPACE manychain:: FILE manychainTargets.cmake DESTINATION ${package_dir})
if(MANYCHAIN_HAS_MPI)  # a set of its own, for those who have MPI
  install(TARGETS manychain_mpi EXPORT manychain_mpi FILE_SET HEADERS)
  install(EXPORT manychain_mpi NAMESPACE manychain:: FILE manychainMpiTargets.cmake DESTINATION ${package_dir})
endif()

# The files that docs/models.md names.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cpp" PATTERN "*.json" PATTERN "README.md")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/10_heat_on_ranks DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

# The module and its templates lie together, so that it finds them here as there.
set(cmake ${PROJECT_SOURCE_DIR}/cmake)
install(FILES ${cmake}/ManychainAddModel.cmake ${cmake}/model_check.cpp.in ${cmake}/model_cpu.cpp.in
              ${cmake}/model_cuda.cu.in ${cmake}/model_cuda_absent.cpp.in ${cmake}/model_data.cpp.in ${cmake}/model_samplers_cpu.cpp.in
              ${cmake}/model_table.cpp.in ${cmake}/own_model.map
              ${cmake}/nvcc_with_report.sh ${cmake}/check_model_header.awk
        DESTINATION ${package_dir})
configure_package_config_file(${cmake}/manychainConfig.cmake.in ${PROJECT_BINARY_DIR}/manychainConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/manychainConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/manychainConfig.cmake ${PROJECT_BINARY_DIR}/manychainConfigVersion.cmake
        DESTINATION ${package_dir})
