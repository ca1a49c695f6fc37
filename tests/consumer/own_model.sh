#!/bin/sh
# An installed package that was moved to another folder compiles a model without the tree that it was built in.
#
#   own_model.sh PREFIX BIN SOURCE BUILD FOLDER PRECOMPILED      PRECOMPILED: ON if headers are
prefix=$1 bin=$2 source=$3 build=$4 folder=$5 precompiled=$6
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
cp -al "$prefix" moved || exit 1
export MANYCHAIN_CACHE="$folder/cache"

fail() {
  echo "$*"
  cat out.txt err.txt
  exit 1
}

if grep -F -e "$source/" -e "$build/" moved/share/manychain/*.txt >out.txt 2>err.txt; then
  fail "a path of the source or build tree was installed:"
fi
"moved/$bin/manychain" new own >out.txt 2>err.txt || fail "manychain new:"
"moved/$bin/manychain" check own.hpp --data own.json >out.txt 2>err.txt || fail "manychain check:"
grep -q '^Right: ' out.txt || fail "manychain check:"

# taken chain|check: what is precompiled for such units is taken (-H: "!"), and no header of ours is read again.
taken() {
  kind=$1 header=
  set --
  while read -r name word; do
    case $word in "{prefix}"*) word=$PWD/moved${word#"{prefix}"} ;; esac
    case $name in
      compiler) compiler=$word ;;
      include) set -- "$@" "-I$word" ;;
      system) set -- "$@" -idirafter "$word" ;;
      option | "$kind") set -- "$@" "$word" ;;
      "precompiled_$kind") header=$word ;;
    esac
  done <moved/share/manychain/toolchain.txt
  [ "$header" ] || fail "$kind: toolchain.txt names no precompiled header:"
  echo '#include "own.hpp"' >taken.cpp
  "$compiler" "$@" -include "$header" -H -fsyntax-only taken.cpp >out.txt 2>err.txt || fail "$kind: own.hpp:"
  grep -q "^! .*/$kind.hpp.gch" err.txt || fail "$kind: the precompiled header is not taken:"
  ! grep -q '/include/manychain/' err.txt || fail "$kind: a header is read again:"
}
if [ "$precompiled" = ON ]; then
  taken chain
  taken check
  # The program takes it, too. What is installed is linked here: it is replaced, not written over.
  rm moved/share/manychain/check.hpp*
  echo '#error what is precompiled is taken' >moved/share/manychain/check.hpp
  : >moved/share/manychain/check.hpp.gch # GCC passes it by, and reads the other
  echo d228cb69101a8cafaab9e0195e5098d0 >moved/share/manychain/check.hpp.gch.digest # of an empty file
  ! "moved/$bin/manychain" check own.hpp --data own.json >out.txt 2>err.txt || fail "the precompiled header is not taken:"
  grep -q 'what is precompiled is taken' err.txt || fail "the precompiled header is not taken:"
fi

# Headers of another version, installed over these: no model is compiled that would not fit the libraries.
header=moved/include/manychain/core/error.hpp
{ cat $header; echo '// changed'; } >changed.hpp
mv changed.hpp $header # what is installed is linked here
"moved/$bin/manychain" check own.hpp --data own.json >out.txt 2>err.txt
[ $? -eq 2 ] || fail "headers have changed: exit status 2 was expected:"
grep -q '^manychain: manychain was built from other headers: manychain/core/error.hpp has changed since, .*install it again$' err.txt ||
  fail "headers have changed:"
