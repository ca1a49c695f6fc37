# One architecture unless asked: that of each GPU that is here, or 8.0 with its PTX, which the driver of any later device
# compiles when it is first used. The preset "release" names all that have code of their own.
function(manychain_default_architectures result)
  set(found "")
  find_program(MANYCHAIN_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(MANYCHAIN_NVIDIA_SMI)
  if(MANYCHAIN_NVIDIA_SMI)
    execute_process(COMMAND ${MANYCHAIN_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader TIMEOUT 20
                    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]" found "${capabilities}")
      list(TRANSFORM found REPLACE "\\." "")
      list(FILTER found EXCLUDE REGEX "^([1-6][0-9]|7[0-4])$")  # nvcc 13.0 compiles for 7.5 and later
      list(REMOVE_DUPLICATES found)
    endif()
  endif()
  if(NOT found)
    set(found 80)
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
