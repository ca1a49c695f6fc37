# Run as a script: the commit of the current folder, "-dirty" added when tracked files were changed. Written to the header
# OUTPUT, or without OUTPUT shown. MANYCHAIN_COMMIT in the environment says it where there is no .git.
execute_process(COMMAND git describe --always --abbrev=12 --exclude=* --dirty
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(DEFINED ENV{MANYCHAIN_COMMIT})
  set(commit $ENV{MANYCHAIN_COMMIT})
elseif(NOT commit)
  set(commit unknown)
endif()
if(OUTPUT)
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define MANYCHAIN_COMMIT \"${commit}\"\n")
else()
  message("${commit}")
endif()
