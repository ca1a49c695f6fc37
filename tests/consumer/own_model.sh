#!/bin/sh
# An installed package that was moved to another folder compiles a model without the tree that it was built in.
#
#   own_model.sh PREFIX BIN SOURCE BUILD FOLDER
prefix=$1 bin=$2 source=$3 build=$4 folder=$5
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
