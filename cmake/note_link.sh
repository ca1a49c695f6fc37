#!/bin/sh
# note_link.sh BUILD LIBRARIES SHARE DIGEST SOURCE COMMAND...: runs the command, which links the command line, and notes in
# the folder SHARE how models can be compiled and linked alike:
#
#   link.txt            the options and libraries of the command, a word a line
#   link.installed.txt  those of an installed tree, where what lies in the folder BUILD now lies in LIBRARIES
#   headers.txt         the headers of the tree SOURCE, as the program DIGEST writes them
#
# Objects, the output, the libraries of built-in models, of compiling and of the line of commands, and the program's own
# folder, are left out.
build=$1
libraries=$2
share=$3
digest=$4
source=$5
shift 5
mkdir -p "$share" || exit
trap 'rm -f "$share"/*.txt.$$' EXIT
# Before the link, so that a header that changes meanwhile is another one than noted.
"$digest" --headers "$share/headers.txt.$$" "$source/include" "$source/kernels" || exit
"$@" || exit
shift # the compiler
skip=
for word; do
  if [ "$skip" ]; then
    skip=
    continue
  fi
  case $word in
    -o) skip=1 ;;
    *.o | *libmanychain_models.a | *libmanychain_own_model.a | *libmanychain_cli_line.a) ;;
    -* | /*) echo "link $word" ;;
    *) echo "link $PWD/$word" ;;
  esac
done >"$share/link.txt.$$" || exit
sed "s,^link $build/.*/\([^/]*\)\$,link $build/\1,; s,^link $build/,link $libraries/," "$share/link.txt.$$" \
  >"$share/link.installed.txt" && mv "$share/link.txt.$$" "$share/link.txt" && mv "$share/headers.txt.$$" "$share/headers.txt"
