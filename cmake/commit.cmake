# Run as a script: writes the commit of SOURCE to the header OUTPUT, "-dirty" added when tracked files were changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --exclude=* --dirty
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define MANYCHAIN_COMMIT \"${commit}\"\n")
