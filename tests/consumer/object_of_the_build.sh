#!/bin/sh
# A compiler launcher: copies an object of the library from the build in BUILD, where it was compiled from the same sources,
# and compiles everything else. No source of the library depends on CUDA: a build without it has other files.
#
#   object_of_the_build.sh BUILD COMPILER ARGUMENT...
build=$1
shift
before= object= source= dependencies=
for word; do
  case $before in
    -o) object=$word ;;
    -c) source=$word ;;
    -MF) dependencies=$word ;;
  esac
  before=$word
done
case $object in
  *CMakeFiles/manychain.dir/* | *CMakeFiles/manychain_markov.dir/*)
    there=$build/CMakeFiles/${object##*CMakeFiles/}
    # A unit of several sources is a list of them, written by each build.
    unit=$source
    case $source in */Unity/*) unit=${there%.o} ;; esac
    if [ -f "$there" ] && cmp -s "$unit" "$source"; then
      echo "$object: $source $there" >"$dependencies"
      exec cp "$there" "$object"
    fi
    ;;
esac
exec "$@"
