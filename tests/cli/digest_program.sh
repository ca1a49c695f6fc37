#!/bin/sh
# The program that notes digests while manychain is built: what it passes over, and what it says when it fails.
#
#   digest_program.sh PROGRAM FOLDER
program=$1
rm -rf "$2"
mkdir -p "$2/include/deep" "$2/kernels"
cd "$2" || exit 1
failures=0
wrong() {
  echo "$*"
  cat words 2>/dev/null
  failures=$((failures + 1))
}

# An editor has a file open, whose lock is a link to nothing; a folder has the name of a header.
echo "// a" >include/a.hpp
echo "// b" >include/deep/b.h
echo "// c" >kernels/c.cuh
ln -s someone@host.1 include/.#a.hpp
mkdir include/folder.hpp
"$program" --headers note include kernels 2>words || wrong "links to nothing are passed over"
names=$(cut -d' ' -f3 note | sort | tr '\n' ' ')
[ "$names" = "a.hpp deep/b.h manychain/kernels/c.cuh " ] || wrong "it notes: $names"

# refused LINE ARGUMENT...: status 1, and that line alone.
refused() {
  line=$1
  shift
  "$program" "$@" 2>words
  status=$?
  [ $status -eq 1 ] || wrong "$*: exit status $status, expected 1"
  [ "$(cat words)" = "manychain_digest: $line" ] || wrong "$*: expected: $line"
}
refused "nothing.gch: cannot be read: No such file or directory" nothing.gch
refused "include: cannot be read: Is a directory" include
refused "nowhere: cannot be read: No such file or directory" --headers note nowhere kernels
refused "none/note: cannot be written: No such file or directory" --headers none/note include kernels

[ $failures -eq 0 ] && echo "Right."
exit $((failures > 0))
