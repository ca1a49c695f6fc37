# Warnings of our own code; everything of others is a system header.
function(manychain_warnings target)
  set(warnings -Wall -Wextra -Wshadow)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${warnings};-Wpedantic>"
                                           "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>")  # false alarms in std::string
  endif()
  if(MANYCHAIN_WERROR)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
                                             "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--Werror all-warnings>")
  endif()
endfunction()
