#!/bin/sh
# note_link.sh BUILD LIBRARIES SHARE COMMAND...: runs the command, which links the command line, and notes the options and
# libraries of it in SHARE/link.txt, a word a line; in SHARE/link.installed.txt those of an installed tree, where what
# lies in the folder BUILD now lies in LIBRARIES. Objects, the output, the library of built-in models and the program's
# own folder are left out.
build=$1
libraries=$2
share=$3
shift 3
"$@" || exit
mkdir -p "$share" || exit
shift # the compiler
skip=
for word; do
  if [ "$skip" ]; then
    skip=
    continue
  fi
  case $word in
    -o) skip=1 ;;
    *.o | *libmanychain_models.a) ;;
    -* | /*) echo "link $word" ;;
    *) echo "link $PWD/$word" ;;
  esac
done >"$share/link.txt.$$" || exit
sed "s,^link $build/.*/\([^/]*\)\$,link $build/\1,; s,^link $build/,link $libraries/," "$share/link.txt.$$" \
  >"$share/link.installed.txt" && mv "$share/link.txt.$$" "$share/link.txt"
