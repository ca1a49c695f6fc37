#!/bin/sh
# same_bytes.sh MPIRUN PROGRAM: the digests of runs are those of runs without MPI, for any number of ranks.
set -eu
mpirun=$1 program=$2
alone=$("$program" alone)
[ "$(printf '%s\n' "$alone" | wc -l)" -ge 8 ] || { echo "too few runs: $alone" >&2; exit 1; }
for ranks in 1 2 3 4 7; do
  shared=$("$mpirun" -n "$ranks" "$program")
  if [ "$alone" != "$shared" ]; then
    printf '%s ranks:\n%s\nwithout MPI:\n%s\n' "$ranks" "$shared" "$alone" >&2
    exit 1
  fi
done
