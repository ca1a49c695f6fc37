#!/bin/sh
# command_line.sh MPIRUN MANYCHAIN_MPI MANYCHAIN: one table, one file, the draws of a run without ranks.
set -eu
mpirun=$1 program=$2 alone=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
run="sample eight_schools --backend cpu --chains 256 --warmup 100 --draws 40 --seed 3"

fail() { printf '%s\n' "$1" >&2; exit 1; }

table() { sed -n '/onverged/,/^Draws/p' "$1" | sed '$d'; }
"$alone" $run --output alone.nc --json alone.json >alone.txt
"$mpirun" -n 3 "$program" $run --output ranks.nc --json ranks.json >ranks.txt 2>ranks.err
[ "$(table alone.txt)" = "$(table ranks.txt)" ] || fail "another table: $(cat ranks.txt)"
[ "$(grep -c eight_schools ranks.txt)" -eq 1 ] || fail "more than one rank speaks: $(cat ranks.txt)"
grep -q "3 ranks of" ranks.txt || fail "no word of ranks: $(cat ranks.txt)"
[ -s ranks.nc ] || fail "no file"
# Behind the facts of the run, of which the time is one, lie the draws.
if command -v ncdump >/dev/null; then
  ncdump -v posterior/mu,posterior/tau alone.nc | sed -n '/^ *mu =/,$p' >alone.dump
  ncdump -v posterior/mu,posterior/tau ranks.nc | sed -n '/^ *mu =/,$p' >ranks.dump
  cmp alone.dump ranks.dump || fail "other draws"
fi

# A seed that is not given is that of the first rank.
"$mpirun" -n 2 "$program" sample normal --backend cpu --chains 64 --warmup 20 --draws 20 --output none >seed.txt ||
  fail "without a seed: $(cat seed.txt)"

# A signal that mpirun hands on ends the run, and keeps its draws.
"$mpirun" -n 2 "$program" sample normal --backend cpu --chains 64 --warmup 20 --draws 1000000000 --time-limit 60 --keep none --seed 1 \
  >long.txt 2>long.err &
job=$!
sleep 4
kill -USR1 $job
status=0
wait $job || status=$?
[ "$status" -eq 130 ] || fail "after a signal: status $status: $(cat long.txt long.err)"
grep -q onverged long.txt || fail "after a signal no verdict: $(cat long.txt long.err)"

# Bad lines: one sentence, status 2.
refused() {
  words=$1; shift
  status=0
  "$mpirun" -n 3 "$program" "$@" >out.txt 2>err.txt || status=$?
  [ "$status" -eq 2 ] || fail "$*: status $status: $(cat err.txt)"
  [ "$(grep -c '^manychain: ' err.txt)" -eq 1 ] || fail "$*: not one sentence: $(cat err.txt)"
  grep -q "$words" err.txt || fail "$*: not \"$words\": $(cat err.txt)"
}
refused "no_such_model" sample no_such_model
refused "3 ranks are more than the 2 chains" sample normal --chains 2 --superchains 0 --output none
refused "ranks write no store" sample normal --output x.zarr
refused "cannot turn into" sample x.hpp
refused "unknown" sample normal --no-such-option
