# cmake -DHEADER=... -DUNIT=... -DCOMMANDS=compile_commands.json -DAWK=... -DCHECK=... -DOTHERS=...
#       -P refused.cmake
# cmake -DHEADER=... -DUNIT=... -DNVCC=file with the command -DOBJECT=... -P refused.cmake
#
# Compiles a generated unit by its own command; for the CPU after the check of the header that a build makes before it.
# Fails unless that fails with the sentence in the header's first line, in at most 20 lines. OTHERS are the other units of
# the model, a comma between two: a parallel build may come to them first, so that they must say the same, or nothing.
file(STRINGS ${HEADER} sentence LIMIT_COUNT 1)
string(REGEX REPLACE "^// " "" sentence "${sentence}")

# Sets `result` to the command in COMMANDS that compiles `unit`.
function(command_of result unit)
  file(STRINGS ${COMMANDS} line REGEX "\"command\": .* -c ${unit}\"")
  if(NOT line)
    message(FATAL_ERROR "${COMMANDS} does not say how ${unit} is compiled")
  endif()
  string(REGEX REPLACE ",$" "" line "${line}")
  string(JSON command GET "{${line}}" command)
  separate_arguments(command UNIX_COMMAND "${command} -fsyntax-only")
  set(${result} "${command}" PARENT_SCOPE)
endfunction()

function(expect_sentence output)
  string(REGEX MATCHALL "\n" lines "${output}")
  list(LENGTH lines lines)
  message("${output}\n${lines} lines")
  string(FIND "${output}" "${sentence}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "the sentence \"${sentence}\" is not there")
  endif()
  if(lines GREATER 20)
    message(FATAL_ERROR "more than 20 lines")
  endif()
endfunction()

set(status 0)
if(AWK)
  execute_process(COMMAND ${AWK} -v class=Refused -f ${CHECK} ${HEADER} RESULT_VARIABLE status ERROR_VARIABLE output)
endif()
if(NVCC)
  file(STRINGS ${NVCC} command)
  list(APPEND command -c ${UNIT} -o ${OBJECT})
else()
  command_of(command ${UNIT})
endif()
if(status EQUAL 0)
  execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
endif()
if(status EQUAL 0)
  message(FATAL_ERROR "${HEADER} was compiled")
endif()
expect_sentence("${output}")

string(REPLACE "," ";" others "${OTHERS}")
foreach(other IN LISTS others)
  command_of(command ${other})
  execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    expect_sentence("${output}")
  endif()
endforeach()
