# `PROGRAM gallery` lists exactly ENTRIES, a comma between two, in their order, and PAGE has a section for each and no
# other.
execute_process(COMMAND ${PROGRAM} gallery OUTPUT_VARIABLE out RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "gallery: exit status ${status}")
endif()
string(REPLACE "," ";" expected "${ENTRIES}")
string(REGEX MATCHALL "\n  [a-z0-9_]+ " listed "${out}")
list(TRANSFORM listed STRIP)
if(NOT "${listed}" STREQUAL "${expected}")
  message(FATAL_ERROR "the program lists  ${listed}\ncmake/gallery.cmake ${expected}")
endif()

file(STRINGS ${PAGE} sections REGEX "^### [a-z0-9_]+$")
list(TRANSFORM sections REPLACE "^### " "")
if(NOT "${sections}" STREQUAL "${expected}")
  message(FATAL_ERROR "sections of ${PAGE}: ${sections}\nentries: ${expected}")
endif()
