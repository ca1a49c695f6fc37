# manychain_few_units(TARGET): the sources of a folder are one unit, since most of the time of a small one is its headers: the
# library takes a third of the CPU time. Names in unnamed namespaces are then names of a folder. A changed source compiles its
# folder: who works on the library may want -DMANYCHAIN_FEW_UNITS=OFF. Sources with options of their own stay units of their own.
function(manychain_few_units target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MANYCHAIN_FEW_UNITS} UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "_absent\\.cpp$")  # a program may have others in their place
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder})
  endforeach()
  # A local name may be that of a constant of another source; an included source is no header.
  if(MANYCHAIN_FEW_UNITS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow;-Wshadow=local;-Wno-subobject-linkage>")
  elseif(MANYCHAIN_FEW_UNITS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>)
  endif()
endfunction()
